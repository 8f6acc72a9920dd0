package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"broadsheet/blog"
)

// Counts under many clients at once.
var exactness = []leaf{
	{"500 comments, likes and what takes them back", func(f *fixture) {
		users := f.users(clients)
		posts := []blog.Post{f.post(users[0]), f.post(users[1]), f.post(users[1])}
		work := make([]*client, clients)
		for i, u := range users {
			work[i] = &client{f: f, user: u, posts: posts, likes: map[blog.PostID]bool{}, random: rand.New(rand.NewPCG(f.random.Uint64(), 0))}
		}
		f.atOnce(clients, func(i int) error { return work[i].run(500 / clients) })
		f.settle()
		for _, p := range posts {
			f.checkRows(p, work)
		}
	}},
	{"likes and their opposites of one user", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.atOnce(clients, func(i int) error {
			for j := range 6 {
				if _, err := f.toggle(fan, p, (i+j)%2 == 0); err != nil {
					return err
				}
			}
			return nil
		})
		n := len(f.reactionsOf(p))
		equal(f, "rows and counts", append(f.reactionCounts(p), len(f.reacted(fan, p))), []int{n, n, n, n, n})
		f.react(fan, p)
		equal(f, "rows and counts", append(f.reactionCounts(p), len(f.reactionsOf(p))), []int{1, 1, 1, 1, 1})
	}},
	{"one comment deleted by many clients is deleted once", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		comments := f.comments(author, p, 2)
		deleted := make([]bool, clients)
		f.atOnce(clients, func(i int) error {
			_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: author.ID, Key: comments[0].Key()})
			deleted[i] = err == nil
			return unless(err, blog.NotFound, "id")
		})
		equal(f, "successes", count(deleted), 1)
		equal(f, "counts", f.commentCounts(p), []int{1, 1, 1, 1})
	}},
}

// client makes random commands and remembers what must stand in the end.
type client struct {
	f        *fixture
	user     blog.User
	posts    []blog.Post
	random   *rand.Rand
	comments []blog.Comment
	likes    map[blog.PostID]bool
}

func (c *client) run(commands int) error {
	for range commands {
		p := c.posts[c.random.IntN(len(c.posts))]
		if err := c.one(p); err != nil {
			return fmt.Errorf("%s: %w", c.user.Username, err)
		}
	}
	return nil
}

func (c *client) one(p blog.Post) error {
	switch n := c.random.IntN(10); {
	case n < 3:
		comment, _, err := c.f.store.CreateComment(c.f.ctx, blog.CreateComment{Author: c.user.ID, Post: p.ID, Content: "x"})
		c.comments = append(c.comments, comment)
		return err
	case n < 5 && len(c.comments) > 0:
		i := c.random.IntN(len(c.comments))
		gone := c.comments[i]
		c.comments = slices.Delete(c.comments, i, i+1)
		_, err := c.f.store.DeleteComment(c.f.ctx, blog.DeleteComment{Actor: c.user.ID, Key: gone.Key()})
		return err
	default:
		c.likes[p.ID] = n < 8
		_, err := c.f.toggle(c.user, p, n < 8)
		return err
	}
}

// checkRows fails unless the rows of a post are those that its clients left, in
// every table, and every count is their number.
func (f *fixture) checkRows(p blog.Post, work []*client) {
	f.Helper()
	var comments, likes []string
	for _, c := range work {
		mine := []string{}
		for _, comment := range c.comments {
			if comment.Post == p.ID {
				mine = append(mine, comment.ID.String())
			}
		}
		equal(f, "comments by author", f.commentIDsOn(p, f.commentsBy(c.user)), sorted(mine))
		equal(f, "likes by user", len(f.reacted(c.user, p)) == 1, c.likes[p.ID])
		comments = append(comments, mine...)
		if c.likes[p.ID] {
			likes = append(likes, c.user.ID.String())
		}
	}
	equal(f, "comments", f.commentIDsOn(p, f.commentsOf(p)), sorted(comments))
	equal(f, "likes", sorted(keysOf(f.reactionsOf(p), func(l blog.Reaction) string { return l.User.ID.String() })), sorted(likes))
	n, m := len(comments), len(likes)
	equal(f, "comment counts", f.commentCounts(p), []int{n, n, n, n})
	equal(f, "like counts", f.reactionCounts(p), []int{m, m, m, m})
}

func (f *fixture) commentIDsOn(p blog.Post, comments []blog.Comment) []string {
	ids := []string{}
	for _, c := range comments {
		if c.Post == p.ID {
			ids = append(ids, c.ID.String())
		}
	}
	return sorted(ids)
}

func sorted(texts []string) []string {
	return append([]string{}, slices.Sorted(slices.Values(texts))...)
}

func count(marks []bool) int {
	n := 0
	for _, mark := range marks {
		if mark {
			n++
		}
	}
	return n
}
