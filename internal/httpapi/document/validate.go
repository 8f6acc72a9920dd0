package document

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// maxErrors is how many errors are looked for in a document: one more than are told, so that it is
// known that there are more.
const maxErrors = 21

// enough ends a validation that has found that many.
type enough struct{}

// validate returns what is wrong with a document, up to maxErrors.
func (d *Documents) validate(doc *ast.QueryDocument, suggesting bool) (errs gqlerror.List) {
	defer func() {
		if cause := recover(); cause != nil && cause != (enough{}) {
			panic(cause)
		}
	}()
	checked := d.rules(suggesting)
	for name, rule := range checked.GetInner() {
		checked.ReplaceRule(name, func(observers *core.Events, _ core.AddErrFunc) {
			rule(observers, func(options ...core.ErrorOption) {
				err := &gqlerror.Error{Rule: name}
				for _, option := range options {
					option(err)
				}
				if errs = append(errs, err); len(errs) == maxErrors {
					panic(enough{}) // the library has no other way out
				}
			})
		})
	}
	validator.ValidateWithRules(d.schema, doc, checked)
	return errs
}

// How long a text may be, and a name in it, in bytes, for its errors to suggest names. An unknown
// name is compared with the schema's, letter by letter.
const (
	maxSuggesting     = 16 << 10
	maxSuggestingName = 64
)

// suggests reports whether the errors of a text suggest names.
func suggests(text string) bool {
	if len(text) > maxSuggesting {
		return false
	}
	name := 0
	for i := range len(text) {
		if name++; !inName(text[i]) {
			name = 0
		}
		if name > maxSuggestingName {
			return false
		}
	}
	return true
}

func inName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
