package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// decodedInto reads the data of an answer without errors.
func (a answer) decodedInto(data any) {
	a.t.Helper()
	response := struct{ Data any }{data}
	if err := json.Unmarshal([]byte(a.body), &response); err != nil || a.code() != "" {
		a.t.Fatal(a.body, err)
	}
}

// judgedStore is an API with a user, two posts and a comment on the first.
type judgedStore struct {
	server
	posts, comments [2]string // ids; cursors of each post's list, newest first
	userPosts       string    // a cursor
}

var asAlice = []string{"Authorization", "Bearer alice", "Accept", "application/graphql-response+json"}

func newJudged(t *testing.T) judgedStore {
	t.Helper()
	j := judgedStore{server: serving(t)}
	j.query(t, `mutation {createUser(input: {username: "alice"}) {user {id}}}`, asAlice...).want(200, "")
	for i := range j.posts {
		var made struct {
			CreatePost struct{ Post struct{ ID string } }
		}
		j.query(t, `mutation {createPost(input: {title: "t", content: "c"}) {post {id}}}`, asAlice...).decodedInto(&made)
		j.posts[i] = made.CreatePost.Post.ID
		var commented struct {
			CreateComment struct{ CommentEdge struct{ Cursor string } }
		}
		j.query(t, fmt.Sprintf(`mutation {createComment(input: {postId: %q, content: "c"}) {commentEdge {cursor}}}`, j.posts[i]), asAlice...).decodedInto(&commented)
		j.comments[i] = commented.CreateComment.CommentEdge.Cursor
	}
	var listed struct {
		Viewer struct {
			Posts struct{ PageInfo struct{ EndCursor string } }
		}
	}
	j.query(t, `{viewer {posts {pageInfo {endCursor}}}}`, asAlice...).decodedInto(&listed)
	j.userPosts = listed.Viewer.Posts.PageInfo.EndCursor
	return j
}

// state is all that the mutations of these tests change.
func (j judgedStore) state(t *testing.T) string {
	t.Helper()
	return j.query(t, `{feed {edges {node {title version comments {totalCount} likes {totalCount}}}}}`).body
}

// A mutation with an argument below its payload that a resolver refuses changes nothing:
// the request is refused, with the error that a query's field has.
func TestArgumentsBelowPayloadsAreJudgedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	j := newJudged(t)
	const noCursor = "is not a cursor of this API; send cursors as they were received"
	const another = "is the cursor of another list, or of another order"
	create := func(lists string) string {
		return `mutation {made: createPost(input: {title: "new", content: "c"}) {post {` + lists + `}}}`
	}
	of := func(mutation, rest string) string {
		return fmt.Sprintf(`mutation {%s(input: {%s: %q%s`, mutation, map[bool]string{true: "id", false: "postId"}[mutation == "updatePost"], j.posts[0], rest)
	}
	forged := relay.CommentsByPost(blog.PostID{}, blog.NewestFirst).OfAnyParent().Cursor(blog.CommentID{})
	for name, c := range map[string]struct{ text, message, path string }{
		"first too large":    {create("comments(first: 101) {totalCount}"), "first: must be 1 to 100, is 101", "made.post.comments"},
		"first of none":      {create("likes(first: 0) {totalCount}"), "first: must be 1 to 100, is 0", "made.post.likes"},
		"last below none":    {create("l: likes(last: -1) {totalCount}"), "last: must be 1 to 100, is -1", "made.post.l"},
		"first and last":     {create("author {posts(first: 1, last: 1) {edges {cursor}}}"), "give first or last, not both", "made.post.author.posts"},
		"a damaged cursor":   {create(`comments(after: "x") {totalCount}`), "after: " + noCursor, "made.post.comments"},
		"a damaged end":      {create(`author {comments(before: "") {edges {cursor}}}`), "before: " + noCursor, "made.post.author.comments"},
		"another list's":     {create(fmt.Sprintf("comments(after: %q) {totalCount}", j.userPosts)), "after: " + another, "made.post.comments"},
		"another order's":    {create(fmt.Sprintf("comments(order: OLDEST_FIRST, after: %q) {totalCount}", j.comments[0])), "after: " + another, "made.post.comments"},
		"too short a cursor": {create(fmt.Sprintf("comments(after: %q) {totalCount}", forged)), "after: " + noCursor, "made.post.comments"},
		"bounds of time": {create(`comments(createdFrom: "2025-01-02T00:00:00Z", createdTo: "2025-01-01T00:00:00Z") {totalCount}`),
			"createdFrom: must not be after createdTo", "made.post.comments"},
		"another order's, of a user": {create(fmt.Sprintf("author {posts(order: OLDEST_FIRST, before: %q) {edges {cursor}}}", j.userPosts)),
			"before: " + another, "made.post.author.posts"},
		"bounds of time, of a user": {create(`author {comments(createdFrom: "2025-01-02T00:00:00Z", createdTo: "2025-01-01T00:00:00Z") {totalCount}}`),
			"createdFrom: must not be after createdTo", "made.post.author.comments"},
		"bounds of time, of likes": {create(`likes(createdFrom: "2025-01-02T00:00:00Z", createdTo: "2025-01-01T00:00:00Z") {totalCount}`),
			"createdFrom: must not be after createdTo", "made.post.likes"},
		"below a list": {create("author {posts {edges {node {likes(first: 101) {totalCount}}}}}"),
			"first: must be 1 to 100, is 101", "made.post.author.posts.edges.node.likes"},
		"in fragments": {create("...on Node {...F}") + " fragment F on Post {comments(last: 500) {totalCount}}",
			"last: must be 1 to 100, is 500", "made.post.comments"},
		"by a variable": {strings.Replace(create("comments(first: $n) {totalCount}"), "mutation", "mutation ($n: Int = 101)", 1),
			"first: must be 1 to 100, is 101", "made.post.comments"},
		"in the second of two": {strings.Replace(create("id}} b: createPost(input: {title: \"b\", content: \"c\"}) {post {likes(first: 0) {totalCount}"), "made:", "a:", 1),
			"first: must be 1 to 100, is 0", "b.post.likes"},
		"another post's, of a like": {of("likePost", fmt.Sprintf("}) {post {comments(after: %q) {totalCount}}}}", j.comments[1])),
			"after: " + another, "likePost.post.comments"},
		"another post's, of its like": {of("likePost", fmt.Sprintf("}) {like {post {comments(after: %q) {totalCount}}}}}", j.comments[1])),
			"after: " + another, "likePost.like.post.comments"},
		"another post's, of a comment": {of("createComment", fmt.Sprintf(`, content: "c"}) {comment {post {comments(before: %q) {totalCount}}}}}`, j.comments[1])),
			"before: " + another, "createComment.comment.post.comments"},
		"another post's, of an edit": {of("updatePost", fmt.Sprintf(`, title: "edited"}) {post {comments(after: %q) {totalCount}}}}`, j.comments[1])),
			"after: " + another, "updatePost.post.comments"},
	} {
		t.Run(name, func(t *testing.T) {
			before := j.state(t)
			got := j.query(t, c.text, asAlice...)
			got.want(400, "BAD_USER_INPUT")
			// Whichever store it is: nothing was asked of it.
			if line := j.log.with("request=" + got.header.Get("X-Request-Id")); len(line) != 1 || !strings.Contains(line[0], "statements=0") {
				t.Errorf("%q", line)
			}
			var response struct {
				Data   json.RawMessage
				Errors []struct {
					Message   string
					Path      ast.Path
					Locations []struct{ Line, Column int }
				}
			}
			if err := json.Unmarshal([]byte(got.body), &response); err != nil {
				t.Fatal(err)
			}
			if e := response.Errors; response.Data != nil || len(e) != 1 || e[0].Message != c.message || e[0].Path.String() != c.path || len(e[0].Locations) != 1 {
				t.Errorf("%s\nwant %s at %s", got.body, c.message, c.path)
			}
			if after := j.state(t); after != before {
				t.Errorf("it was refused and changed something: %s, was %s", after, before)
			}
		})
	}
}

