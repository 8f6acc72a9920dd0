package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
)

// rendezvous lets nobody go before n have come: reads that follow one another never
// get past it.
type rendezvous struct {
	n    int
	mu   sync.Mutex
	came int
	all  chan struct{}
}

func newRendezvous(n int) *rendezvous { return &rendezvous{n: n, all: make(chan struct{})} }

func (r *rendezvous) meet(ctx context.Context) error {
	r.mu.Lock()
	if r.came++; r.came == r.n {
		close(r.all)
	}
	r.mu.Unlock()
	select {
	case <-r.all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d of %d came: %w", r.came, r.n, ctx.Err())
	}
}

func TestReadsOfAPageRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		users, posts := newRendezvous(3), newRendezvous(20)
		s.userByID = func(ctx context.Context, id blog.UserID) (blog.User, error) {
			if err := users.meet(ctx); err != nil {
				return blog.User{}, err
			}
			return s.Store.UserByID(ctx, id)
		}
		s.postByID = func(ctx context.Context, id blog.PostID) (blog.Post, error) {
			if err := posts.meet(ctx); err != nil {
				return blog.Post{}, err
			}
			return s.Store.PostByID(ctx, id)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		s.wantErrors(s.ask(ctx, `{ feed { edges { node { content author { bio } } } } }`))
		if users.came != 3 || posts.came != 20 {
			t.Errorf("%d users and %d posts were read, want 3 and 20", users.came, posts.came)
		}
	})
}

func TestNameThatHasNotArrivedIsReadFromTheUser(t *testing.T) {
	s := newStub(t)
	s.feed = func(page blog.Page[blog.Post], err error) (blog.Page[blog.Post], error) {
		for i := range page.Items {
			page.Items[i].Author.Username = ""
		}
		return page, err
	}
	reads := newRendezvous(2)
	s.userByID = func(ctx context.Context, id blog.UserID) (blog.User, error) {
		_ = reads.meet(ctx)
		return s.Store.UserByID(ctx, id)
	}
	s.want(s.ask(t.Context(), `{ feed(first: 4, after: "<feed:p25>") { edges { node { author { id } } } } }`),
		`{"feed":{"edges":[{"node":{"author":{"id":"<user:carol>"}}},{"node":{"author":{"id":"<user:bob>"}}},{"node":{"author":{"id":"<user:alice>"}}},{"node":{"author":{"id":"<user:carol>"}}}]}}`)
	if reads.came != 0 {
		t.Errorf("%d users were read for their ids", reads.came)
	}
	s.want(s.ask(t.Context(), `{ feed(first: 2, after: "<feed:p25>") { edges { node { author { username } } } } }`),
		`{"feed":{"edges":[{"node":{"author":{"username":"carol"}}},{"node":{"author":{"username":"bob"}}}]}}`)
}

func TestFailureOfOneKeyIsItsOwn(t *testing.T) {
	s := newStub(t)
	s.postByID = func(ctx context.Context, id blog.PostID) (blog.Post, error) {
		if id == s.posts["p04"].ID {
			return blog.Post{}, blog.Errorf(blog.Unavailable, "")
		}
		return s.Store.PostByID(ctx, id)
	}
	gone := "the store can't answer now; try again later"

	response := s.ask(t.Context(), `{ user(username: "bob") { comments(first: 2) { edges { node { post { id } } } } } }`)
	s.want(response, `{"user":{"comments":{"edges":[{"node":{"post":null}},{"node":{"post":{"id":"<post:p03>"}}}]}}}`)
	s.wantErrors(response, failed{"user.comments.edges[0].node.post", "UNAVAILABLE", gone})

	response = s.ask(t.Context(), `{ nodes(ids: ["<post:p03>", "<post:p04>", "<user:bob>"]) { id } }`)
	s.want(response, `{"nodes":[{"id":"<post:p03>"},null,{"id":"<user:bob>"}]}`)
	s.wantErrors(response, failed{"nodes[1]", "UNAVAILABLE", gone})
}

func TestPostDeletedBetweenTwoReads(t *testing.T) {
	s := newStub(t)
	noPost := func() error { return blog.ErrNoPost("postId") }
	s.commentsByPost = func() (blog.CommentPage, error) { return blog.CommentPage{}, noPost() }
	s.likesByPost = func() (blog.ReactionPage, error) { return blog.ReactionPage{}, noPost() }
	s.postByID = func(context.Context, blog.PostID) (blog.Post, error) { return blog.Post{}, noPost() }

	response := s.ask(t.Context(), `{ feed(first: 1) { edges { node { id comments { edges { cursor } } likes { totalCount edges { cursor } } } } } }`)
	s.want(response, `{"feed":{"edges":[{"node":{"id":"<post:p25>","comments":{"edges":[]},"likes":{"totalCount":0,"edges":[]}}}]}}`)
	s.wantErrors(response)

	s.want(s.ask(t.Context(), `{ user(username: "bob") { comments(first: 1) { edges { node { post { id } } } } } }`),
		`{"user":{"comments":{"edges":[{"node":{"post":null}}]}}}`)

	s.wantErrors(s.ask(t.Context(), `{ feed(first: 1) { edges { node { content } } } }`),
		failed{"feed.edges[0].node.content", "UNAVAILABLE", "postId: there is no such post"})
}

