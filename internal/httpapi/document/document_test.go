package document_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"golang.org/x/time/rate"

	"broadsheet/graph"
	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/relay"
)

var schema = graph.NewExecutableSchema(graph.Config{}).Schema()

// small are limits that a test can reach without writing much.
var small = limit.Values{limit.Tokens: 60, limit.Depth: 4, limit.Selections: 12, limit.Aliases: 2, limit.Directives: 3}

func repeat(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format+" ", i)
	}
	return all.String()
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		limit string // that it is beyond; empty: none
	}{
		"fields":                               {"{feed {edges {node {id title excerpt version createdAt}}}}", ""},
		"as many selections as may be":         {"{viewer {" + strings.Repeat("id ", 11) + "}}", ""},
		"one more":                             {"{viewer {" + strings.Repeat("id ", 12) + "}}", "selections"},
		"as deep as may be":                    {"{feed {edges {node {id}}}}", ""},
		"one level more":                       {"{feed {edges {node {author {id}}}}}", "depth"},
		"deeper by fragments":                  {"{feed {edges {node {...P}}}} fragment P on Post {author {id}}", "depth"},
		"deep in a fragment that none spreads": {"{viewer {id}} fragment F on Query {feed {edges {node {author {id}}}}}", "depth"},
		"aliases":                              {"{a: viewer {id} b: viewer {id}}", ""},
		"aliases of two operations":            {"query A {a: viewer {id} b: viewer {id}} query B {a: viewer {id} b: viewer {id}}", ""},
		"an alias more":                        {"{a: viewer {id} b: viewer {id} c: viewer {id}}", "aliases"},
		"aliases by fragments":                 {"{...A ...A ...A} fragment A on Query {a: __typename}", "aliases"},
		"an alias that is the name":            {"{" + strings.Repeat("viewer: viewer {id} ", 3) + "}", ""},
		"directives, with a value each":        {"{viewer @skip(if: false) {" + strings.Repeat("id @include(if: true) ", 2) + "bio}}", ""},
		"values of directives":                 {"{viewer @skip(if: false) {" + strings.Repeat("id @include(if: true) ", 2) + "bio a: id b: id} __typename}", "selections"},
		"a directive more":                     {"{viewer @skip(if: false) {" + strings.Repeat("id @include(if: true) ", 3) + "}}", "directives"},
		"directives of fragments":              {"{...V ...V} fragment V on Query {id @skip @include}", "directives"},
		"directives of an operation":           {"query" + strings.Repeat(" @d", 12) + " {__typename}", "selections"},
		"directives of a variable":             {"query($v: ID" + strings.Repeat(" @d", 12) + ") {__typename}", "selections"},
		"directives of a fragment's own":       {"{__typename} fragment F on Query" + strings.Repeat(" @d", 11) + " {__typename}", "selections"},
		"fragments of fragments of fragments":  {"{...A} fragment A on Query {...B ...B ...B} fragment B on Query {...C ...C ...C} fragment C on Query {__typename viewer {id}}", "selections"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := document.New(schema, relay.Scalars, &small, true).Prepare(t.Context(), nil, c.text)
			if got := limitOf(errs); got != c.limit || c.limit == "" && errs != nil || c.limit != "" && codeOf(errs) != "QUERY_TOO_COMPLEX" {
				t.Errorf("%v, not beyond %q", errs, c.limit)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for n, name := range map[int]string{48: "", 49: "tokens"} {
		d := document.New(schema, relay.Scalars, &limit.Values{limit.Tokens: 60, limit.Depth: 4, limit.Selections: 100, limit.Aliases: 2, limit.Directives: 2}, true)
		if _, errs := d.Prepare(t.Context(), nil, "{nodes(ids: ["+repeat(n, "%d")+"]) {id}}"); limitOf(errs) != name {
			t.Errorf("%d ids: beyond %q, not %q", n, limitOf(errs), name)
		}
	}
}

// What a few bytes of fragments stand for, and what validation would take seconds for.
func TestDocumentsThatCostMoreThanTheyShow(t *testing.T) {
	t.Parallel()
	bomb := "{...F0}"
	for i := range 30 {
		bomb += fmt.Sprintf(" fragment F%d on Query {...F%d ...F%d}", i, i+1, i+1)
	}
	bomb += " fragment F30 on Query {__typename}"
	wide := "{"
	for range 40 {
		wide += "feed {" + strings.Repeat("edges {cursor} ", 40) + "}"
	}
	for name, c := range map[string]struct{ text, limit string }{
		"2 to the power of 30 fields":         {bomb, "selections"},
		"a field 4,990 times":                 {"{" + strings.Repeat("__typename ", 4990) + "}", "repetition"},
		"aliases of aliases":                  {"{" + repeat(10, "a%d: feed {...E}") + "} fragment E on PostConnection {" + repeat(11, "b%d: edges {...N} ") + "} fragment N on PostEdge {" + repeat(10, "c%d: node {id} ") + "}", "aliases"},
		"an unknown one":                      {"{" + strings.Repeat("nothing ", 4990) + "}", "repetition"},
		"in inline fragments":                 {"{" + strings.Repeat("...{__typename} ", 2400) + "}", "repetition"},
		"below a field that is repeated, too": {wide + "}", "repetition"},
		"with long arguments":                 {"{" + strings.Repeat("nodes(ids: ["+strings.Repeat("1 ", 60)+"]) {id} ", 130) + "}", "selections"},
		"2,000 fragments that there are not":  {"{" + repeat(2000, "...F%d") + "}", "repetition"},
		"900 fragments at one place":          {"{" + repeat(900, "...F%d") + "}" + repeat(900, "fragment F%[1]d on Query {f%[1]d}"), "repetition"},
		"an operation for each of its fields": {repeat(1900, "query Q%d {id}"), ""},
		"a fragment in many operations":       {"fragment F on Query {" + repeat(100, "x%d") + "} " + repeat(100, "query Q%d {...F}"), "selections"},
		"a chain of fragments": {"{...F0} " + func() string {
			chain := ""
			for i := range 300 {
				chain += fmt.Sprintf("fragment F%d on Query {x%d ...F%d} ", i, i, i+1)
			}
			return chain + "fragment F300 on Query {x}"
		}(), "selections"},
		"long lists in a fragment of many operations": {"fragment F on Query {nodes(ids: [" + repeat(500, "%d") + "]) {id}} " + repeat(20, "query Q%d {...F}"), "selections"},
		"a field that is repeated sensibly":           {"{" + strings.Repeat("viewer {id username} ", 100) + "}", ""},
		"fragments that repeat each other":            {"{viewer {" + repeat(50, "...F%d") + "}} " + repeat(50, "fragment F%d on User {id username displayName bio version}"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := document.New(schema, relay.Scalars, &limit.Default, true).Prepare(t.Context(), nil, c.text)
			if got := limitOf(errs); got != c.limit {
				t.Errorf("beyond %q, not %q: %v", got, c.limit, errs[:min(len(errs), 1)])
			}
		})
	}
}

func TestFragmentsThatSpreadThemselves(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one":   "{viewer {...A}} fragment A on User {id ...A}",
		"two":   "{viewer {...A}} fragment A on User {...B} fragment B on User {id ...A}",
		"three": "{viewer {...A}} fragment A on User {...B ...B} fragment B on User {...C ...C} fragment C on User {...A ...A ...B}",
		"below": "{...A} fragment A on Query {feed {edges {node {author {...U}}}}} fragment U on User {posts {edges {node {author {...U}}}}}",
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := document.New(schema, relay.Scalars, &limit.Default, true).Prepare(t.Context(), nil, text)
			if codeOf(errs) != "GRAPHQL_VALIDATION_FAILED" || !strings.Contains(errs[0].Message, "within itself") {
				t.Errorf("%v", errs)
			}
		})
	}
}

