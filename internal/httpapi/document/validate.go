package document

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"broadsheet/internal/httpapi/coerce"
)

// maxSuggesting is how long a text may be, in bytes, for its errors to suggest names: that takes 3 ms for one name.
const maxSuggesting = 16 << 10

// maxErrors is how many errors are looked for in a document: one more than are sent.
const maxErrors = 21

// enough ends a validation that has found that many.
type enough struct{}

// rulesOf returns the rules of the specification, in the order of their names. An error that suggests names shows of a
// schema what introspection does.
func rulesOf(inputs *coerce.Types, suggesting bool) (sorted []core.Rule) {
	all := rules.NewDefaultRules()
	if suggesting {
		all.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, inputs.Rule(rules.ValuesOfCorrectTypeRule).RuleFunc)
	} else {
		for _, silent := range []core.Rule{
			rules.FieldsOnCorrectTypeRuleWithoutSuggestions, rules.KnownArgumentNamesRuleWithoutSuggestions,
			rules.KnownTypeNamesRuleWithoutSuggestions, rules.ScalarLeafsRuleWithoutSuggestions,
			inputs.Rule(rules.ValuesOfCorrectTypeRuleWithoutSuggestions),
		} {
			all.RemoveRule(strings.TrimSuffix(silent.Name, "WithoutSuggestions"))
			all.AddRule(silent.Name, silent.RuleFunc)
		}
	}
	byName := all.GetInner()
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		sorted = append(sorted, core.Rule{Name: name, RuleFunc: byName[name]})
	}
	return sorted
}

// validate returns what is wrong with a document, up to maxErrors. gqlparser's own function sorts its rules anew for each
// document.
func (d *Documents) validate(doc *ast.QueryDocument, by []core.Rule) (errs gqlerror.List) {
	defer func() {
		if cause := recover(); cause != nil && cause != (enough{}) {
			panic(cause)
		}
	}()
	observers := &core.Events{}
	for _, rule := range by {
		rule.RuleFunc(observers, func(options ...core.ErrorOption) {
			err := &gqlerror.Error{Rule: rule.Name}
			for _, option := range options {
				option(err)
			}
			if errs = append(errs, err); len(errs) == maxErrors {
				panic(enough{}) // the library has no other way out
			}
		})
	}
	core.Walk(d.schema, doc, observers)
	return errs
}
