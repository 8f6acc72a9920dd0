package house

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
)

func TestEveryCommandHasItsFiles(t *testing.T) {
	for command := range reflect.TypeFor[blog.Commands]().Methods() {
		name := snake(command.Name) + ".go"
		inStores, resolver, suite := name, name, name
		if of, _ := blog.ReactionTo(strings.ToLower(command.Name[:1]) + command.Name[1:]); of != nil { // kinds are alike in the stores
			inStores, resolver, suite = "react.go", of.Them+".go", "react.go"
		}
		if _, declared := reflect.TypeFor[blog.Declared]().MethodByName(command.Name); declared {
			wantMethod(t, "blog/declared_commands.go", "Declared", command.Name)
		} else {
			for _, store := range stores {
				wantMethod(t, store+"/"+inStores, "Store", command.Name)
			}
		}
		wantMethod(t, "resolvers/"+resolver, "mutation", command.Name)
		if file := "internal/storetest/" + suite; !exists(file) {
			t.Errorf("%s is missing: the suite has a file for each command", file)
		}
	}
}

func TestEveryMutationIsACommand(t *testing.T) {
	commands := reflect.TypeFor[blog.Commands]()
	for _, field := range graphQL(t).Mutation.Fields {
		if _, ok := commands.MethodByName(pascal(field.Name)); !ok {
			t.Errorf("schema.graphqls has the mutation %s, blog.Commands no %s", field.Name, pascal(field.Name))
		}
	}
	for command := range commands.Methods() {
		if graphQL(t).Mutation.Fields.ForName(strings.ToLower(command.Name[:1])+command.Name[1:]) == nil {
			t.Errorf("blog.Commands has %s, schema.graphqls no mutation for it", command.Name)
		}
	}
}

// A query's resolver is in the file of the table that answers it, or in that of all reactions, or
// in node.go, which is for all that an id names.
func TestEveryQueryHasItsResolver(t *testing.T) {
	files := []string{"resolvers/node.go"}
	for _, k := range blog.ReactionKinds {
		files = append(files, "resolvers/"+k.Them+".go")
	}
	for _, row := range productmap.Queries {
		files = append(files, "resolvers/"+string(row.Table)+".go")
	}
	resolvers := map[string]bool{}
	for _, f := range parsed(t) {
		if slices.Contains(files, f.path) {
			for _, method := range f.methods("query") {
				resolvers[method] = true
			}
		}
	}
	for _, field := range queries(t) {
		if !resolvers[pascal(field.Name)] {
			t.Errorf("none of %v has the query %s's resolver, which should be in the file of its table", files, field.Name)
		}
	}
}

func TestEveryQueryIsInTheMap(t *testing.T) {
	var said string
	for _, row := range productmap.Queries {
		said += row.GraphQL + "\n"
	}
	for _, field := range queries(t) {
		if field.Name != "nodes" && !regexp.MustCompile(`\b`+field.Name+`\b`).MatchString(said) {
			t.Errorf("productmap.Queries says nowhere what answers the query %s: add it to the row of its table", field.Name)
		}
	}
	for _, name := range regexp.MustCompile(`\b([A-Z]\w+)\.(\w+)`).FindAllStringSubmatch(said, -1) {
		if of := graphQL(t).Types[name[1]]; of == nil || of.Fields.ForName(name[2]) == nil {
			t.Errorf("productmap.Queries names %s, which schema.graphqls has not", name[0])
		}
	}
}

func graphQL(t *testing.T) *ast.Schema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: text(t, "schema.graphqls")})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// queries returns the fields of Query that are ours, and not GraphQL's own.
func queries(t *testing.T) []*ast.FieldDefinition {
	return slices.DeleteFunc(slices.Clone(graphQL(t).Query.Fields), func(f *ast.FieldDefinition) bool {
		return strings.HasPrefix(f.Name, "__")
	})
}

// snake returns the base name of a command's files: like_post of LikePost.
func snake(name string) string {
	return strings.ToLower(regexp.MustCompile(`\B[A-Z]`).ReplaceAllString(name, "_$0"))
}
