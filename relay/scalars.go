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

// Each MarshalX is for gqlgen, which writes a value from anywhere; the AppendX beside it is
// for plans, which append it to the answer. A scalar without one is answered as well.

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
	return time.Time{}, blog.Errorf(blog.Invalid, "a DateTime is written as RFC 3339 defines it, as in 2025-03-01T09:30:00.000Z")
}

// MarshalID writes an id that is text already.
func MarshalID(id string) graphql.Marshaler { return appended(AppendID(nil, id)) }

// AppendID appends what [MarshalID] writes.
func AppendID(b []byte, id string) []byte { return appendQuoted(b, id) }

// UnmarshalID reads a string or, as GraphQL allows for an ID, an integer. What it
// names is the resolvers' business: a mutation answers a bad id otherwise than a
// query.
func UnmarshalID(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	n, ok := integer(v)
	if !ok {
		return "", blog.Errorf(blog.Invalid, "an ID is a string")
	}
	return strconv.FormatInt(n, 10), nil
}

// MarshalString writes a text.
func MarshalString(s string) graphql.Marshaler { return appended(AppendString(nil, s)) }

// AppendString appends what [MarshalString] writes: JSON that escapes what it must (RFC
// 8259, section 7). What is no UTF-8 stays as it is.
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
		return "", blog.Errorf(blog.Invalid, "a String is a string")
	}
	return s, nil
}

// MarshalInt writes a number.
func MarshalInt(n int) graphql.Marshaler { return appended(AppendInt(nil, n)) }

// AppendInt appends what [MarshalInt] writes.
func AppendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// UnmarshalInt reads a whole number of 32 bits and nothing else.
func UnmarshalInt(v any) (int, error) {
	n, ok := integer(v)
	if !ok || n < math.MinInt32 || n > math.MaxInt32 {
		return 0, blog.Errorf(blog.Invalid, "an Int is a whole number from -2147483648 to 2147483647")
	}
	return int(n), nil
}

// integer returns the whole number that JSON or a document gave.
func integer(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	default:
		return 0, false
	}
}

// MarshalUserID writes a user's id.
func MarshalUserID(key blog.UserID) graphql.Marshaler { return appended(AppendUserID(nil, key)) }

// AppendUserID appends what [MarshalUserID] writes.
func AppendUserID(b []byte, key blog.UserID) []byte { return appendKey(b, key) }

// MarshalPostID writes a post's id.
func MarshalPostID(key blog.PostID) graphql.Marshaler { return appended(AppendPostID(nil, key)) }

// AppendPostID appends what [MarshalPostID] writes.
func AppendPostID(b []byte, key blog.PostID) []byte { return appendKey(b, key) }

// MarshalCommentKey writes a comment's id.
func MarshalCommentKey(key blog.CommentKey) graphql.Marshaler {
	return appended(AppendCommentKey(nil, key))
}

// AppendCommentKey appends what [MarshalCommentKey] writes.
func AppendCommentKey(b []byte, key blog.CommentKey) []byte { return appendKey(b, key) }

// MarshalLikeKey writes a like's id.
func MarshalLikeKey(key blog.LikeKey) graphql.Marshaler { return appended(AppendLikeKey(nil, key)) }

// AppendLikeKey appends what [MarshalLikeKey] writes.
func AppendLikeKey(b []byte, key blog.LikeKey) []byte { return appendKey(b, key) }

func appendKey[K Key](b []byte, key K) []byte { return append(appendID(append(b, '"'), key), '"') }

// The ids of arguments are read as text by UnmarshalID. These complete the pairs
// that gqlgen asks for.

// UnmarshalUserID reads a user's id.
func UnmarshalUserID(v any) (blog.UserID, error) { return unmarshalID[blog.UserID](v) }

// UnmarshalPostID reads a post's id.
func UnmarshalPostID(v any) (blog.PostID, error) { return unmarshalID[blog.PostID](v) }

// UnmarshalCommentKey reads a comment's id.
func UnmarshalCommentKey(v any) (blog.CommentKey, error) { return unmarshalID[blog.CommentKey](v) }

// UnmarshalLikeKey reads a like's id.
func UnmarshalLikeKey(v any) (blog.LikeKey, error) { return unmarshalID[blog.LikeKey](v) }

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

// MarshalSortOrder writes a SortOrder.
func MarshalSortOrder(o blog.Order) graphql.Marshaler { return appended(AppendSortOrder(nil, o)) }

// AppendSortOrder appends what [MarshalSortOrder] writes.
func AppendSortOrder(b []byte, o blog.Order) []byte { return appendQuoted(b, sortOrders[o]) }

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
}

// IsUserError reports whether an error of this kind is what a person did wrong in
// a mutation: it has a UserErrorCode.
func IsUserError(k blog.Kind) bool { return userErrorCodes[k] != "" }

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
	return none, blog.Errorf(blog.Invalid, "%v is no value of %s", v, enum)
}

// appendQuoted quotes a text that has nothing to escape.
func appendQuoted(b []byte, s string) []byte { return append(append(append(b, '"'), s...), '"') }

// appended writes what one of the functions above appended.
type appended []byte

func (a appended) MarshalGQL(w io.Writer) { _, _ = w.Write(a) }
