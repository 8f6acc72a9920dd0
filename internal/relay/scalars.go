package relay

import (
	"encoding/json"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
)

// Each MarshalX is for gqlgen, which writes a value from anywhere; the AppendX beside it, or
// [Append] where that takes the value, is for plans, which append it to the answer. A scalar without
// one is answered as well.

// MarshalDateTime writes UTC with three decimals.
func MarshalDateTime(t time.Time) graphql.Marshaler { return appended(AppendDateTime(nil, t)) }

// AppendDateTime appends what [MarshalDateTime] writes.
func AppendDateTime(b []byte, t time.Time) []byte {
	b = t.UTC().AppendFormat(append(b, '"'), time.RFC3339) // for which it is fast
	ms := t.Nanosecond() / int(time.Millisecond)
	return append(b[:len(b)-len("Z")], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z', '"')
}

// rfc3339 is what Go's parser does not hold to: it takes a comma for the point, an
// hour of one digit and an offset of 24 hours and more.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// UnmarshalDateTime reads RFC 3339 with any offset.
func UnmarshalDateTime(v any) (time.Time, error) {
	if s, ok := v.(string); ok && rfc3339.MatchString(strings.ToUpper(s)) {
		if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, cannotRepresent("DateTime", "a value that is not written as 2025-03-01T09:30:00.000Z is (RFC 3339)")
}

// MarshalID writes an id that is text already.
func MarshalID(id string) graphql.Marshaler { return appended(AppendID(nil, id)) }

// AppendID appends what [MarshalID] writes.
func AppendID(b []byte, id string) []byte { return appendQuoted(b, id) }

// UnmarshalID reads a string or, as GraphQL allows for an ID, an integer. What it names is the resolvers' business:
// a mutation answers a bad id otherwise than a query.
func UnmarshalID(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	digits, ok := integer(v)
	if !ok {
		return "", cannotRepresent("ID", "a non-string and non-integer value")
	}
	return digits, nil
}

// MarshalString writes a text.
func MarshalString(s string) graphql.Marshaler { return appended(AppendString(nil, s)) }

// AppendString appends what [MarshalString] writes: JSON that escapes what it must (RFC
// 8259, section 7). Nothing is escaped for HTML, which would make a byte six: no page has an
// answer in it, and its content type with nosniff keeps browsers from taking it for one. What is
// no UTF-8 stays as it is.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	b = append(b, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\n':
			b = append(b, `\n`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// UnmarshalString reads a string and nothing else.
func UnmarshalString(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", cannotRepresent("String", "a non string value")
	}
	return s, nil
}

// MarshalInt writes a number.
func MarshalInt(n int) graphql.Marshaler { return appended(AppendInt(nil, n)) }

// AppendInt appends what [MarshalInt] writes.
func AppendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// UnmarshalInt reads a whole number of 32 bits and nothing else.
func UnmarshalInt(v any) (int, error) {
	digits, ok := integer(v)
	if !ok {
		return 0, cannotRepresent("Int", "non-integer value")
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0, cannotRepresent("Int", "non 32-bit signed integer value")
	}
	return int(n), nil
}

// integer returns the digits of a whole number that JSON or a document gave.
func integer(v any) (digits string, ok bool) {
	switch n := v.(type) {
	case int:
		return strconv.Itoa(n), true
	case int64:
		return strconv.FormatInt(n, 10), true
	case json.Number:
		return whole(string(n))
	default:
		return "", false
	}
}

// whole returns the digits of a number as JSON writes it. 2.0 and 2e0 are 2: most readers
// of JSON tell no difference, nor do they know numbers that a float of 64 bits does not
// hold. Of an integer all digits stay.
func whole(number string) (digits string, ok bool) {
	f, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || f != math.Trunc(f):
		return "", false
	case f == 0: // -0, too
		return "0", true
	case strings.ContainsAny(number, ".eE"):
		return strconv.FormatFloat(f, 'f', -1, 64), true
	default:
		return number, true
	}
}

// cannotRepresent is the error of a value that a scalar does not take, in the words that
// GraphQL's reference implementation has for it; those who know the value add it.
func cannotRepresent(scalar, what string) error {
	return blog.Errorf(blog.Invalid, "%s cannot represent %s", scalar, what)
}

// Scalars are what reads the scalars that a request may give values for: of JSON a string,
// a bool or a [json.Number]. They return what the functions above read as well.
var Scalars = map[string]func(any) (any, error){
	"Boolean":  func(v any) (any, error) { return unmarshalBoolean(v) },
	"DateTime": func(v any) (any, error) { _, err := UnmarshalDateTime(v); return v, err },
	"ID":       func(v any) (any, error) { return UnmarshalID(v) },
	"Int":      func(v any) (any, error) { return UnmarshalInt(v) },
	"String":   func(v any) (any, error) { return UnmarshalString(v) },
}

func unmarshalBoolean(v any) (bool, error) {
	b, ok := v.(bool)
	if !ok {
		return false, cannotRepresent("Boolean", "a non boolean value")
	}
	return b, nil
}

// MarshalUserID writes a user's id.
func MarshalUserID(key blog.UserID) graphql.Marshaler { return appended(Append(nil, key)) }

// MarshalPostID writes a post's id.
func MarshalPostID(key blog.PostID) graphql.Marshaler { return appended(Append(nil, key)) }

// MarshalCommentKey writes a comment's id.
func MarshalCommentKey(key blog.CommentKey) graphql.Marshaler { return appended(Append(nil, key)) }

// MarshalGroupID writes a group's id.
func MarshalGroupID(key blog.GroupID) graphql.Marshaler { return appended(Append(nil, key)) }

// MarshalReactionKey writes a reaction's id.
func MarshalReactionKey(key blog.ReactionKey) graphql.Marshaler { return appended(Append(nil, key)) }

// Append appends what the functions above write.
func Append[K Key](b []byte, key K) []byte { return append(appendID(append(b, '"'), key), '"') }

// The ids of arguments are read as text by UnmarshalID. These complete the pairs
// that gqlgen asks for.
var (
	UnmarshalUserID      = unmarshalID[blog.UserID]
	UnmarshalPostID      = unmarshalID[blog.PostID]
	UnmarshalCommentKey  = unmarshalID[blog.CommentKey]
	UnmarshalReactionKey = unmarshalID[blog.ReactionKey]
	UnmarshalGroupID     = unmarshalID[blog.GroupID]
)

func unmarshalID[K Key](v any) (K, error) {
	s, err := UnmarshalID(v)
	if err != nil {
		var none K
		return none, err
	}
	return DecodeID[K](s)
}

var sortOrders = map[blog.Order]string{
	blog.NewestFirst: "NEWEST_FIRST",
	blog.OldestFirst: "OLDEST_FIRST",
}

// MarshalSortOrder writes a SortOrder, which no answer has.
func MarshalSortOrder(o blog.Order) graphql.Marshaler {
	return appended(appendQuoted(nil, sortOrders[o]))
}

// UnmarshalSortOrder reads a SortOrder in its exact spelling. (The enum that
// gqlgen generates takes an unknown value of a variable for the first one.)
func UnmarshalSortOrder(v any) (blog.Order, error) { return unmarshalEnum(v, "SortOrder", sortOrders) }

var userErrorCodes = map[blog.Kind]string{
	blog.Invalid:         "INVALID",
	blog.TooLong:         "TOO_LONG",
	blog.Taken:           "TAKEN",
	blog.NotFound:        "NOT_FOUND",
	blog.Forbidden:       "FORBIDDEN",
	blog.VersionConflict: "VERSION_CONFLICT",
	blog.Suspended:       "SUSPENDED",
}

// UserErrorCode returns a kind's UserErrorCode; empty where an error of this kind is not what a person did wrong in
// a mutation.
func UserErrorCode(k blog.Kind) string { return userErrorCodes[k] }

// MarshalUserErrorCode writes a UserErrorCode.
func MarshalUserErrorCode(k blog.Kind) graphql.Marshaler {
	return appended(AppendUserErrorCode(nil, k))
}

// AppendUserErrorCode appends what [MarshalUserErrorCode] writes.
func AppendUserErrorCode(b []byte, k blog.Kind) []byte { return appendQuoted(b, userErrorCodes[k]) }

// UnmarshalUserErrorCode reads a UserErrorCode.
func UnmarshalUserErrorCode(v any) (blog.Kind, error) {
	return unmarshalEnum(v, "UserErrorCode", userErrorCodes)
}

func unmarshalEnum[V comparable](v any, enum string, names map[V]string) (V, error) {
	for value, name := range names {
		if name == v {
			return value, nil
		}
	}
	var none V
	return none, blog.Errorf(blog.Invalid, "Enum %q cannot represent the value", enum)
}

// appendQuoted quotes a text that has nothing to escape.
func appendQuoted(b []byte, s string) []byte { return append(append(append(b, '"'), s...), '"') }

// appended writes what one of the functions above appended.
type appended []byte

func (a appended) MarshalGQL(w io.Writer) { _, _ = w.Write(a) }
