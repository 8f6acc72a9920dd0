package resolvers_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
)

// asked are the arguments of the query's fields that return an object or a list of them;
// the ids are those of everyFieldOf's objects.
var asked = map[string]string{
	"viewer":    "",
	"user":      `(id: "<User>")`,
	"post":      `(id: "<Post>")`,
	"group":     `(id: "<Group>")`,
	"feed":      "(first: 100)",
	"userPosts": `(userId: "<User>", first: 100)`,
	"comments":  `(postId: "<Post>", first: 100)`,
	"threads":   `(postId: "<Post>", first: 100)`,
	"thread":    `(commentId: "<Comment>", first: 100)`,
}

// parents are the types below which objects are read.
var parents = []string{"Query", "User", "Post", "Comment", "Group"}

func init() {
	for _, k := range blog.ReactionKinds {
		if k.ID != 0 {
			asked[k.Them] = `(postId: "<Post>", first: 100)`
			parents = append(parents, objectOf(k))
		}
	}
}

// objectOf is a kind's type in the schema.
func objectOf(k *blog.ReactionKind) string { return strings.ToUpper(k.Name[:1]) + k.Name[1:] }

// Each field of an object is the same wherever the object is read: by its id, in every
// list, below every other object. The places and the fields are the schema's own.
func TestEveryFieldEverywhere(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			sc := newScene(t, s)
			ids := sc.edited()
			for object := range ids {
				truth := sc.objects(t, "a", fmt.Sprintf(`{node(id: "%s") {... on %s {%s}}}`, ids[object], object, wholeOf(schema, object)), object, ids)
				if len(truth) != 1 {
					t.Fatalf("node finds %d objects of %s", len(truth), object)
				}
				for field, value := range truth[0] {
					of := strings.HasPrefix(field, "viewerCan") || field == "viewerFollows" // which a suspended viewer can't, nor itself
					if value == nil || value == "" || value == false && !of || value == 0.0 {
						t.Errorf("%s.%s is %v: have edited() set it", object, field, value)
					}
				}
				for place, query := range placesOf(t, schema, object) {
					found := sc.objects(t, "a", query, object, ids)
					if len(found) == 0 {
						t.Errorf("%s: the %s is not there", place, object)
					}
					for _, is := range found {
						for field := range truth[0] {
							if !reflect.DeepEqual(is[field], truth[0][field]) {
								t.Errorf("%s: %s.%s is %v, and %v by its id", place, object, field, is[field], truth[0][field])
							}
						}
					}
				}
			}
		})
	}
}

// edited makes alice's account, a post, a comment and her reactions have something in
// each field, and returns their ids.
func (s *scene) edited() map[string]string {
	s.t.Helper()
	ctx, alice := s.t.Context(), s.users["alice"].ID
	edit := blog.UpdateUser{Actor: alice}
	storetest.SetTexts(&edit)
	edit.Username, edit.Email = blog.Edit{}, blog.Edit{}
	_, err := s.store.UpdateUser(ctx, edit)
	s.must(err)
	group := blog.CreateGroup{Owner: alice, Name: "a_group"}
	storetest.SetTexts(&group)
	group.Title, group.IdempotencyKey = "A title", nil
	g, err := s.store.CreateGroup(ctx, group)
	s.must(err)
	_, _, err = s.store.JoinGroup(ctx, blog.JoinGroup{Actor: alice, Group: g.ID})
	s.must(err)
	_, err = s.store.UpdateGroup(ctx, blog.UpdateGroup{Actor: alice, Group: g.ID, Moderators: blog.SetModerators([]blog.UserID{alice})})
	s.must(err)
	post, err := s.store.CreatePost(ctx, blog.CreatePost{Author: alice, Title: "A title", Content: "Some content.", Group: g.ID})
	s.must(err)
	p := post.ID
	change := blog.UpdatePost{Actor: alice, Post: p}
	storetest.SetTexts(&change)
	_, err = s.store.UpdatePost(ctx, change)
	s.must(err)
	parent, _, err := s.store.CreateComment(ctx, blog.CreateComment{Author: alice, Post: p, Content: "A comment."})
	s.must(err)
	c, _, err := s.store.CreateComment(ctx, blog.CreateComment{Author: alice, Post: p, Content: "A reply.", Parent: parent.Key()})
	s.must(err)
	s.clock.Advance(time.Minute)
	_, err = s.store.UpdateComment(ctx, blog.UpdateComment{Actor: alice, Key: c.Key(), Content: "Edited."})
	s.must(err)
	ids := map[string]string{"User": relay.EncodeID(alice), "Post": relay.EncodeID(p), "Comment": relay.EncodeID(c.Key())}
	for _, k := range blog.ReactionKinds {
		if k.Parent != blog.AboutPost {
			continue
		}
		given, _, err := storetest.React(ctx, s.store, k, alice, p)
		s.must(err)
		if k.ID != 0 {
			ids[objectOf(k)] = relay.EncodeID(given.Key(k))
		}
	}
	ids["Group"] = relay.EncodeID(g.ID)
	bob := s.users["bob"].ID
	_, _, err = s.store.FollowUser(ctx, blog.FollowUser{Actor: alice, User: bob})
	s.must(err)
	_, _, err = s.store.FollowUser(ctx, blog.FollowUser{Actor: bob, User: alice})
	s.must(err)
	_, err = s.store.SetModerator(ctx, blog.SetModerator{User: alice, Moderator: true})
	s.must(err)
	_, err = s.store.SuspendUser(ctx, blog.SuspendUser{Role: blog.Operator, User: alice})
	s.must(err)
	s.must(s.store.Settle(ctx))
	return ids
}

