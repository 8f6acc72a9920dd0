package coerce_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"broadsheet/graph"
	"broadsheet/internal/httpapi/coerce"
	"broadsheet/internal/refusal"
	"broadsheet/internal/relay"
)

// schema has what that of the API has not.
var schema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	type Query { a(matrix: [[Int]], in: In, one: One, any: Any, color: Color): Int }
	input In { n: Int! = 7 color: Color! = RED ids: [ID!] = [1, "b"] in: In name: String! }
	input One @oneOf { n: Int s: String }
	enum Color { RED GREEN }
	scalar Any
`})

var types = coerce.NewTypes(schema, relay.Scalars)

// variables reads the variables of a document's only operation.
func variables(t *testing.T, text, given string) (values, says string) {
	t.Helper()
	doc, errs := gqlparser.LoadQuery(schema, text)
	if errs != nil {
		t.Fatal(errs)
	}
	d := json.NewDecoder(strings.NewReader(given))
	d.UseNumber()
	var decoded map[string]any
	if err := d.Decode(&decoded); err != nil {
		t.Fatal(err)
	}
	coerced, errs := types.Variables(doc.Operations[0], decoded)
	for _, err := range errs {
		if err.Extensions["code"] != refusal.CodeBadUserInput || len(err.Locations) != 1 || err.Path != nil {
			t.Errorf("%+v", err)
		}
		says += err.Message + "\n"
	}
	if errs != nil {
		return "", says
	}
	b, err := json.Marshal(coerced)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), ""
}

func TestVariables(t *testing.T) {
	t.Parallel()
	const (
		matrix = "query($v: [[Int]]) {a(matrix: $v)}"
		in     = "query($v: In) {a(in: $v)}"
		one    = "query($v: One) {a(one: $v)}"
	)
	for _, c := range []struct{ query, given, want string }{
		{matrix, `{"v": [[1], [2.0, null]]}`, `{"v":[[1],[2,null]]}`},
		{matrix, `{"v": [1, null]}`, `{"v":[[1],null]}`},
		{matrix, `{"v": 1}`, `{"v":[[1]]}`},
		{in, `{"v": {"name": "x"}}`, `{"v":{"color":"RED","ids":["1","b"],"n":7,"name":"x"}}`},
		{in, `{"v": {"name": "x", "in": {"name": "y", "n": 1, "ids": null, "color": "GREEN"}, "ids": 5}}`, `{"v":{"color":"RED","ids":["5"],"in":{"color":"GREEN","ids":null,"n":1,"name":"y"},"n":7,"name":"x"}}`},
		{one, `{"v": {"n": 1}}`, `{"v":{"n":1}}`},
		{"query($v: Any) {a(any: $v)}", `{"v": {"x": [1.50]}}`, `{"v":{"x":[1.50]}}`},
		{`query($v: In = {name: "x", n: 3}) {a(in: $v)}`, `{}`, `{"v":{"color":"RED","ids":["1","b"],"n":3,"name":"x"}}`},
		{`query($v: Any = {a: [1, 2.5, null, true, RED, "s"]}) {a(any: $v)}`, `{}`, `{"v":{"a":[1,2.5,null,true,"RED","s"]}}`},
		{"query($v: Int) {a(matrix: [[$v]])}", `{"w": 1}`, `{}`},
	} {
		if got, says := variables(t, c.query, c.given); got != c.want {
			t.Errorf("%s %s: %s %s, want %s", c.query, c.given, got, says, c.want)
		}
	}
}

// A message says in GraphQL's words what is wrong, and where, and repeats little.
func TestMessagesOfVariables(t *testing.T) {
	t.Parallel()
	const in = "query($v: In!) {a(in: $v)}"
	for _, c := range []struct{ query, given, want string }{
		{in, `{}`, `Variable "$v" of required type "In!" was not provided.`},
		{in, `{"v": null}`, `Variable "$v" of non-null type "In!" must not be null.`},
		{in, `{"v": [1]}`, `Variable "$v" got an invalid value; Expected type "In" to be an object: a list.`},
		{in, `{"v": {"name": null, "n": null}}`, `Variable "$v" got an invalid value at "v.n"; Expected non-nullable type "Int!" not to be null.
Variable "$v" got an invalid value at "v.name"; Expected non-nullable type "String!" not to be null.`},
		{in, `{"v": {"y": 1, "x": 1}}`, `Variable "$v" got an invalid value; Field "In.name" of required type "String!" was not provided.
