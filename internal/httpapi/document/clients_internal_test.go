package document

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"

	"broadsheet/internal/httpapi/limit"
)

// What the project's own clients send is within the limits of a public server: the app, the playground,
// the guide's clients of Apollo, urql, Relay, Go and Python, what Relay's and Apollo's tools make, and the
// introspection of GraphiQL, as graphql-js writes it with all of its options.
func TestClientsAreWithinPublicLimits(t *testing.T) {
	t.Parallel()
	sources := map[string][]string{
		"app": templates(t, "../../../web/src"), "apollo": templates(t, "../../../clients/guide/apollo"), "urql": templates(t, "../../../clients/guide/urql"),
		"relay": templates(t, "../../../clients/guide/relay"), "go": files(t, "../../../clients/guide/go"), "python": files(t, "../../../clients/guide/python"),
		"relay-compiler": manifest(t, "../testdata/trusted/relay.json"), "apollo's manifest": manifest(t, "../testdata/trusted/apollo.json"),
		"GraphiQL": {introspection},
	}
	for i, text := range files(t, "../playground/operations") { // each is a document of its own
		sources["playground "+string(rune('a'+i))] = []string{text}
	}
	public, err := limit.For("public", true)
	if err != nil {
		t.Fatal(err)
	}
	var most limit.Values
	operations := 0
	for client, texts := range sources {
		for name, text := range documents(t, client, texts) {
			operations++
			doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, public.Int(limit.Tokens))
			if err != nil {
				t.Errorf("%s, %s: %v", client, name, err)
				continue
			}
			s, tooLarge := measure(doc, &public)
			if tooLarge != nil {
				t.Errorf("%s, %s: %v", client, name, tooLarge)
			}
			is := limit.Values{limit.Tokens: float64(tokens(t, text)), limit.Depth: float64(s.depth), limit.Selections: float64(s.selections)}
			if client == "GraphiQL" {
				t.Logf("introspection: %v", is)
				continue
			}
			for i := range most {
				most[i] = max(most[i], is[i])
			}
		}
	}
	t.Logf("the most of %d other operations: %v", operations-1, most)
	if operations < 40 {
		t.Errorf("only %d operations were found", operations)
	}
}

// documents returns each operation of a client's texts with the fragments that it needs, as its tools
// would send it.
func documents(t *testing.T, client string, texts []string) map[string]string {
	t.Helper()
	all := &ast.QueryDocument{}
	fragments := map[string]*ast.FragmentDefinition{}
	for _, text := range texts {
		doc, err := parser.ParseQuery(&ast.Source{Input: text})
		if err != nil {
			t.Fatalf("%s: %v\n%s", client, err, text)
		}
		all.Operations = append(all.Operations, doc.Operations...)
		for _, f := range doc.Fragments {
			fragments[f.Name] = f
		}
	}
	made := map[string]string{}
	for _, op := range all.Operations {
		needed := map[string]bool{}
		neededBy(op.SelectionSet, fragments, needed)
		doc := &ast.QueryDocument{Operations: ast.OperationList{op}}
		for _, name := range slices.Sorted(maps.Keys(needed)) {
			doc.Fragments = append(doc.Fragments, fragments[name])
		}
		var text strings.Builder
		formatter.NewFormatter(&text).FormatQueryDocument(doc)
		made[op.Name] = text.String()
	}
	return made
}

// neededBy adds the fragments that selections need to those that are needed.
func neededBy(set ast.SelectionSet, known map[string]*ast.FragmentDefinition, needed map[string]bool) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			neededBy(s.SelectionSet, known, needed)
		case *ast.InlineFragment:
			neededBy(s.SelectionSet, known, needed)
		case *ast.FragmentSpread:
			if f := known[s.Name]; f != nil && !needed[s.Name] {
				needed[s.Name] = true
				neededBy(f.SelectionSet, known, needed)
			}
		}
	}
}

var template = regexp.MustCompile("\\b(?:graphql|gql)\\(?\\s*`(\\s*(?:query|mutation|subscription|fragment)\\b[^`]*)`")

// templates returns the documents in a folder's programs.
func templates(t *testing.T, folder string) (texts []string) {
	t.Helper()
	read(t, folder, []string{".ts", ".tsx"}, func(text string) {
		for _, found := range template.FindAllStringSubmatch(text, -1) {
			texts = append(texts, found[1])
		}
	})
	return texts
}

// files returns the documents that are files of a folder.
func files(t *testing.T, folder string) (texts []string) {
	t.Helper()
	read(t, folder, []string{".graphql"}, func(text string) { texts = append(texts, text) })
	return texts
}

// read reads the files of a folder with some endings; what npm has put there is not read.
func read(t *testing.T, folder string, endings []string, found func(text string)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == "node_modules" || entry.Name() == "schema.graphql":
			return fs.SkipDir
		case !slices.Contains(endings, path.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(name)
		found(string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// manifest returns the documents of a manifest of trusted ones: Relay's, by id, or Apollo's.
func manifest(t *testing.T, name string) (texts []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var apollo struct{ Operations []struct{ Body string } }
	if err := json.Unmarshal(text, &apollo); err == nil && len(apollo.Operations) > 0 {
		for _, op := range apollo.Operations {
			texts = append(texts, op.Body)
		}
		return texts
	}
	var relay map[string]string
	if err := json.Unmarshal(text, &relay); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Values(relay))
}

func tokens(t *testing.T, text string) (n int) {
	t.Helper()
	for lex := lexer.New(&ast.Source{Input: text}); ; n++ {
		token, err := lex.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		if token.Kind == lexer.EOF {
			return n
		}
	}
}

const introspection = `query IntrospectionQuery {
  __schema {
    description queryType { name kind } mutationType { name kind } subscriptionType { name kind }
    types { ...FullType }
    directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description specifiedByURL isOneOf
  fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
  inputFields(includeDeprecated: true) { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }
}`
