package dataset

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

// flaky fails every seventh command before it happens, and tells of half of the
// users that they could not be made although they were.
type flaky struct {
	blog.Store
	calls, users atomic.Int64
}

var errAway = blog.Errorf(blog.Unavailable, "away")

func (f *flaky) away() bool { return f.calls.Add(1)%7 == 0 }

func (f *flaky) CreateUser(ctx context.Context, c blog.CreateUser) (blog.User, error) {
	user, err := f.Store.CreateUser(ctx, c)
	if err == nil && f.users.Add(1)%2 == 0 {
		return blog.User{}, blog.Errorf(blog.Timeout, "late")
	}
	return user, err
}

func (f *flaky) CreateGroup(ctx context.Context, c blog.CreateGroup) (blog.Group, error) {
	group, err := f.Store.CreateGroup(ctx, c)
	if err == nil {
		return blog.Group{}, blog.Errorf(blog.Timeout, "late")
	}
	return group, err
}

func (f *flaky) CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error) {
	if f.away() {
		return blog.Post{}, errAway
	}
	return f.Store.CreatePost(ctx, c)
}

func (f *flaky) CreateComment(ctx context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error) {
	if f.away() {
		return blog.Comment{}, blog.Count{}, errAway
	}
	return f.Store.CreateComment(ctx, c)
}

func (f *flaky) LikePost(ctx context.Context, c blog.LikePost) (blog.Reaction, blog.Count, error) {
	if f.away() {
		return blog.Reaction{}, blog.Count{}, errAway
	}
	return f.Store.LikePost(ctx, c)
}

func TestStoreThatIsAwayNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &flaky{Store: storetest.NewModel(blog.Options{})}
		plan := NewPlan(Size{Users: 10, MinPosts: 2, MaxPosts: 4, MaxComments: 5, MaxLikes: 10, Groups: 2}, 1)
		if err := plan.Write(t.Context(), store, Writing{}); err != nil {
			t.Fatal(err)
		}
		feed, err := store.Feed(t.Context(), blog.PageRequest[blog.PostID]{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		found := Totals{Posts: len(feed.Items)}
		authors := map[blog.UserID]bool{}
		for _, post := range feed.Items {
			authors[post.Author.ID] = true
			found.Comments += post.Comments.N
			found.Likes += post.Likes.N
		}
		for _, members := range plan.groups {
			joined, err := store.NewestMembersByGroup(t.Context(), blog.GroupOf(subjects()[found.Groups]["name"][0]), blog.FirstPage[blog.ReactionPosition](1))
			if err != nil || joined.Count.N != len(members) {
				t.Errorf("%d members, %v; want %d", joined.Count.N, err, len(members))
			}
			found.Groups++
			found.Members += joined.Count.N
		}
		found.Users = len(authors)
		if want := plan.Totals(); found != want {
			t.Errorf("%+v stand, not %+v", found, want)
		}
	})
}

func TestTextsHaveTheLengthOfTexts(t *testing.T) {
	t.Parallel()
	plan := NewPlan(SeedSize(10), 5)
	within := func(what, text string, least, most int) {
		t.Helper()
		if n := utf8.RuneCountInString(text); n < least || n > most {
			t.Errorf("a %s of %d characters: %s", what, n, text)
		}
	}
	for _, post := range plan.posts {
		d := plan.draft(post)
		within("title", d.title, 8, 100)
		within("content", d.content, 300, 5_000)
		for _, c := range d.comments {
			within("comment", c.text, 8, 500)
		}
	}
}