Variable "$v" got an invalid value; Field "x" is not defined by type "In".
Variable "$v" got an invalid value; Field "y" is not defined by type "In".`},
		{in, `{"v": {"name": {"a": 1}}}`, `Variable "$v" got an invalid value at "v.name"; String cannot represent a non string value: an object`},
		{in, `{"v": {"name": "x", "in": {"name": "y", "ids": ["a", 1.5]}}}`, `Variable "$v" got an invalid value at "v.in.ids[1]"; ID cannot represent a non-string and non-integer value: 1.5`},
		{in, `{"v": {"name": "x", "color": "red"}}`, `Variable "$v" got an invalid value at "v.color"; Value "red" does not exist in "Color" enum.`},
		{in, `{"v": {"name": "x", "color": 1}}`, `Variable "$v" got an invalid value at "v.color"; Enum "Color" cannot represent non-string value: 1.`},
		{in, `{"v": {"name": "x", "n": "` + strings.Repeat("9", 1000) + `"}}`, `Variable "$v" got an invalid value at "v.n"; Int cannot represent non-integer value: "` + strings.Repeat("9", 60) + `"…`},
		{in, `{"v": {"name": "x", "n": 12345678901}}`, `Variable "$v" got an invalid value at "v.n"; Int cannot represent non 32-bit signed integer value: 12345678901`},
		{"query($v: One) {a(one: $v)}", `{"v": {"n": 1, "s": "x"}}`, `Variable "$v" got an invalid value; Exactly one key must be specified for OneOf type "One".`},
		{"query($v: One) {a(one: $v)}", `{"v": {"n": null}}`, `Variable "$v" got an invalid value at "v.n"; Field "n" must be non-null.`},
		{`query($v: String = "x") {a(in: {name: $v})}`, `{"v": null}`, `Variable "$v" must not be null where type "String!" is expected.`},
	} {
		if _, says := variables(t, c.query, c.given); says != c.want+"\n" {
			t.Errorf("%s %s:\n%swant\n%s", c.query, c.given, says, c.want)
		}
	}
}

// However much is wrong, little is told of it.
func TestMessagesOfVariablesAreBounded(t *testing.T) {
	t.Parallel()
	_, says := variables(t, "query($v: [[Int]]) {a(matrix: $v)}", `{"v": [`+strings.Repeat(`"x",`, 10_000)+`1]}`)
	if n := strings.Count(says, "\n"); n != 50 {
		t.Errorf("%d messages", n)
	}
}

// A literal is refused by validation, once for each place, whatever spreads the fragment
// that it stands in.
func TestRule(t *testing.T) {
	t.Parallel()
	all := rules.NewDefaultRules()
	all.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, types.Rule(rules.ValuesOfCorrectTypeRuleWithoutSuggestions).RuleFunc)
	suggesting := rules.NewDefaultRules()
	suggesting.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, types.Rule(rules.ValuesOfCorrectTypeRule).RuleFunc)
	for _, c := range []struct{ value, want, suggested string }{
		{`matrix: [[1], [], 2, null]`, ``, ``},
		{`matrix: [["1"]]`, `Int cannot represent non-integer value: "1"`, ``},
		{`matrix: [[[1]]]`, `Int cannot represent non-integer value: [1]`, ``},
		{`matrix: 2147483648`, `Int cannot represent non 32-bit signed integer value: 2147483648`, ``},
		{`matrix: {}`, `Int cannot represent non-integer value: {}`, ``},
		{`color: RAD`, `Value "RAD" does not exist in "Color" enum.`, ` Did you mean the enum value "RED"?`},
		{`color: "RED"`, `Enum "Color" cannot represent non-enum value: "RED".`, ` Did you mean the enum value "RED"?`},
		{`color: {a: 1}`, `Enum "Color" cannot represent non-enum value: {a:1}.`, ``},
		{`in: 1`, `Expected value of type "In", found 1.`, ``},
		{`in: [{name: "x"}]`, `Expected value of type "In", found [{name:"x"}].`, ``},
		{`in: {name: null}`, `Expected value of type "String!", found null.`, ``},
		{`in: {nmae: "x", name: "y"}`, `Field "nmae" is not defined by type "In".`, ` Did you mean "name"?`},
		{`in: {}`, `Field "In.name" of required type "String!" was not provided.`, ``},
		{`one: {n: 1, s: "x"}`, `OneOf Input Object "One" must specify exactly one key.`, ``},
		{`one: {n: null}`, `Field "One.n" must be non-null.`, ``},
		{`any: [1, {a: RED}]`, ``, ``},
	} {
		text := "{...F ...F} fragment F on Query {a(" + c.value + ")}"
		for options, suggested := range map[*rules.Rules]string{all: "", suggesting: c.suggested} {
			_, errs := gqlparser.LoadQueryWithRules(schema, text, options)
			says := ""
			for _, err := range errs {
				says += err.Message
			}
			if want := c.want + suggested; c.want == "" && says != "" || c.want != "" && says != want {
				t.Errorf("%s: %q, want %q", c.value, says, want)
			}
		}
	}
}

// Every scalar that a request may give a value for is read by our own rules.
func TestEveryScalarOfTheSchemaIsRead(t *testing.T) {
	t.Parallel()
	api := graph.NewExecutableSchema(graph.Config{}).Schema()
	check := func(at string, of *ast.Type) {
		if def := api.Types[of.Name()]; def.Kind == ast.Scalar && relay.Scalars[def.Name] == nil {
			t.Errorf("%s: relay.Scalars lacks %s: it would take every value", at, def.Name)
		}
	}
	for _, def := range api.Types {
		for _, field := range def.Fields {
			if def.Kind == ast.InputObject {
				check(def.Name+"."+field.Name, field.Type)
			}
			for _, argument := range field.Arguments {
				check(def.Name+"."+field.Name+"."+argument.Name, argument.Type)
			}
		}
	}
}
