package resolvers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// Each field of an input arrives, of whatever mutation that makes or edits an object: a text is
// then what the object has in every place where it is read, and the others do what they are
// for. The mutations, their inputs and the places are the schema's own.
func TestEveryInputArrives(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			w := &writing{scene: newScene(t, s), schema: schema, ids: map[string]string{}, texts: map[string]map[string]any{}}
			verbs := []string{"create"}
			for _, k := range blog.ReactionKinds {
				if k.Parent != blog.AboutPost {
					continue // its object is another's
				}
				verbs = append(verbs, k.Name)
			}
			for _, verb := range append(verbs, "update") {
				for _, object := range []string{"User", "Group", "Post", "Comment"} {
					if m := schema.Mutation.Fields.ForName(verb + object); m != nil {
						w.write(t, m)
					}
				}
				w.everywhere(t, verb)
			}
			for _, m := range schema.Mutation.Fields {
				if strings.HasPrefix(m.Name, "create") || strings.HasPrefix(m.Name, "update") {
					w.refusals(t, m)
				}
			}
		})
	}
}

// writing is what a new subject makes and edits by mutations.
type writing struct {
	*scene
	schema *ast.Schema
	ids    map[string]string         // by type
	texts  map[string]map[string]any // by type and field: what was written last
}

const newSubject = "n"

// inputOf returns the fields of a mutation's input.
func (w *writing) inputOf(m *ast.FieldDefinition) ast.FieldList {
	return w.schema.Types[m.Arguments.ForName("input").Type.Name()].Fields
}

// objectOf returns the field of a mutation's payload that is what it makes or edits, with its type.
func (w *writing) objectOf(t *testing.T, m *ast.FieldDefinition) (field, object string) {
	t.Helper()
	for _, f := range w.schema.Types[m.Type.Name()].Fields {
		if of := f.Type.Name(); w.schema.Types[of].Kind == ast.Object && strings.HasPrefix(strings.ToLower(of), f.Name) && !strings.HasSuffix(of, "Edge") {
			return f.Name, of
		}
	}
	t.Fatalf("%s answers no object", m.Name)
	return "", ""
}

// isText reports whether a field of an input is a text of the object.
func isText(f *ast.FieldDefinition) bool {
	return f.Type.Name() == "String" && f.Name != "idempotencyKey"
}

// write sends a mutation with every field of its input.
func (w *writing) write(t *testing.T, m *ast.FieldDefinition) {
	t.Helper()
	field, object := w.objectOf(t, m)
	input := map[string]any{}
	for _, f := range w.inputOf(m) {
		switch {
		case isText(f):
			input[f.Name] = textOf(m.Name, f.Name)
		case f.Name == "id":
			input[f.Name] = w.ids[object]
		case f.Name == "postId":
			input[f.Name] = w.ids["Post"]
		case f.Name == "groupId":
			input[f.Name] = w.ids["Group"]
		case f.Name == "moderatorIds":
			input[f.Name] = []any{w.ids["User"]}
		case f.Name == "parentId":
			parent, _, err := w.store.CreateComment(t.Context(), blog.CreateComment{Author: w.users["bob"].ID, Post: w.key(t), Content: "A comment."})
			w.must(err)
			input[f.Name] = relay.EncodeID(parent.Key())
			defer func() { w.isReply(t, input[f.Name]) }()
		case f.Name == "idempotencyKey":
			input[f.Name] = "key of " + m.Name
		case f.Name == "expectedVersion":
			input[f.Name] = json.Number("1")
		default:
			t.Fatalf("say here what %s is given for %s, and below what it does", m.Name, f.Name)
		}
	}
	w.clock.Advance(time.Minute)
	made := w.send(t, m, input)
	if len(made.errors) > 0 {
		t.Fatalf("%s: %v", m.Name, made.errors)
	}
	w.ids[object] = made.id
	if w.texts[object] == nil {
		w.texts[object] = map[string]any{}
	}
	for _, f := range w.inputOf(m) {
		if isText(f) {
			w.texts[object][f.Name] = input[f.Name]
		}
	}
	if input["idempotencyKey"] != nil {
		if again := w.send(t, m, input); again.id != made.id {
			t.Errorf("%s with the same key makes %s again: %v %v", m.Name, field, again.id, again.errors)
		}
	}
	w.must(w.store.Settle(t.Context()))
}

// key is that of the post that was made.
func (w *writing) key(t *testing.T) blog.PostID {
	t.Helper()
	key, err := relay.DecodeID[blog.PostID](w.ids["Post"])
	w.must(err)
	return key
}

func (w *writing) isReply(t *testing.T, parent any) {
	t.Helper()
	is := w.objects(t, newSubject, `{node(id: "<Comment>") {... on Comment {whole: __typename id parentId depth}}}`, "Comment", w.ids)
	if len(is) != 1 || is[0]["parentId"] != parent || is[0]["depth"] != 1.0 {
		t.Errorf("the reply to %v is %v", parent, is)
	}
}

