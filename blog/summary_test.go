package blog_test

import (
	"strings"
	"testing"

	"broadsheet/blog"
)

func TestSummary(t *testing.T) {
	words := strings.Repeat("word ", 39)
	for excerpt, want := range map[string]string{
		"":                                  "",
		"Plain words, as they are.":         "Plain words, as they are.",
		"# A heading\n\nand *its* __text__": "A heading and its text",
		"> quoted\n> twice\n- one\n+ two\n* three\n---": "quoted twice one two three",
		"a [link](https://example.org/a_b) here":        "a link here",
		"![a picture](/a.png) and [1], [no](":           "a picture and [1], no",
		"cut [in its address](https://exam":             "cut in its address",
		"snake_case, _emphasis_, 2 * 3, `co_de`":        "snake_case, emphasis, 2 * 3, co_de",
		"~~gone~~, ~5, -5, 5 - 3":                       "gone, ~5, -5, 5 - 3",
		"-5 degrees, \\*no mark\\*, \\n":                "-5 degrees, *no mark*, \\n",
		"日本語の*文*":                                       "日本語の文",
		words + "a_":                                    strings.Repeat("word ", 39) + "a …",
		words + "end.":                                  words + "end.",
	} {
		if got := blog.Summary(excerpt); got != want {
			t.Errorf("of %q is %q, want %q", excerpt, got, want)
		}
	}
}

func TestWordCount(t *testing.T) {
	for text, want := range map[string]int{
		"":                              0,
		"?! …":                          0,
		"one":                           1,
		"It's 3.14, isn't it? **Yes**.": 5,
		"a\nb\u00a0c":                   3,
		"日本":                            2,
	} {
		if got := blog.WordCount(text); got != want {
			t.Errorf("%q has %d words, want %d", text, got, want)
		}
	}
}

func BenchmarkSummary(b *testing.B) {
	excerpt := blog.Excerpt(strings.Repeat("one *query*, one [table](/tables) ", 9))
	for b.Loop() {
		blog.Summary(excerpt)
	}
}

func BenchmarkWordCount(b *testing.B) {
	text := strings.Repeat("one query, one table. ", 60)
	for b.Loop() {
		blog.WordCount(text)
	}
}