// gqlparser reads a number and a name where the specification has an error.
func TestANumberThatANameFollows(t *testing.T) {
	t.Parallel()
	docs := document.New(schema, nil, &limit.Default, true)
	for text, refused := range map[string]bool{
		`{nodes(ids: [0x1]) {id}}`: true, `{nodes(ids: [1.5e3z]) {id}}`: true, `{feed(first:1after:"x") {edges {cursor}}}`: true,
		`{nodes(ids: [0 x1]) {id}}`: false, `{nodes(ids: ["0x1", "1a"]) {id}}`: false, `{a0x1: nodes(ids: [1,]) {id}}`: false,
	} {
		_, errs := docs.Prepare(t.Context(), nil, text)
		if got := codeOf(errs) == "GRAPHQL_PARSE_FAILED"; got != refused {
			t.Errorf("%s: %v", text, errs)
		}
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	d := document.New(schema, relay.Scalars, &limit.Default, true)
	for text, code := range map[string]string{
		"{viewer {id}}":                      "",
		"{":                                  "GRAPHQL_PARSE_FAILED",
		"":                                   "OPERATION_RESOLUTION_FAILURE",
		"{nothing}":                          "GRAPHQL_VALIDATION_FAILED",
		"{__schema {types {name}}}":          "",
		"query A {__typename} {__typename}":  "GRAPHQL_VALIDATION_FAILED",
		"fragment A on Query {viewer {id}}":  "OPERATION_RESOLUTION_FAILURE",
		"{viewer {id}} type Query {id: ID!}": "GRAPHQL_PARSE_FAILED",
	} {
		if _, errs := d.Prepare(t.Context(), nil, text); codeOf(errs) != code {
			t.Errorf("%q: %v, not %q", text, errs, code)
		}
	}
}

// Without introspection nothing tells what the schema's names are.
func TestIntrospectionOff(t *testing.T) {
	t.Parallel()
	d := document.New(schema, relay.Scalars, &limit.Default, false)
	for text, code := range map[string]string{
		"{__schema {types {name}}}":                            "INTROSPECTION_DISABLED",
		`{__type(name: "User") {name}}`:                        "INTROSPECTION_DISABLED",
		"{...A} fragment A on Query {__schema {types {name}}}": "INTROSPECTION_DISABLED",
		"{__typename viewer {__typename id}}":                  "",
	} {
		if _, errs := d.Prepare(t.Context(), nil, text); codeOf(errs) != code {
			t.Errorf("%q: %v, not %q", text, errs, code)
		}
	}
	for _, text := range []string{"{viewr {id}}", "{viewer {usernam}}", "{feed(fist: 3) {edges {cursor}}}", "{...A} fragment A on Usr {id}", "{viewer}", `{comments(postId: "p", order: NEWEST) {totalCount}}`} {
		_, errs := d.Prepare(t.Context(), nil, text)
		if errs == nil || strings.Contains(errs.Error(), "Did you mean") {
			t.Errorf("%q: %v", text, errs)
		}
	}
}

// Names are suggested while it is cheap to find them: each unknown name is compared with all
// of the schema's, letter by letter.
func TestLongTextsGetNoSuggestions(t *testing.T) {
	t.Parallel()
	d := document.New(schema, relay.Scalars, &limit.Default, true)
	for _, text := range []string{"{viewr {id}}", "{feed(fist: 3) {edges {cursor}}}", "{...A} fragment A on Usr {id}", "{viewer}", `{comments(postId: "p", order: NEWEST_FIRS) {totalCount}}`} {
		for length, suggests := range map[int]bool{len(text): true, 16 << 10: true, 16<<10 + 1: false, 1 << 20: false} {
			_, errs := d.Prepare(t.Context(), nil, text+strings.Repeat(" ", length-len(text)))
			if errs == nil || strings.Contains(errs.Error(), "Did you mean") != suggests {
				t.Errorf("%s, %d bytes: %v", text, length, errs)
			}
		}
	}
}

// Validation ends with one error more than are told.
func TestValidationEnds(t *testing.T) {
	t.Parallel()
	d := document.New(schema, relay.Scalars, &limit.Default, true)
	for wrong, found := range map[int]int{1: 1, 20: 20, 21: 21, 4000: 21} {
		if _, errs := d.Prepare(t.Context(), nil, "{"+repeat(wrong, "wrong%d ")+"}"); len(errs) != found {
			t.Errorf("%d of %d errors are found", len(errs), wrong)
		}
	}
}

// A new document asks for its work before it is done, one that is kept for none.
func TestWorkOfDocuments(t *testing.T) {
	t.Parallel()
	d := document.New(schema, relay.Scalars, &limit.Default, true)
	for _, c := range []struct {
		text           string
		most, from, to int // units that the client has, and that are spent
		limit          string
	}{
		{"{viewer {id}}", 1000, 1, 2, ""},
		{"{viewer {id}}", 1000, 0, 0, ""},
		{"{" + strings.Repeat("__typename ", 200) + "}", 1000, 60, 70, ""},
		{"{" + repeat(1000, "wrong%d ") + "}", 1000, 60, 80, ""},
		{"{" + repeat(4000, "wrong%d ") + "}", 1000, 250, 300, ""},
		{"{" + repeat(4001, "wrong%d ") + "}", 1, 10, 12, "work"}, // its text leaves the client in debt
		{"{viewer {id} " + strings.Repeat(" ", 1_000_000), 1000, 245, 250, ""},
	} {
		budget := &client.Budget{Client: &client.Client{Work: rate.NewLimiter(1e-9, c.most)}}
		_, errs := d.Prepare(t.Context(), budget, c.text)
		if spent := int(budget.Spent.Load()); limitOf(errs) != c.limit || spent < c.from || spent > c.to {
			t.Errorf("%.20s, %d bytes: %d units are spent, not %d to %d; beyond %q", c.text, len(c.text), spent, c.from, c.to, limitOf(errs))
		}
		budget.Begin(2 * c.most)
		if _, errs := d.Prepare(t.Context(), budget, c.text+" "); limitOf(errs) != "work" {
			t.Errorf("%.20s: without a budget: %v", c.text, errs)
		}
	}
}

// An operation is one of the document of its text, which is kept if it is not too long.
func TestAnOperationHasItsDocument(t *testing.T) {
	t.Parallel()
	d := document.New(schema, relay.Scalars, &limit.Default, true)
	for _, text := range []string{"{viewer {id}}", "{viewer {" + strings.Repeat("id ", 200) + strings.Repeat(",", 3_000_000) + "}}"} {
		var first *document.Document
		for range 2 {
			op, doc, errs := d.Operation(t.Context(), nil, &graphql.RawParams{Query: text})
			if errs != nil {
				t.Fatal(errs)
			}
			if op.Doc != doc.QueryDocument || op.Operation != doc.Operations[0] || op.RawQuery != text {
				t.Errorf("the operation of a text of %d bytes is another's", len(text))
			}
			if first != nil && (first == doc) != (len(text) < 100) {
				t.Errorf("a text of %d bytes is kept: %v", len(text), first == doc)
			}
			first = doc
		}
	}
}

// Clients that send ever new documents don't fill the memory, whether those are long or have
// much in them.
func TestWhatIsKeptIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"long":      "{viewer {id}}" + strings.Repeat(",", 400_000),
		"fields":    "{" + repeat(20, "a%d: viewer {"+strings.Repeat("id ", 50)+"}") + "}",
		"arguments": "{" + repeat(90, `a%d: post(id: "x") {id}`) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			d := document.New(schema, relay.Scalars, &limit.Default, true)
			before := inUse()
			kept, errs := d.Prepare(t.Context(), nil, text)
			if errs != nil {
				t.Fatal(errs)
			}
			if again, _ := d.Prepare(t.Context(), nil, text); again != kept {
				t.Fatal("it is not kept at all")
			}
			for i := range 150 {
				_, _ = d.Prepare(t.Context(), nil, fmt.Sprintf("query N%d ", i)+text)
			}
			if taken := inUse() - before; taken > 6<<20 {
				t.Errorf("%d MB are kept", taken>>20)
			}
			if again, _ := d.Prepare(t.Context(), nil, text); again == kept {
				t.Error("the first is still kept")
			}
		})
	}
}

// inUse returns what is in use of memory, in bytes, after a collection.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func limitOf(errs gqlerror.List) string { return extension(errs, "limit") }

func codeOf(errs gqlerror.List) string { return extension(errs, "code") }

func extension(errs gqlerror.List, name string) string {
	if len(errs) == 0 {
		return ""
	}
	text, _ := errs[0].Extensions[name].(string)
	return text
}
