package document

import (
	"regexp"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
)

var (
	// surrogate is what may be an escaped half of a code point, wherever it stands.
	surrogate = regexp.MustCompile(`\\u[dD][89a-fA-F]`)
	// escapes are the escapes of a string, pairs of halves together; the first group holds
	// a half by itself.
	escapes = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.`)
)

// loneSurrogates returns an error where a string of a document, which was parsed, has an
// escape for one half of a code point without the other: gqlparser puts U+FFFD there.
func loneSurrogates(source *ast.Source) error {
	if !surrogate.MatchString(source.Input) {
		return nil
	}
	runes, tokens := []rune(source.Input), lexer.New(source)
	for {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return err
		}
		if token.Kind != lexer.String {
			continue
		}
		for _, found := range escapes.FindAllStringSubmatch(string(runes[token.Pos.Start:token.Pos.End]), -1) {
			if found[1] != "" {
				return gqlerror.ErrorPosf(&token.Pos, `Invalid Unicode escape sequence: "%s".`, found[1])
			}
		}
	}
}
