package blog

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Summary returns an excerpt of Markdown in plain words, on one line: without its commonest marks and the
// addresses of links, and with an ellipsis where it is long and ends within a sentence.
func Summary(excerpt string) string {
	s := summary{text: excerpt, begins: true, close: -1}
	s.plain.Grow(len(excerpt))
	for at := 0; at < len(excerpt); {
		at += s.step(at)
	}
	plain := s.plain.String()
	if last, _ := utf8.DecodeLastRuneInString(plain); utf8.RuneCountInString(excerpt) >= 120 && !strings.ContainsRune(".!?…”\"", last) {
		plain += " …"
	}
	return plain
}

type summary struct {
	text   string
	plain  strings.Builder
	begins bool // a line
	blank  bool // was before
	last   rune
	close  int // where the text of a link ends
}

// step reads what is at a place, and returns its length.
func (s *summary) step(at int) int {
	r, size := utf8.DecodeRuneInString(s.text[at:])
	next, following := utf8.DecodeRuneInString(s.text[at+size:])
	switch {
	case at == s.close:
		if end := strings.IndexByte(s.text[at:], ')'); end >= 0 {
			return end + 1
		}
		return len(s.text) - at
	case unicode.IsSpace(r):
		s.blank, s.begins, s.last = true, s.begins || r == '\n', r
		return size
	case s.marks(r, next):
		s.last = r
		return size
	case r == '!' && next == '[' && linkText(s.text[at+size:]) > 0:
		return size
	case r == '[':
		if end := linkText(s.text[at:]); end > 0 {
			s.close = at + end
			return size
		}
	case r == '\\' && next < utf8.RuneSelf && (unicode.IsPunct(next) || unicode.IsSymbol(next)):
		r, size = next, size+following
	}
	if s.blank && s.plain.Len() > 0 {
		s.plain.WriteByte(' ')
	}
	s.plain.WriteRune(r)
	s.blank, s.begins, s.last = false, false, r
	return size
}

// marks reports whether a character is no word's.
func (s *summary) marks(r, next rune) bool {
	switch r {
	case '#', '>':
		return s.begins
	case '+', '-':
		return s.begins && (unicode.IsSpace(next) || next == r || s.last == r)
	case '*':
		return s.begins || !s.blank || !unicode.IsSpace(next)
	case '_':
		return s.blank || !ofWords(s.last) || !ofWords(next)
	case '~':
		return next == '~' || s.last == '~'
	}
	return r == '`'
}

// linkText returns where the text of a link ends, 0 where none begins.
func linkText(text string) int {
	end := strings.IndexAny(text[1:], "[]\n") + 1
	if end > 0 && strings.HasPrefix(text[end:], "](") {
		return end
	}
	return 0
}
