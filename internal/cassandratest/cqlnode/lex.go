package cqlnode

import (
	"fmt"
	"regexp"
	"strings"
)

// kind is what sort of token it is.
type kind int

const (
	end kind = iota
	word
	text   // 'in quotes', held without them
	number // an integer
	uuid
	blob // 0x…
	symbol
)

type token struct {
	kind kind
	text string
}

// is reports whether the token is a symbol, or a word in whatever case.
func (t token) is(s string) bool {
	return t.kind == word && strings.EqualFold(t.text, s) || t.kind == symbol && t.text == s
}

// lexemes are the forms of tokens, in the order in which they are tried.
var lexemes = []struct {
	kind kind
	form *regexp.Regexp
}{
	{uuid, regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)},
	{blob, regexp.MustCompile(`^0[xX][0-9a-fA-F]*`)},
	{number, regexp.MustCompile(`^-?[0-9]+`)},
	{word, regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)},
	{word, regexp.MustCompile(`^"[a-z_][a-z0-9_]*"`)},
	{text, regexp.MustCompile(`^'([^']|'')*'`)},
	{symbol, regexp.MustCompile(`^(<=|>=|[-(),;.=<>?+*\[\]{}:])`)},
}

var blank = regexp.MustCompile(`^(\s+|--[^\n]*|//[^\n]*)+`)

// lex takes a text apart.
func lex(cql string) ([]token, error) {
	var all []token
	for {
		cql = cql[len(blank.FindString(cql)):]
		if cql == "" {
			return all, nil
		}
		t, length := next(cql)
		if length == 0 {
			return nil, fmt.Errorf("can't read CQL from %.40q on", cql)
		}
		all, cql = append(all, t), cql[length:]
	}
}

func next(cql string) (t token, length int) {
	for _, l := range lexemes {
		found := l.form.FindString(cql)
		if found == "" {
			continue
		}
		t = token{l.kind, found}
		switch {
		case l.kind == text:
			t.text = strings.ReplaceAll(found[1:len(found)-1], "''", "'")
		case l.kind == word:
			t.text = strings.Trim(found, `"`)
		}
		return t, len(found)
	}
	return token{}, 0
}