// whole marks the selections of objects that are compared.
const whole = "whole: __typename"

// wholeOf selects every field of a type; of what it leads to, what a copy may hold.
func wholeOf(schema *ast.Schema, object string) string {
	all := []string{whole}
	for _, field := range schema.Types[object].Fields {
		switch result := field.Type.Name(); {
		case strings.HasPrefix(field.Name, "__"):
		case result == "User":
			all = append(all, field.Name+" {id username}")
		case strings.HasSuffix(result, "Connection"):
			all = append(all, field.Name+" {edges {node {id}}}")
		case schema.Types[result].Kind == ast.Object:
			all = append(all, field.Name+" {id}")
		default:
			all = append(all, field.Name)
		}
	}
	return strings.Join(all, " ")
}

// placesOf returns a query for each place of the schema where objects of a type are read.
func placesOf(t *testing.T, schema *ast.Schema, object string) map[string]string {
	t.Helper()
	places := map[string]string{}
	for _, parent := range parents {
		for _, field := range schema.Types[parent].Fields {
			selection := " {" + wholeOf(schema, object) + "}"
			if object == "Comment" && field.Type.Name() == "ThreadConnection" {
				selection = " {edges {node {comment" + selection + "}}}"
			} else if field.Type.Name() == object+"Connection" {
				selection = " {edges {node" + selection + "}}"
			} else if field.Type.Name() != object {
				continue
			}
			place := parent + "." + field.Name
			if place == "User.followers" || place == "User.following" || place == "Query.home" {
				continue // the object is no follower of its own: the scene of follows has them
			}
			arguments, known := asked[field.Name]
			switch {
			case parent == "Query" && !known:
				t.Errorf("say in asked what %s is asked with", place)
			case parent == "Query":
				places[place] = "{" + field.Name + arguments + selection + "}"
			case field.Arguments.ForName("first") != nil:
				places[place] = fmt.Sprintf(`{node(id: "<%s>") {... on %s {%s(first: 100)%s}}}`, parent, parent, field.Name, selection)
			default:
				places[place] = fmt.Sprintf(`{node(id: "<%s>") {... on %s {%s%s}}}`, parent, parent, field.Name, selection)
			}
		}
	}
	return places
}

// objects returns the objects with the type's id that a query of a subject's answers.
func (s *scene) objects(t *testing.T, subject, query, object string, ids map[string]string) (found []map[string]any) {
	t.Helper()
	for name, id := range ids {
		query = strings.ReplaceAll(query, "<"+name+">", id)
	}
	response := s.api.do(as(t, subject), graphql.RawParams{Query: query})
	if len(response.Errors) > 0 {
		t.Fatalf("%s: %v", query, response.Errors)
	}
	var answer any
	if err := json.Unmarshal(response.Data, &answer); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if v["whole"] == object && v["id"] == ids[object] {
				found = append(found, v)
			}
			for _, part := range v {
				walk(part)
			}
		case []any:
			for _, part := range v {
				walk(part)
			}
		}
	}
	walk(answer)
	return found
}
