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

const dateTime = "2006-01-02T15:04:05.000Z07:00"

// MarshalDateTime writes UTC with three decimals.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	return quoted(t.UTC().Format(dateTime))
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
func MarshalID(id string) graphql.Marshaler { return quoted(id) }

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
func MarshalString(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalString reads a string and nothing else.
func UnmarshalString(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", blog.Errorf(blog.Invalid, "a String is a string")
	}
	return s, nil
}

// MarshalInt writes a number.
func MarshalInt(n int) graphql.Marshaler { return graphql.MarshalInt(n) }

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
func MarshalUserID(key blog.UserID) graphql.Marshaler { return quoted(EncodeID(key)) }

// MarshalPostID writes a post's id.
func MarshalPostID(key blog.PostID) graphql.Marshaler { return quoted(EncodeID(key)) }

// MarshalCommentKey writes a comment's id.
func MarshalCommentKey(key blog.CommentKey) graphql.Marshaler { return quoted(EncodeID(key)) }

// MarshalLikeKey writes a like's id.
func MarshalLikeKey(key blog.LikeKey) graphql.Marshaler { return quoted(EncodeID(key)) }

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
func MarshalSortOrder(o blog.Order) graphql.Marshaler { return quoted(sortOrders[o]) }

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
func MarshalUserErrorCode(k blog.Kind) graphql.Marshaler { return quoted(userErrorCodes[k]) }

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

// quoted writes a text that has nothing to escape.
type quoted string

func (q quoted) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, `"`+string(q)+`"`) }
