package blog_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"broadsheet/blog"
	"broadsheet/internal/storetest"

	"github.com/rivo/uniseg"
)

func TestExcerpt(t *testing.T) {
	const family, flag = "👨‍👩‍👧‍👦", "🇩🇪" // 7 code points and 2
	repeat := strings.Repeat
	giant := "e" + repeat("\u0301", 500)
	for name, c := range map[string]struct{ content, want string }{
		"a short text is kept":                         {"  Hello,\n world. ", "  Hello,\n world. "},
		"200 code points are kept":                     {repeat("漢", 199) + " ", repeat("漢", 199) + " "},
		"a word that ends at 200 is kept":              {repeat("word ", 39) + "words and more", repeat("word ", 39) + "words"},
		"a word that would end at 201 is not":          {repeat("word ", 39) + "wordss and more", repeat("word ", 38) + "word"},
		"punctuation after a word stays":               {repeat("word, ", 40), repeat("word, ", 33)[:197]},
		"an apostrophe is inside of a word":            {repeat("x", 195) + " can't stop", repeat("x", 195)},
		"a long single word is cut inside":             {repeat("x", 300), repeat("x", 200)},
		"a word and a long one: only the word":         {"Hi " + repeat("x", 300), "Hi"},
		"spaces and a long word: cut inside the word":  {"   " + repeat("x", 300), "   " + repeat("x", 197)},
		"Han is cut between characters":                {repeat("漢字", 150), repeat("漢字", 100)},
		"300 spaces first: spaces":                     {repeat(" ", 300) + "word", repeat(" ", 200)},
		"199 spaces and a family: no part of it":       {repeat(" ", 199) + repeat(family, 3), repeat(" ", 199)},
		"199 spaces and a line end: no part of it":     {repeat(" ", 199) + repeat("\r\n", 3), repeat(" ", 199)},
		"flags are whole":                              {"x" + repeat(flag, 150), "x" + repeat(flag, 99)},
		"families are whole":                           {repeat(family, 50), repeat(family, 28)},
		"a letter keeps its mark":                      {"x" + repeat("e\u0301", 150), "x" + repeat("e\u0301", 99)},
		"a Thai vowel that a word boundary would lose": {"x" + repeat("กำ", 150), "x" + repeat("กำ", 99)},
		"Hangul of parts is whole":                     {repeat("\u1112\u1161\u11ab", 150), repeat("\u1112\u1161\u11ab", 66)},
		"one giant grapheme is cut inside":             {giant, giant[:1+2*199]},
		"a word and a giant grapheme: the word":        {"Hi " + giant, "Hi"},
	} {
		if got := blog.Excerpt(c.content); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestExcerptIsAWholePrefix(t *testing.T) {
	pieces := []string{
		" ", "  ", "\n", "\r\n", "\t", "a", "word", "can't", "é", "e\u0301", "漢", "かな", "กำ", "น้ำ", "👍🏽", "👨‍👩‍👧", "🇫🇷", "🇫",
		"\u200b", "\u200d", "\u0600", "שָׁ", "क्षि", "한", "\u1112\u1161", ".", "—", "3.14", "1️⃣", strings.Repeat("x", 90), "\ufffd",
	}
	random := rand.New(rand.NewPCG(storetest.Seed(t), 0))
	for range 3_000 {
		var b strings.Builder
		some := random.Perm(len(pieces))[:1+random.IntN(5)]
		for range random.IntN(400) {
			b.WriteString(pieces[some[random.IntN(len(some))]])
		}
		checkExcerpt(t, b.String())
	}
}

func checkExcerpt(t *testing.T, content string) {
	t.Helper()
	excerpt := blog.Excerpt(content)
	n := utf8.RuneCountInString(excerpt)
	switch {
	case !strings.HasPrefix(content, excerpt):
		t.Fatalf("%q is no prefix of %q", excerpt, content)
	case n > 200 || !utf8.ValidString(excerpt):
		t.Fatalf("%q has %d code points, or is no UTF-8", excerpt, n)
	case utf8.RuneCountInString(content) <= 200 && excerpt != content:
		t.Fatalf("the short %q became %q", content, excerpt)
	case n == 0 && content != "":
		t.Fatalf("%q has an empty excerpt", content)
	case !clusterEndsAt(content, len(excerpt)):
		t.Fatalf("%q of %q cuts a grapheme", excerpt, content)
	}
}

// clusterEndsAt reports whether a text has a boundary of grapheme clusters there,
// or begins with a cluster that is longer than an excerpt.
func clusterEndsAt(s string, at int) bool {
	if at == 0 {
		return true
	}
	first := true
	for clusters := uniseg.NewGraphemes(s); clusters.Next(); first = false {
		_, end := clusters.Positions()
		if end == at || first && utf8.RuneCountInString(clusters.Str()) > 200 {
			return true
		}
	}
	return false
}

func FuzzExcerpt(f *testing.F) {
	f.Add("Hello, " + strings.Repeat("wörld 🇩🇪 ", 50))
	f.Fuzz(func(t *testing.T, content string) {
		if utf8.ValidString(content) {
			checkExcerpt(t, content)
		}
	})
}
