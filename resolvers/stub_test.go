package resolvers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

// stub is the fixture's model with some methods replaced.
type stub struct {
	*fixture
	blog.Store

	userBySubject  func(subject string) (blog.User, error)
	userByID       func(ctx context.Context, id blog.UserID) (blog.User, error)
	postByID       func(ctx context.Context, id blog.PostID) (blog.Post, error)
	feed           func(page blog.Page[blog.Post], err error) (blog.Page[blog.Post], error)
	commentsByPost func() (blog.CommentPage, error)
	likesByPost    func() (blog.ReactionPage, error)
	createPost     func() (blog.Post, error)

	log bytes.Buffer
}

func newStub(t testing.TB) *stub {
	clock := storetest.NewClock(epoch)
	store := storetest.NewModel(blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1))})
	return &stub{fixture: newFixture(t, store, clock), Store: store}
}

func (s *stub) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	if s.userBySubject != nil {
		return s.userBySubject(subject)
	}
	return s.Store.UserBySubject(ctx, subject)
}

func (s *stub) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	if s.userByID != nil {
		return s.userByID(ctx, id)
	}
	return s.Store.UserByID(ctx, id)
}

func (s *stub) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	if s.postByID != nil {
		return s.postByID(ctx, id)
	}
	return s.Store.PostByID(ctx, id)
}

func (s *stub) Feed(ctx context.Context, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	page, err := s.Store.Feed(ctx, request)
	if s.feed != nil {
		return s.feed(page, err)
	}
	return page, err
}

func (s *stub) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (blog.CommentPage, error) {
	if s.commentsByPost != nil {
		return s.commentsByPost()
	}
	return s.Store.CommentsByPost(ctx, q)
}

func (s *stub) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	if s.likesByPost != nil {
		return s.likesByPost()
	}
	return s.Store.LikesByPost(ctx, post, page)
}

func (s *stub) CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error) {
	if s.createPost != nil {
		return s.createPost()
	}
	return s.Store.CreatePost(ctx, c)
}

// ask executes an operation, with the names of the fixture in it.
func (s *stub) ask(ctx context.Context, text string) *graphql.Response {
	return newAPI(s, &s.log).query(ctx, s.names.expand(s.t, text))
}

// want holds the data of a response, with names for ids, against a text in JSON.
func (s *stub) want(response *graphql.Response, data string) {
	s.t.Helper()
	var got, want any
	decode(s.t, response.Data, &got)
	decode(s.t, []byte(data), &want)
	gotText, _ := json.Marshal(s.names.replace(got))
	wantText, _ := json.Marshal(want)
	if !bytes.Equal(gotText, wantText) {
		s.t.Errorf("data\ngot  %s\nwant %s\nerrors %v", gotText, wantText, response.Errors)
	}
}

// failed is an error as a client tells it apart.
type failed struct{ path, code, message string }

func (s *stub) wantErrors(response *graphql.Response, want ...failed) {
	s.t.Helper()
	if len(response.Errors) != len(want) {
		s.t.Fatalf("the errors are %v, want %v", response.Errors, want)
	}
	for i, e := range response.Errors {
		if got := (failed{e.Path.String(), e.Extensions["code"].(string), e.Message}); got != want[i] {
			s.t.Errorf("got the error %+v, want %+v", got, want[i])
		}
	}
}
