package blog_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
)

// smallBlog is an auditor of slices: truths and, made from them, copies.
type smallBlog struct {
	users    []blog.User
	posts    []blog.Post
	comments []blog.Comment
	likes    []blog.Like
	counts   []postCounts
	copies   []blog.Copy
	fault    error // of EachCopy
}

type postCounts struct {
	post            blog.PostID
	comments, likes blog.Count
}

// newSmallBlog has two users, two posts of the first, and below the first post a
// comment and a like of each.
func newSmallBlog() *smallBlog {
	ids := blog.NewIDs(blogtest.NewClock(noon), blogtest.Random(1))
	b := &smallBlog{}
	for i, name := range []string{"Ada", "Bob"} {
		u := blog.User{ID: ids.User(), Subject: "s" + name, Username: name, Version: 1, Stamp: int64(10 + i)}
		u.Email = []*string{ptr("ada@example.org"), nil}[i]
		b.users = append(b.users, u)
	}
	for _, bucket := range []string{"2026-11", "2026-12"} {
		b.posts = append(b.posts, blog.Post{
			ID: ids.Post(), Author: b.users[0].Name().Author(), Title: "T", Content: "C", Excerpt: "C",
			UpdatedAt: noon, Version: 1, Stamp: 5, Feed: blog.FeedPlace{Bucket: bucket},
		})
	}
	for _, u := range b.users {
		author := u.Name().Author()
		b.comments = append(b.comments, blog.Comment{Post: b.posts[0].ID, ID: ids.Comment(), Author: author, Content: "x", UpdatedAt: noon, Version: 1})
		b.likes = append(b.likes, blog.Like{Post: b.posts[0].ID, User: author, LikedAt: blog.Millisecond(noon)})
	}
	b.counts = []postCounts{{b.posts[0].ID, blog.Count{N: 2, Stamp: 7}, blog.Count{N: 2, Stamp: 8}}}
	b.project()
	return b
}

// project makes the copies.
func (b *smallBlog) project() {
	names := map[blog.UserID]blog.Name{}
	for _, u := range b.users {
		names[u.ID] = u.Name()
		b.add(blog.UserCopies(u))
	}
	refs := map[blog.PostID]blog.PostRef{}
	for _, p := range b.posts {
		refs[p.ID] = p.Ref()
		b.add(blog.PostCopies(p))
		b.add(blog.PostNameCopies(p.Ref(), names[p.Author.ID]))
	}
	for _, c := range b.comments {
		b.add(blog.CommentCopies(c, 7))
		b.add(blog.CommentNameCopies(c.Key(), names[c.Author.ID]))
	}
	for _, l := range b.likes {
		b.add(blog.LikeCopies(l.Key(), l.LikedAt, true, 8))
		b.add(blog.LikeNameCopies(l.Post, l.LikedAt, names[l.User.ID]))
	}
	for _, n := range b.counts {
		b.add(blog.CommentCountCopies(refs[n.post], n.comments))
		b.add(blog.LikeCountCopies(refs[n.post], n.likes))
	}
}

// add adds copies, each cell once.
func (b *smallBlog) add(copies []blog.Copy) {
	for _, c := range copies {
		if !slices.ContainsFunc(b.copies, func(o blog.Copy) bool { return o.Group == c.Group && text(o.Key) == text(c.Key) }) {
			b.copies = append(b.copies, c)
		}
	}
}

func each[T any](items []T, visit func(T) error) error {
	for _, item := range items {
		if err := visit(item); err != nil {
			return err
		}
	}
	return nil
}

func (b *smallBlog) EachUser(_ context.Context, visit func(blog.User) error) error {
	return each(b.users, visit)
}

func (b *smallBlog) EachPost(_ context.Context, visit func(blog.Post) error) error {
	return each(b.posts, visit)
}

func (b *smallBlog) EachComment(_ context.Context, visit func(blog.Comment) error) error {
	return each(b.comments, visit)
}

func (b *smallBlog) EachLike(_ context.Context, visit func(blog.Like) error) error {
	return each(b.likes, visit)
}

func (b *smallBlog) EachCount(_ context.Context, visit func(blog.PostID, blog.Count, blog.Count) error) error {
	return each(b.counts, func(n postCounts) error { return visit(n.post, n.comments, n.likes) })
}

func (b *smallBlog) EachCopy(_ context.Context, table blog.Table, visit func(blog.Copy) error) error {
	for _, c := range b.copies {
		if c.Group.Table == table {
			if err := visit(c); err != nil {
				return err
			}
		}
	}
	return b.fault
}

