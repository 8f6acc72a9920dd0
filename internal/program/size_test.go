package program

import (
	"io"
	"testing"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]size{
		"0": 0, "1": 1, "1048576": 1 << 20, "1KiB": 1 << 10, "64KiB": 64 << 10, "1MiB": 1 << 20, "2GiB": 2 << 30, "-1": -1,
		"9223372036854775807": 1<<63 - 1,
	} {
		var got size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d %v", text, got, err)
		}
	}
	for _, text := range []string{"", "MiB", "1MB", "1M", "1.5MiB", "1 MiB", "1mib", "1KiBMiB", "0x10", "9223372036854775807KiB", "9223372036854775808"} {
		var got size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%s: %d", text, got)
		}
	}
}

// Each flag of bytes takes a size, and a plain number.
func TestFlagsOfBytesTakeSizes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2MiB", "2097152"} {
		c, code, _ := parse([]string{"--max-body-bytes", text, "--max-bodies-bytes", text, "--max-answer-bytes", text, "--max-answers-bytes", text,
			"--min-answer-rate", text, "--compress-from", text, "--embedded-cache-bytes", text}, io.Discard, io.Discard)
		f := c.flags.Serve
		for i, got := range []size{f.Limits.MaxBody, f.Limits.MaxBodies, f.Limits.MaxAnswer, f.Limits.MaxAnswers, f.Limits.MinAnswerRate, f.CompressFrom, c.flags.Store.EmbeddedCache} {
			if code != 0 || got != 2<<20 {
				t.Errorf("the flag %d, %s: %d", i, text, got)
			}
		}
	}
}
