package limit

import "testing"

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Size{
		"0": 0, "1": 1, "1048576": 1 << 20, "1KiB": 1 << 10, "64KiB": 64 << 10, "1MiB": 1 << 20, "2GiB": 2 << 30, "-1": -1,
		"9223372036854775807": 1<<63 - 1,
	} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d %v", text, got, err)
		}
	}
	for _, text := range []string{"", "MiB", "1MB", "1M", "1.5MiB", "1 MiB", "1mib", "1KiBMiB", "0x10", "9223372036854775807KiB", "9223372036854775808"} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%s: %d", text, got)
		}
	}
}