// Of the count that the command told and the one that the post was read with, the
// newer is shown.
func TestPayloadShowsTheNewerCount(t *testing.T) {
	for name, tc := range map[string]struct {
		n     int
		stamp int64
		want  string
	}{
		"the copy is behind":         {7, 1, "8"},
		"another command came since": {9, 1 << 60, "9"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.postByID = func(ctx context.Context, id blog.PostID) (blog.Post, error) {
				p, err := s.Store.PostByID(ctx, id)
				p.Comments = blog.Count{N: tc.n, Stamp: tc.stamp}
				p.Likes = p.Comments
				return p, err
			}
			s.want(s.ask(as(t, "b"), `mutation { createComment(input: {postId: "<post:p03>", content: "C"}) { post { commentCount likeCount } } }`),
				`{"createComment":{"post":{"commentCount":`+tc.want+`,"likeCount":`+strconv.Itoa(tc.n)+`}}}`)
			likes := map[string]string{"8": "2", "9": "9"}[tc.want] // of three
			s.want(s.ask(as(t, "b"), `mutation { unlikePost(input: {postId: "<post:p03>"}) { post { likeCount commentCount } } }`),
				`{"unlikePost":{"post":{"likeCount":`+likes+`,"commentCount":`+strconv.Itoa(tc.n)+`}}}`)
		})
	}
}

// What a command told of the post is not read.
func TestPayloadReadsNoMoreThanIsAsked(t *testing.T) {
	s := newStub(t)
	s.postByID = func(context.Context, blog.PostID) (blog.Post, error) {
		return blog.Post{}, blog.Errorf(blog.Unavailable, "nobody should ask")
	}
	s.want(s.ask(as(t, "b"), `mutation { createComment(input: {postId: "<post:p03>", content: "C"}) { post { __typename ...P } } } fragment P on Post { id count: commentCount }`),
		`{"createComment":{"post":{"__typename":"Post","id":"<post:p03>","count":8}}}`)
	s.want(s.ask(as(t, "b"), `mutation { unlikePost(input: {postId: "<post:p03>"}) { post { id likeCount } } }`),
		`{"unlikePost":{"post":{"id":"<post:p03>","likeCount":2}}}`)
	refused := s.ask(as(t, "b"), `mutation { likePost(input: {postId: "<post:p03>"}) { like { createdAt } post { likeCount commentCount } } }`)
	s.wantErrors(refused, failed{"likePost.post", "UNAVAILABLE", "nobody should ask"})
}

func TestFailureAfterTheWriteLeavesThePayload(t *testing.T) {
	s := newStub(t)
	s.postByID = func(context.Context, blog.PostID) (blog.Post, error) {
		return blog.Post{}, blog.Errorf(blog.Timeout, "")
	}
	response := s.ask(as(t, "b"), `mutation { createComment(input: {postId: "<post:p03>", content: "C"}) { comment { content } post { title } userErrors { code } } }`)
	s.want(response, `{"createComment":{"comment":{"content":"C"},"post":null,"userErrors":[]}}`)
	s.wantErrors(response, failed{"createComment.post", "TIMEOUT", "the deadline passed before the answer was there; a write may have happened or not"})
}

// An edit tells no counts: where they can't be read they fail, and nothing else says that
// the post has none. What the edit tells is not read.
func TestCountsOfAnEditedPostAreKnownOrFail(t *testing.T) {
	s := newStub(t)
	gone := false
	s.postByID = func(ctx context.Context, id blog.PostID) (blog.Post, error) {
		if gone {
			return blog.Post{}, blog.Errorf(blog.Unavailable, "no node answers")
		}
		return s.Store.PostByID(ctx, id)
	}
	edit := func(title, asked string) *graphql.Response {
		return s.ask(as(t, "c"), `mutation { updatePost(input: {id: "<post:p03>", title: "`+title+`"}) { post { `+asked+` } userErrors { code } } }`)
	}
	s.want(edit("A", "title version commentCount likeCount"),
		`{"updatePost":{"post":{"title":"A","version":2,"commentCount":7,"likeCount":3},"userErrors":[]}}`)
	gone = true
	s.want(edit("B", "id title excerpt content author { username } version"), `{"updatePost":{"post":{
		"id":"<post:p03>","title":"B","excerpt":`+quoted(t, s.posts["p03"].Excerpt)+`,"content":`+quoted(t, s.posts["p03"].Content)+`,
		"author":{"username":"carol"},"version":3},"userErrors":[]}}`)
	response := edit("C", "title n: commentCount likeCount")
	s.want(response, `{"updatePost":{"post":null,"userErrors":[]}}`)
	const made = "the edit was made, but the post's counts can't be read now: fetch the post"
	s.wantErrors(response, failed{"updatePost.post.n", "UNAVAILABLE", made}, failed{"updatePost.post.likeCount", "UNAVAILABLE", made})
	gone = false
	s.want(s.ask(t.Context(), `{ post(id: "<post:p03>") { title version } }`), `{"post":{"title":"C","version":4}}`)
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(quoted)
}

// A post that is deleted between its edit and the reading of its counts is gone.
func TestEditedPostThatIsDeletedMeanwhile(t *testing.T) {
	s := newStub(t)
	s.postByID = func(context.Context, blog.PostID) (blog.Post, error) { return blog.Post{}, blog.ErrNoPost("id") }
	response := s.ask(as(t, "c"), `mutation { updatePost(input: {id: "<post:p03>", title: "A"}) { post { commentCount } } }`)
	s.want(response, `{"updatePost":{"post":null}}`)
	s.wantErrors(response)
}

// BenchmarkFeed is what a page of 20 costs here, over a store that answers at once.
func BenchmarkFeed(b *testing.B) {
	s := newStub(b)
	for name, node := range map[string]string{
		"titles":         "id title",
		"copied authors": "id title author { id username }",
		"loaded authors": "id title author { id username displayName }",
	} {
		b.Run(name, func(b *testing.B) {
			api := newAPI(s, &s.log)
			for b.Loop() {
				if r := api.query(b.Context(), `{ feed { edges { node { `+node+` } } } }`); r.Errors != nil {
					b.Fatal(r.Errors)
				}
			}
		})
	}
}
