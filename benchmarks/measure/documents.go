package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"

	"broadsheet/internal/relay"
)

// document is a request as clients of GraphQL send it.
type document struct {
	Name, What string
	writes     bool
	text       string
	draw       func(s Sample, random *rand.Rand) drawn
}

// drawn is what one request is about.
type drawn struct {
	variables map[string]any
	token     string     // whose request it is: dev auth's subject; empty: anonymous
	plain     url.Values // the same for the server without GraphQL, by UUIDs
}

// Only is which requests are measured, by name; none named: all.
type Only []string

// Has reports whether a request is to be measured.
func (o Only) Has(name string) bool { return len(o) == 0 || slices.Contains(o, name) }

// Names returns the names of all requests.
func Names() []string {
	var names []string
	for _, d := range documents() {
		names = append(names, d.Name)
	}
	return names
}

// The fields that pages show, and what leads to the next one.
const (
	shortPost = `id title excerpt createdAt updatedAt version commentCount likeCount author { id username }`
	nextPage  = `pageInfo { hasNextPage endCursor }`
)

// documents returns the guides' table as GraphQL, and a page that takes more of it: the
// feed with its authors and first comments.
func documents() []document {
	post := func(s Sample, random *rand.Rand) drawn {
		id := s.post(random)
		return drawn{variables: map[string]any{"id": relay.EncodeID(id)}, plain: url.Values{"id": {id.String()}}}
	}
	user := func(s Sample, random *rand.Rand) drawn {
		id := s.user(random).ID
		return drawn{variables: map[string]any{"id": relay.EncodeID(id)}, plain: url.Values{"id": {id.String()}}}
	}
	none := func(Sample, *rand.Rand) drawn { return drawn{} }
	return []document{
		{Name: "Q1", What: "a user", draw: user, text: `query Q1($id: ID!) { user(id: $id) { id username displayName bio createdAt version } }`},
		{Name: "Q2", What: "a post", draw: post, text: `query Q2($id: ID!) { post(id: $id) { id title content createdAt updatedAt version commentCount likeCount author { id username } } }`},
		{Name: "Q3", What: "a user's posts (20)", draw: user, text: `query Q3($id: ID!) { userPosts(userId: $id, first: 20) { edges { node { ` + shortPost + ` } } ` + nextPage + ` } }`},
		{Name: "Q4", What: "a post's comments (20)", draw: post, text: `query Q4($id: ID!) { comments(postId: $id, first: 20) { totalCount edges { node { id content createdAt updatedAt version author { id username } } } ` + nextPage + ` } }`},
		{Name: "Q5", What: "a post's likes (20)", draw: post, text: `query Q5($id: ID!) { likes(postId: $id, first: 20) { totalCount edges { node { id createdAt user { id username } } } ` + nextPage + ` } }`},
		{Name: "Q6", What: "the feed (100)", draw: none, text: `query Q6 { feed(first: 100) { edges { node { ` + shortPost + ` } } ` + nextPage + ` } }`},
		{Name: "nested", What: "the feed (20), authors, 5 comments each", draw: none, text: `query Nested { feed(first: 20) { edges { node { id title excerpt createdAt updatedAt version commentCount likeCount author { id username displayName } comments(first: 5) { edges { node { id content createdAt updatedAt version author { id username } } } } } } ` + nextPage + ` } }`},

		{Name: "C1", What: "create a user", writes: true, text: `mutation C1($input: CreateUserInput!) { createUser(input: $input) { user { id } userErrors { code message } } }`,
			draw: func(Sample, *rand.Rand) drawn {
				name := newName()
				return input(name, map[string]any{"username": name})
			}},
		{Name: "C2", What: "create a post", writes: true, text: `mutation C2($input: CreatePostInput!) { createPost(input: $input) { post { id } userErrors { code message } } }`,
			draw: func(s Sample, random *rand.Rand) drawn {
				return input(s.user(random).Username, map[string]any{"title": postTitle, "content": postContent})
			}},
		{Name: "C3", What: "create a comment", writes: true, text: `mutation C3($input: CreateCommentInput!) { createComment(input: $input) { comment { id } post { commentCount } userErrors { code message } } }`,
			draw: func(s Sample, random *rand.Rand) drawn {
				user, post := s.user(random), s.post(random)
				d := input(user.Username, map[string]any{"postId": relay.EncodeID(post), "content": commentText})
				d.plain = url.Values{"post": {post.String()}, "user": {user.ID.String()}, "content": {commentText}}
				return d
			}},
		{Name: "C4", What: "like a post", writes: true, text: `mutation C4($input: LikePostInput!) { likePost(input: $input) { like { id } post { likeCount } userErrors { code message } } }`,
			draw: func(s Sample, random *rand.Rand) drawn {
				user, post := s.user(random), s.post(random)
				d := input(user.Username, map[string]any{"postId": relay.EncodeID(post)})
				d.plain = url.Values{"post": {post.String()}, "user": {user.ID.String()}}
				return d
			}},
	}
}

func input(token string, fields map[string]any) drawn {
	return drawn{token: token, variables: map[string]any{"input": fields}}
}

// body returns the document with variables as the body of a POST.
func (d document) body(variables map[string]any) ([]byte, error) {
	return json.Marshal(struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}{d.text, variables})
}

// refused says what is wrong with an answer of status 200; empty: nothing. A text in an
// answer has its quotation marks escaped, so it can't look like these.
func refused(answer []byte) string {
	for _, sign := range signsOfRefusal {
		if bytes.Contains(answer, sign) {
			return fmt.Sprintf("%.300s", answer)
		}
	}
	return ""
}

var signsOfRefusal = [][]byte{[]byte(`"errors":`), []byte(`"userErrors":[{`), []byte(`{"data":null}`)}