// drifts verifies and returns "table: problem" of every disagreement.
func drifts(t *testing.T, b *smallBlog) []string {
	t.Helper()
	found, err := blog.Verify(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, table := range found.Tables {
		for _, d := range table.Examples {
			all = append(all, string(d.Table)+": "+d.Problem)
		}
	}
	if len(all) != found.Drifted() {
		t.Errorf("%d examples of %d", len(all), found.Drifted())
	}
	return all
}

func TestVerifyFindsNothingInAWholeBlog(t *testing.T) {
	b := newSmallBlog()
	if found := drifts(t, b); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	covered := map[*blog.Group]bool{}
	for _, c := range b.copies {
		covered[c.Group] = true
	}
	if len(covered) != len(blog.Groups()) {
		t.Errorf("the test has copies of %d groups, of %d", len(covered), len(blog.Groups()))
	}
}

func TestVerifyFindsEachKindOfDamageInEachCopy(t *testing.T) {
	for i, c := range newSmallBlog().copies {
		for name, damage := range map[string]struct {
			do   func(b *smallBlog)
			want string
		}{
			"it lacks":               {func(b *smallBlog) { b.copies = slices.Delete(b.copies, i, i+1) }, "is missing"},
			"it holds another value": {func(b *smallBlog) { b.copies[i].Values = another(c.Values) }, "holds"},
			"it stands twice":        {func(b *smallBlog) { b.copies = append(b.copies, c) }, "stands there but follows from no truth"},
			"one too many stands": {func(b *smallBlog) {
				b.copies = append(b.copies, blog.Copy{Group: c.Group, Key: another(c.Key), Values: c.Values})
			}, "stands there but follows from no truth"},
		} {
			b := newSmallBlog()
			damage.do(b)
			found := drifts(t, b)
			standing := name == "it stands twice" && len(c.Group.Key) == 1 && c.Group.Columns[0] == "username" && c.Group != blog.PostName
			if standing && len(found) == 0 {
				continue // a name above a list may stand without one
			}
			if len(found) != 1 || !strings.HasPrefix(found[0], string(c.Group.Table)+": "+damage.want) {
				t.Errorf("%s %v, %s: found %q", c.Group.Table, c.Group.Columns, name, found)
			}
		}
	}
}

// another returns the values with the last one changed.
func another(values []any) []any {
	values = slices.Clone(values)
	last := &values[len(values)-1]
	switch x := (*last).(type) {
	case string:
		*last = x + "x"
	case int:
		*last = x + 1
	case bool:
		*last = !x
	case time.Time:
		*last = x.Add(time.Millisecond)
	case blog.UserID:
		x.UUID[15]++
		*last = x
	case blog.PostID:
		x.UUID[15]++
		*last = x
	case blog.CommentID:
		x.UUID[15]++
		*last = x
	}
	return values
}

func TestVerifyFindsDamagedTruths(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(b *smallBlog)
		want   []string
	}{
		"a comment count too high": {
			func(b *smallBlog) { b.counts[0].comments.N = 3 },
			[]string{"posts_by_id: holds", "posts_by_author: holds", "feed_by_bucket: holds", "comments_by_post: the count is 3, the rows are 2"},
		},
		"a like count too low": {
			func(b *smallBlog) { b.counts[0].likes.N = 1 },
			[]string{"posts_by_id: holds", "posts_by_author: holds", "feed_by_bucket: holds", "likes_by_post: holds", "like_claims: the count is 1, the rows are 2"},
		},
		"rows without a count": {
			func(b *smallBlog) { b.counts = nil },
			[]string{
				"posts_by_id: stands there", "posts_by_id: stands there", "posts_by_author: stands there", "posts_by_author: stands there",
				"feed_by_bucket: stands there", "feed_by_bucket: stands there", "likes_by_post: stands there",
				"comments_by_post: 2 comments and 2 likes without a count",
			},
		},
		"a like that was taken back": {
			func(b *smallBlog) { b.likes, b.counts[0].likes.N = b.likes[:1], 2 },
			[]string{"likes_by_post: stands there", "likes_by_post: stands there", "likes_by_user: stands there", "like_claims: the count is 2, the rows are 1"},
		},
	} {
		b := newSmallBlog()
		c.damage(b)
		found := drifts(t, b)
		slices.Sort(found)
		slices.Sort(c.want)
		if !slices.EqualFunc(found, c.want, strings.HasPrefix) {
			t.Errorf("%s: found %q", name, found)
		}
	}
}

func TestVerifyAllowsANameAboveAnEmptyList(t *testing.T) {
	b := newSmallBlog()
	bob := b.users[1].Name()
	b.add(blog.AuthorNameCopies(bob))
	if found := drifts(t, b); len(found) > 0 {
		t.Errorf("his own name: found %q", found)
	}
	b.copies[len(b.copies)-1].Values = []any{"Robert"}
	if found := drifts(t, b); len(found) != 1 {
		t.Errorf("another name: found %q", found)
	}
}

func TestVerifyReportsEachTableOnce(t *testing.T) {
	b := newSmallBlog()
	var reported []blog.TableReport
	found, err := blog.Verify(t.Context(), b, func(r blog.TableReport) { reported = append(reported, r) })
	if err != nil || text(reported) != text(found.Tables) {
		t.Fatalf("reported %s, returned %s (%v)", text(reported), text(found.Tables), err)
	}
	rows, tables := 0, map[blog.Table]bool{}
	for _, r := range reported {
		rows += r.Rows
		if tables[r.Table] {
			t.Errorf("%s was reported twice", r.Table)
		}
		tables[r.Table] = true
	}
	if want := len(b.copies) + 2*len(b.counts); rows != want {
		t.Errorf("%d rows were compared, want %d", rows, want)
	}
}

func TestVerifyTellsTheFirstExamplesAndCountsAll(t *testing.T) {
	b := newSmallBlog()
	for i := range 30 {
		c := b.copies[0]
		c.Key = slices.Clone(c.Key)
		c.Key[0] = strings.Repeat("x", 3+i)
		b.copies = append(b.copies, c)
	}
	found, err := blog.Verify(t.Context(), b, nil)
	if err != nil || found.Drifted() != 30 || len(found.Tables[0].Examples) != 10 {
		t.Errorf("%d drifted, %d examples (%v)", found.Drifted(), len(found.Tables[0].Examples), err)
	}
}

func TestVerifyReturnsTheAuditorsFault(t *testing.T) {
	b := newSmallBlog()
	b.fault = errors.New("away")
	if _, err := blog.Verify(t.Context(), b, nil); !errors.Is(err, b.fault) {
		t.Errorf("got %v", err)
	}
}
