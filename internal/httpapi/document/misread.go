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

// numberAndName is what may be a number that a name follows at once, wherever it stands.
var numberAndName = regexp.MustCompile(`(?:^|[^0-9A-Za-z_])[0-9][0-9.eE+-]*[A-Za-z_]`)

// misread returns an error where gqlparser has parsed a document that the specification refuses: where a string has an
// escape for one half of a code point alone, and where a name follows a number at once (section 2.9.1), as in 0x1.
func misread(source *ast.Source) error {
	if !surrogate.MatchString(source.Input) && !numberAndName.MatchString(source.Input) {
		return nil
	}
	var before lexer.Token
	runes, tokens := []rune(source.Input), lexer.New(source)
	for {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return err
		}
		if token.Kind == lexer.Name && (before.Kind == lexer.Int || before.Kind == lexer.Float) && token.Pos.Start == before.Pos.End {
			return gqlerror.ErrorPosf(&token.Pos, `Invalid number, expected digit but got: "%s".`, token.Value[:1])
		}
		if before = token; token.Kind != lexer.String {
			continue
		}
		for _, found := range escapes.FindAllStringSubmatch(string(runes[token.Pos.Start:token.Pos.End]), -1) {
			if found[1] != "" {
				return gqlerror.ErrorPosf(&token.Pos, `Invalid Unicode escape sequence: "%s".`, found[1])
			}
		}
	}
}
