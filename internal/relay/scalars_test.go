package relay_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

func written(m graphql.Marshaler) string {
	var b strings.Builder
	m.MarshalGQL(&b)
	return b.String()
}

func TestDateTimeIsWrittenInUTCWithThreeDecimals(t *testing.T) {
	cet := time.FixedZone("CET", 3600)
	for want, at := range map[string]time.Time{
		`"2025-03-01T09:30:00.000Z"`: time.Date(2025, time.March, 1, 10, 30, 0, 0, cet),
		`"2025-03-01T09:30:00.120Z"`: time.Date(2025, time.March, 1, 9, 30, 0, 120_999_999, time.UTC),
		`"1970-01-01T00:00:00.000Z"`: time.Unix(0, 0),
	} {
		if got := written(relay.MarshalDateTime(at)); got != want {
			t.Errorf("%v is written %s, want %s", at, got, want)
		}
	}
}

func TestDateTimeIsReadWithAnyOffset(t *testing.T) {
	want := time.Date(2025, time.March, 1, 9, 30, 0, 0, time.UTC)
	for _, s := range []string{
		"2025-03-01T09:30:00Z", "2025-03-01T09:30:00.000Z", "2025-03-01T09:30:00.000000000Z",
		"2025-03-01T09:30:00+00:00", "2025-03-01T15:00:00+05:30", "2025-03-01T09:30:00-00:00",
		"2025-02-28T23:30:00-10:00", "2025-03-01t09:30:00z",
	} {
		if got, err := relay.UnmarshalDateTime(s); !got.Equal(want) || err != nil {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
}

func TestWhatIsNoDateTime(t *testing.T) {
	for _, v := range []any{
		"", "yesterday", "2025-03-01", "2025-03-01T09:30Z", "2025-03-01T09:30:00", "2025-03-01 09:30:00Z",
		"2025-03-01T9:30:00Z", "2025-03-01T09:30:00,5Z", "2025-03-01T09:30:00.Z", "2025-02-30T09:30:00Z",
		"2025-03-01T24:00:00Z", "2025-03-01T09:30:00+24:00", "2025-03-01T09:30:00+01:60", "2025-03-01T09:30:00+0100",
		"2025-03-01T09:30:00Z ", "02025-03-01T09:30:00Z", 1740821400, 1.5, true, nil,
	} {
		if got, err := relay.UnmarshalDateTime(v); blog.KindOf(err) != blog.Invalid {
			t.Errorf("%v: %v, %v; want an Invalid", v, got, err)
		}
	}
}

func TestScalarsTakeTheirOwnAlone(t *testing.T) {
	reads := map[string]func(any) (any, error){
		"Int":       func(v any) (any, error) { return relay.UnmarshalInt(v) },
		"String":    func(v any) (any, error) { return relay.UnmarshalString(v) },
		"ID":        func(v any) (any, error) { return relay.UnmarshalID(v) },
		"SortOrder": func(v any) (any, error) { return relay.UnmarshalSortOrder(v) },
	}
	number := func(s string) json.Number { return json.Number(s) }
	for _, tc := range []struct {
		scalar string
		in     any
		want   any // nil: refused
	}{
		{"Int", int64(5), 5},
		{"Int", number("-2147483648"), -2147483648},
		{"Int", number("2147483648"), nil},
		{"Int", int64(-2147483649), nil},
		{"Int", number("1e3"), 1000},
		{"Int", number("2.0"), 2},
		{"Int", number("-0.0"), 0},
		{"Int", number("2147483647.0"), 2147483647},
		{"Int", number("2147483648.0"), nil},
		{"Int", number("2.5"), nil},
		{"Int", number("1e400"), nil},
		{"Int", 7.0, nil},
		{"Int", "7", nil},
		{"Int", true, nil},
		{"Int", nil, nil},
		{"String", "7", "7"},
		{"String", number("7"), nil},
		{"String", int64(7), nil},
		{"String", true, nil},
		{"String", nil, nil},
		{"ID", "7", "7"},
		{"ID", int64(7), "7"},
		{"ID", number("9007199254740993"), "9007199254740993"},
		{"ID", number("12345678901234567890"), "12345678901234567890"},
		{"ID", number("1e20"), "100000000000000000000"},
		{"ID", number("-0"), "0"},
		{"ID", number("1.5"), nil},
		{"ID", number("1e400"), nil},
		{"ID", 1.5, nil},
		{"ID", true, nil},
		{"ID", nil, nil},
		{"SortOrder", "OLDEST_FIRST", blog.OldestFirst},
		{"SortOrder", "NEWEST_FIRST", blog.NewestFirst},
		{"SortOrder", "oldest_first", nil},
		{"SortOrder", 1, nil},
	} {
		got, err := reads[tc.scalar](tc.in)
		if tc.want == nil && blog.KindOf(err) != blog.Invalid || tc.want != nil && (err != nil || got != tc.want) {
			t.Errorf("%s of %T %v: %v, %v; want %v", tc.scalar, tc.in, tc.in, got, err, tc.want)
		}
	}
}

// Each kind of error that a person can mend has one code, and no other kind has.
func TestUserErrorCodes(t *testing.T) {
	for _, kind := range blog.Kinds() {
		name := strings.Trim(written(relay.MarshalUserErrorCode(kind)), `"`)
		mendable := kind != blog.Internal && kind != blog.Unavailable && kind != blog.Timeout && kind != blog.Expired
		if (relay.UserErrorCode(kind) != "") != mendable || mendable != (name != "") {
			t.Errorf("%v: code %q", kind, name)
		}
		if back, err := relay.UnmarshalUserErrorCode(name); mendable && (back != kind || err != nil) {
			t.Errorf("%s is read as %v, %v", name, back, err)
		}
	}
}
