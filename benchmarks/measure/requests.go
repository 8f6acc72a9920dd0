package measure

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"strings"

	"broadsheet/blog"
)

// Model is a way to keep a blog. A [blog.Store] is one; others may answer first pages
// only.
type Model interface {
	UserByID(ctx context.Context, id blog.UserID) (blog.User, error)
	PostByID(ctx context.Context, id blog.PostID) (blog.Post, error)
	PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error)
	CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error)
	LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error)
	Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error)

	CreateUser(ctx context.Context, c blog.CreateUser) (blog.User, error)
	CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error)
	CreateComment(ctx context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error)
	LikePost(ctx context.Context, c blog.LikePost) (blog.Reaction, blog.Count, error)
}

// The sizes of pages in the guides' table.
const (
	listPage = 20
	feedPage = 100
)

// Request is a row of the guides' table.
type Request struct {
	Name   string // Q1
	What   string
	Writes bool
	// Do makes the request on a model, for what random draws of the sample.
	Do func(ctx context.Context, on Model, s Sample, random *rand.Rand) (answer any, err error)
}

// Requests returns the guides' table.
func Requests() []Request { return append(Queries(), Commands()...) }

// Queries returns the requests that change nothing.
func Queries() []Request {
	return []Request{
		{Name: "Q1", What: "a user", Do: func(ctx context.Context, on Model, s Sample, random *rand.Rand) (any, error) {
			return on.UserByID(ctx, s.user(random).ID)
		}},
		{Name: "Q2", What: "a post", Do: func(ctx context.Context, on Model, s Sample, random *rand.Rand) (any, error) {
			return on.PostByID(ctx, s.post(random))
		}},
		{Name: "Q3", What: "a user's posts (20)", Do: func(ctx context.Context, on Model, s Sample, random *rand.Rand) (any, error) {
			return on.PostsByAuthor(ctx, s.user(random).ID, blog.FirstPage[blog.PostID](listPage))
		}},
		{Name: "Q4", What: "a post's comments (20)", Do: func(ctx context.Context, on Model, s Sample, random *rand.Rand) (any, error) {
			return on.CommentsByPost(ctx, blog.CommentsQuery{Post: s.post(random), Page: blog.FirstPage[blog.CommentID](listPage)})
		}},
		{Name: "Q5", What: "a post's likes (20)", Do: func(ctx context.Context, on Model, s Sample, random *rand.Rand) (any, error) {
			return on.LikesByPost(ctx, s.post(random), blog.FirstPage[blog.ReactionPosition](listPage))
		}},
		{Name: "Q6", What: "the feed (100)", Do: func(ctx context.Context, on Model, _ Sample, _ *rand.Rand) (any, error) {
			return on.Feed(ctx, blog.FirstPage[blog.PostID](feedPage))
		}},
	}
}

// Commands returns the requests that write.
func Commands() []Request {
	return []Request{
		{Name: "C1", What: "create a user", Writes: true, Do: func(ctx context.Context, on Model, _ Sample, _ *rand.Rand) (any, error) {
			name := newName()
			return on.CreateUser(ctx, blog.CreateUser{Subject: name, Username: name})
		}},
		{Name: "C2", What: "create a post", Writes: true, Do: func(ctx context.Context, on Model, s Sample, random *rand.Rand) (any, error) {
			return on.CreatePost(ctx, blog.CreatePost{Author: s.user(random).ID, Title: postTitle, Content: postContent})
		}},
		{Name: "C3", What: "create a comment", Writes: true, Do: func(ctx context.Context, on Model, s Sample, random *rand.Rand) (any, error) {
			made, _, err := on.CreateComment(ctx, blog.CreateComment{Author: s.user(random).ID, Post: s.post(random), Content: commentText})
			return made, err
		}},
		{Name: "C4", What: "like a post", Writes: true, Do: func(ctx context.Context, on Model, s Sample, random *rand.Rand) (any, error) {
			made, _, err := on.LikePost(ctx, blog.LikePost{Actor: s.user(random).ID, Post: s.post(random)})
			return made, err
		}},
	}
}

// What the commands write.
var (
	postTitle   = "What a request costs"
	postContent = fmt.Sprintf("%s\n\n%s\n\n%s\n", paragraph, paragraph, paragraph)
	commentText = "Measured in the same run, so the ratio is what counts."
)

const paragraph = "A table that answers one question reads one partition, however much the others hold. " +
	"Whoever measures it should say on which machine, beside what, and how often: absolute figures travel badly, " +
	"ratios of one run a little better, and the number of statements best of all."

// newName returns a username that nobody has, whatever was drawn before.
func newName() string { return "bench_" + strings.ToLower(crand.Text()[:20]) }

// Sample is what requests are about.
type Sample struct {
	Posts []blog.PostID
	Users []blog.Author // who wrote them, each once
}

// maxSample is as many posts as a sample holds at most: the newest.
const maxSample = 10_000

// TakeSample returns the newest posts of a feed and their authors.
func TakeSample(ctx context.Context, from interface {
	Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error)
}) (Sample, error) {
	var s Sample
	known := map[blog.UserID]bool{}
	page := blog.FirstPage[blog.PostID](blog.MaxPage)
	for len(s.Posts) < maxSample {
		found, err := from.Feed(ctx, page)
		if err != nil {
			return s, err
		}
		for _, p := range found.Items {
			s.Posts = append(s.Posts, p.ID)
			if !known[p.Author.ID] {
				known[p.Author.ID] = true
				s.Users = append(s.Users, p.Author)
			}
			page.After = &p.ID
		}
		if !found.HasNext || len(found.Items) == 0 {
			break
		}
	}
	if len(s.Posts) == 0 {
		return s, blog.Errorf(blog.Invalid, "there are no posts to ask for")
	}
	return s, nil
}

// halves shares the posts out to two. A single one is both's.
func (s Sample) halves() (even, odd Sample) {
	even.Users, odd.Users = s.Users, s.Users
	for i, post := range s.Posts {
		half := &even
		if i%2 == 1 {
			half = &odd
		}
		half.Posts = append(half.Posts, post)
	}
	if len(odd.Posts) == 0 {
		odd = even
	}
	return even, odd
}

func (s Sample) post(random *rand.Rand) blog.PostID { return s.Posts[random.IntN(len(s.Posts))] }

func (s Sample) user(random *rand.Rand) blog.Author { return s.Users[random.IntN(len(s.Users))] }