// textOf is a text that no other field has, and that any may have.
func textOf(mutation, field string) string {
	if field == "email" {
		return mutation + "." + field + "@example.org"
	}
	return mutation + "_" + field
}

// everywhere compares the objects with what was written, wherever they are read. Where copies of a
// user stand they have the name.
func (w *writing) everywhere(t *testing.T, verb string) {
	t.Helper()
	if len(w.ids) < 3+len(blog.ReactionKinds) { // something lacks that the places are found by
		return
	}
	for object, texts := range w.texts {
		for place, query := range placesOf(t, w.schema, object) {
			found := w.objects(t, newSubject, query, object, w.ids)
			if len(found) == 0 {
				t.Errorf("after %s: %s: the %s is not there", verb, place, object)
			}
			for _, is := range found {
				for field, text := range texts {
					if is[field] != text {
						t.Errorf("after %s: %s: %s.%s is %q, want %q: have the mutation's file in resolvers give the input to the command",
							verb, place, object, field, is[field], text)
					}
				}
				for _, person := range []string{"author", "user"} {
					if u, ok := is[person].(map[string]any); ok && u["username"] != w.texts["User"]["username"] {
						t.Errorf("after %s: %s: the %s of the %s is called %q", verb, place, person, object, u["username"])
					}
				}
			}
		}
	}
}

// refusals has each field of an input refuse what it is there to refuse: a version that is not the
// object's, a text above every bound, and null where the object can't be without. Where it can, null arrives.
func (w *writing) refusals(t *testing.T, m *ast.FieldDefinition) {
	t.Helper()
	field, object := w.objectOf(t, m)
	base := map[string]any{}
	for _, f := range w.inputOf(m) {
		switch {
		case f.Name == "id":
			base[f.Name] = w.ids[object]
		case f.Name == "postId":
			base[f.Name] = w.ids["Post"]
		case f.Type.NonNull:
			base[f.Name] = textOf("refused", f.Name)
		}
	}
	with := func(name string, value any) written {
		input := map[string]any{name: value}
		for name, value := range base {
			if input[name] == nil {
				input[name] = value
			}
		}
		return w.send(t, m, input)
	}
	for _, f := range w.inputOf(m) {
		if isText(f) && with(f.Name, strings.Repeat("x", blog.MaxContentBytes+1)).code == "" {
			t.Errorf("%s takes any %s: give it a bound in the command's Validate (blog/commands.go)", m.Name, f.Name)
		}
		switch {
		case f.Name == "expectedVersion":
			if got := with(f.Name, json.Number("99")); got.code != "VERSION_CONFLICT" {
				t.Errorf("%s with another version: %q", m.Name, got.code)
			}
		case f.Name == "idempotencyKey":
			if got := with(f.Name, "key of "+m.Name); got.code != "INVALID" {
				t.Errorf("%s with a key of another input: %q", m.Name, got.code)
			}
		case !isText(f) || f.Type.NonNull || strings.HasPrefix(m.Name, "create"):
		case w.schema.Types[object].Fields.ForName(f.Name).Type.NonNull:
			if got := with(f.Name, nil); got.code != "INVALID" {
				t.Errorf("%s with %s null: %q", m.Name, f.Name, got.code)
			}
		default:
			with(f.Name, nil)
			is := w.objects(t, newSubject, fmt.Sprintf(`{node(id: "<%s>") {... on %s {%s}}}`, object, object, wholeOf(w.schema, object)), object, w.ids)
			if len(is) != 1 || is[0][f.Name] != nil {
				t.Errorf("%s of %s: %s stays: %v", m.Name, field, f.Name, is)
			}
		}
	}
}

// written is what became of a mutation.
type written struct {
	id     string
	code   string // of the first of its errors
	errors []any
}

// send sends a mutation as the new subject.
func (w *writing) send(t *testing.T, m *ast.FieldDefinition, input map[string]any) (is written) {
	t.Helper()
	field, _ := w.objectOf(t, m)
	query := fmt.Sprintf("mutation($input: %s!) {is: %s(input: $input) {userErrors {code field message} object: %s {id}}}",
		m.Arguments.ForName("input").Type.Name(), m.Name, field)
	response := w.api.do(as(t, newSubject), graphql.RawParams{Query: query, Variables: map[string]any{"input": input}})
	if len(response.Errors) > 0 {
		t.Fatalf("%s %v: %v", m.Name, input, response.Errors)
	}
	var answer struct {
		Is struct {
			UserErrors []any
			Object     *struct{ ID string }
		}
	}
	decode(t, response.Data, &answer)
	is.errors = answer.Is.UserErrors
	if len(is.errors) > 0 {
		is.code, _ = is.errors[0].(map[string]any)["code"].(string)
	}
	if answer.Is.Object != nil {
		is.id = answer.Is.Object.ID
	}
	return is
}