// What is right, or skipped, is executed: a cursor of the post that the input names, too.
func TestRightArgumentsBelowPayloadsAreExecuted(t *testing.T) {
	t.Parallel()
	j := newJudged(t)
	for _, lists := range []string{
		"post {comments(first: 101) @skip(if: true) {totalCount}}",
		"post {comments(first: 100, last: null, after: null) {totalCount}}",
		fmt.Sprintf("post {comments(after: %q) {totalCount}}", j.comments[0]),
		fmt.Sprintf("like {post {comments(before: %q) {edges {node {post {comments(after: %q) {totalCount}}}}}}}", j.comments[0], j.comments[0]),
		fmt.Sprintf("post {author {posts(after: %q) {edges {node {comments(after: %q) {totalCount}}}}}}", j.userPosts, j.comments[1]),
		`post {comments(order: OLDEST_FIRST, createdFrom: "2025-01-01T00:00:00Z", createdTo: "2025-01-01T00:00:00Z") {totalCount}}`,
	} {
		j.query(t, fmt.Sprintf("mutation {likePost(input: {postId: %q}) {%s}}", j.posts[0], lists), asAlice...).want(200, "")
	}
}

// Each field with arguments that is reached from a payload is judged: a new one is, too.
func TestEachListBelowPayloadsIsJudged(t *testing.T) {
	t.Parallel()
	s, schema := serving(t), graph.NewExecutableSchema(graph.Config{}).Schema()
	type way struct {
		to         *ast.Definition
		head, tail string
	}
	var ways []way
	met := map[string]bool{}
	reach := func(to *ast.Type, head, tail string) {
		for _, object := range schema.GetPossibleTypes(schema.Types[to.Name()]) {
			if object.Kind == ast.Object && !met[object.Name] {
				met[object.Name] = true
				ways = append(ways, way{object, head + " {... on " + object.Name, "}" + tail})
			}
		}
	}
	// Values of required inputs; what they are does not matter, for nothing is executed.
	value := func(input *ast.Definition) string {
		var fields []string
		for _, f := range input.Fields {
			if f.Type.NonNull {
				fields = append(fields, f.Name+`: "x"`)
			}
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	for _, command := range schema.Mutation.Fields {
		if !strings.HasPrefix(command.Name, "__") {
			reach(command.Type, "mutation {"+command.Name+"(input: "+value(schema.Types[command.Arguments[0].Type.Name()])+")", "}")
		}
	}
	var judged []string
	for i := 0; i < len(ways); i++ {
		w := ways[i]
		for _, field := range w.to.Fields {
			name := w.to.Name + "." + field.Name
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			reach(field.Type, w.head+" {"+field.Name, "}"+w.tail)
			if len(field.Arguments) == 0 {
				continue
			}
			if field.Arguments.ForName("first") == nil {
				t.Errorf("%s has arguments, and is no list: say here how they may be wrong", name)
				continue
			}
			judged = append(judged, name)
			got := s.query(t, w.head+" {"+field.Name+"(first: 0) {__typename}}"+w.tail, asAlice...)
			got.want(400, "BAD_USER_INPUT")
			if strings.Contains(got.body, `"data"`) || !strings.Contains(got.body, "first: must be 1 to 100") {
				t.Errorf("%s is executed: %s", name, got.body)
			}
		}
	}
	if len(judged) < 4 {
		t.Errorf("the lists below payloads are %v: is the schema walked?", judged)
	}
}
