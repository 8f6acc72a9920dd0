package cassandra_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/testkeyspace"

	"golang.org/x/sync/errgroup"
)

// recorder writes down every statement of a store.
type recorder struct {
	mu   sync.Mutex
	made []blog.Statement
}

func (r *recorder) Statement(_ context.Context, s blog.Statement) {
	if s.Table == blog.ChangeLogs && s.Kind == blog.Write { // a server renews its log by time, whatever is asked of it
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made = append(r.made, s)
}

// take returns the statements since it was last called.
func (r *recorder) take() []blog.Statement {
	r.mu.Lock()
	defer r.mu.Unlock()
	made := r.made
	r.made = nil
	return made
}

// during returns the tables that were read while do ran, once for each statement,
// and fails where a statement was more than the read of one partition.
func (r *recorder) during(t *testing.T, do func() error) []blog.Table {
	t.Helper()
	r.take()
	if err := do(); err != nil {
		t.Fatal(err)
	}
	var tables []blog.Table
	for _, s := range r.take() {
		if s.Kind != blog.Read || s.Partitions != 1 {
			t.Errorf("made a %s of %d partitions of %s", s.Kind, s.Partitions, s.Table)
		}
		tables = append(tables, s.Table)
	}
	return tables
}

// What every query costs, with little data and with much: as many statements as
// are named, each on one partition. A page without rows costs one more.
func TestStatementsOfQueries(t *testing.T) {
	t.Parallel()
	var made recorder
	store := open(t, blog.Options{Observer: &made})
	ctx := t.Context()
	for _, size := range []int{1, 130} {
		d := dataset(t, store, size)
		for _, c := range []struct {
			name string
			do   func() error
			want []blog.Table
		}{
			{"Q1 by id", func() error { _, err := store.UserByID(ctx, d.user.ID); return err }, []blog.Table{blog.UsersByID}},
			{"Q1 by username", func() error { _, err := store.UserByUsername(ctx, d.user.Username); return err }, []blog.Table{blog.UsersByUsername}},
			{"Q1 by e-mail", func() error { _, err := store.UserByEmail(ctx, *d.user.Email); return err }, []blog.Table{blog.UsersByEmail}},
			{"Q1 by subject", func() error { _, err := store.UserBySubject(ctx, d.user.Subject); return err }, []blog.Table{blog.UsersBySubject}},
			{"Q2", func() error { _, err := store.PostByID(ctx, d.post.ID); return err }, []blog.Table{blog.PostsByID}},
			{"Q3", pages(func(r blog.PageRequest[blog.PostID]) (int, error) {
				page, err := store.PostsByAuthor(ctx, d.user.ID, r)
				return len(page.Items), err
			}), []blog.Table{blog.PostsByAuthor, blog.PostsByAuthor}},
			{"Q3 without rows", func() error {
				_, err := store.PostsByAuthor(ctx, d.quiet.ID, blog.FirstPage[blog.PostID](20))
				return err
			}, []blog.Table{blog.PostsByAuthor, blog.UsersByID}},
			{"Q4", pages(func(r blog.PageRequest[blog.CommentID]) (int, error) {
				page, err := store.CommentsByPost(ctx, blog.CommentsQuery{Post: d.post.ID, Page: r})
				return len(page.Items), err
			}), []blog.Table{blog.CommentsByPost, blog.CommentsByPost}},
			{"Q4 between two times, oldest first", func() error {
				_, err := store.CommentsByPost(ctx, blog.CommentsQuery{Post: d.post.ID, Page: blog.PageRequest[blog.CommentID]{
					Limit: 20, Order: blog.OldestFirst, From: d.post.CreatedAt(), To: time.Now().Add(time.Hour),
				}})
				return err
			}, []blog.Table{blog.CommentsByPost}},
			{"Q4 without rows", func() error {
				_, err := store.CommentsByPost(ctx, blog.CommentsQuery{Post: d.bare.ID, Page: blog.FirstPage[blog.CommentID](20)})
				return err
			}, []blog.Table{blog.CommentsByPost, blog.PostsByID}},
			{"Q4 one comment", func() error { _, err := store.CommentByKey(ctx, d.comment.Key()); return err }, []blog.Table{blog.CommentsByPost}},
			{"Q4 by author", pages(func(r blog.PageRequest[blog.CommentID]) (int, error) {
				page, err := store.CommentsByAuthor(ctx, d.user.ID, r)
				return len(page.Items), err
			}), []blog.Table{blog.CommentsByAuthor, blog.CommentsByAuthor}},
			{"Q5", pages(func(r blog.PageRequest[blog.ReactionPosition]) (int, error) {
				page, err := store.LikesByPost(ctx, d.post.ID, r)
				return len(page.Items), err
			}), []blog.Table{blog.LikesByPost, blog.LikesByPost}},
			{"Q5 without rows", func() error {
				_, err := store.LikesByPost(ctx, d.bare.ID, blog.FirstPage[blog.ReactionPosition](20))
				return err
			}, []blog.Table{blog.LikesByPost, blog.PostsByID}},
			{"Q5 does this user like these", func() error {
				_, err := store.LikedPosts(ctx, d.user.ID, slices.Repeat([]blog.UUID{d.post.ID.UUID, d.bare.ID.UUID}, 50))
				return err
			}, []blog.Table{blog.LikesByUser}},
		} {
			t.Run(fmt.Sprintf("%s, of %d rows", c.name, size), func(t *testing.T) {
				if got := made.during(t, c.do); !slices.Equal(got, c.want) {
					t.Errorf("read %v, want %v", got, c.want)
				}
			})
		}
	}
}

// pages reads the list's first and last rows.
func pages[K any](read func(blog.PageRequest[K]) (rows int, err error)) func() error {
	return func() error {
		for _, backward := range []bool{false, true} {
			rows, err := read(blog.PageRequest[K]{Limit: blog.MaxPage, Backward: backward})
			if err == nil && rows == 0 {
				err = fmt.Errorf("there are no rows")
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

type data struct {
	user, quiet blog.User
	post, bare  blog.Post
	comment     blog.Comment
}

// dataset makes a user with so many posts, of which one has so many comments and
// likes, and waits until nothing is left to do.
func dataset(t *testing.T, store *cassandra.Store, size int) data {
	t.Helper()
	d := data{user: testkeyspace.NewUser(t, store), quiet: testkeyspace.NewUser(t, store)}
	for range size {
		d.bare = testkeyspace.NewPost(t, store, d.user)
	}
	d.post = testkeyspace.NewPost(t, store, d.user)
	for range size {
		c, _, err := store.CreateComment(t.Context(), blog.CreateComment{Author: d.user.ID, Post: d.post.ID, Content: "A comment."})
		must(t, err)
		d.comment = c
	}
	fans := []blog.User{d.user}
	for len(fans) < size {
		fans = append(fans, testkeyspace.NewUser(t, store))
	}
	for _, fan := range fans {
		_, _, err := store.LikePost(t.Context(), blog.LikePost{Actor: fan.ID, Post: d.post.ID})
		must(t, err)
	}
	must(t, store.Settle(t.Context()))
	return d
}

// newPosts makes posts, several at once: one after the other each waits for the disk alone.
func newPosts(t testing.TB, store *cassandra.Store, author blog.User, n int) {
	t.Helper()
	var all errgroup.Group
	all.SetLimit(16)
	for range n {
		all.Go(func() error {
			_, err := store.CreatePost(t.Context(), blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some content."})
			return err
		})
	}
	must(t, all.Wait())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What every command writes once its author's name is known: the journal, its truth, and the
// copies, in one batch that tells of each table its distinct partitions and rows. Nothing else
// runs, so no batch is shared.
func TestStatementsOfCommands(t *testing.T) {
	t.Parallel()
	var made recorder
	store := open(t, blog.Options{Observer: &made})
	ctx := t.Context()
	author, reader := testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store)
	p := testkeyspace.NewPost(t, store, author)
	var c blog.Comment
	for _, of := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"C1 create", func() error { testkeyspace.NewUser(t, store); return nil }, []string{
			"conditional email_claims 1/1", "conditional subject_claims 1/1", "conditional username_claims 1/1",
			"conditional users_by_id 1/1", "write changes_by_log 1/1", "write journal 1/1", "write journal 1/1",
			"write users_by_subject 1/1 users_by_username 1/1 users_by_email 1/1",
		}},
		{"C1 edit", func() error {
			_, err := store.UpdateUser(ctx, blog.UpdateUser{Actor: reader.ID, Bio: blog.SetTo("Thinks.")})
			return err
		}, []string{
			"conditional users_by_id 1/1", "write changes_by_log 1/1", "write journal 1/1", "write journal 1/1",
			"write users_by_subject 1/1 users_by_username 1/1 users_by_email 1/1",
		}},
		{"C2 create", func() error { testkeyspace.NewPost(t, store, author); return nil }, []string{
			"conditional posts_by_id 1/1", "write changes_by_log 1/1", "write journal 1/1", "write journal 1/1",
			"write posts_by_author 1/2 feed_by_bucket 1/1 posts_by_id 1/1",
		}},
		{"C2 edit", func() error {
			_, err := store.UpdatePost(ctx, blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("Another")})
			return err
		}, []string{
			"conditional posts_by_id 1/1", "write changes_by_log 1/1", "write journal 1/1", "write journal 1/1",
			"write posts_by_author 1/1 feed_by_bucket 1/1",
		}},
		{"C3 create", func() (err error) {
			c, _, err = store.CreateComment(ctx, blog.CreateComment{Author: reader.ID, Post: p.ID, Content: "A comment."})
			return err
		}, []string{
			"conditional comments_by_post 1/2", "write changes_by_log 1/1", "write journal 1/1", "write journal 1/1",
			"write posts_by_id 1/1 posts_by_author 1/1 feed_by_bucket 1/1 comments_by_author 1/2 comments_by_post_and_author 1/1 comments_by_thread 1/1 comments_by_post 1/1",
		}},
		{"C3 edit", func() (err error) {
			c, err = store.UpdateComment(ctx, blog.UpdateComment{Actor: reader.ID, Key: c.Key(), Content: "Another."})
			return err
		}, []string{
			"conditional comments_by_post 1/2", "write changes_by_log 1/1", "write comments_by_author 1/1 comments_by_post_and_author 1/1 comments_by_thread 1/1", "write journal 1/1", "write journal 1/1",
		}},
		{"C3 delete", func() error {
			_, err := store.DeleteComment(ctx, blog.DeleteComment{Actor: reader.ID, Key: c.Key()})
			return err
		}, []string{
			"conditional comments_by_post 1/2",
			"write changes_by_log 1/1", "write comments_by_author 1/1 comments_by_post_and_author 1/1 comments_by_thread 1/1 posts_by_id 1/1 posts_by_author 1/1 feed_by_bucket 1/1 comments_by_post 1/1",
			"write journal 1/1", "write journal 1/1",
		}},
		{"C4 like", func() error {
			_, _, err := store.LikePost(ctx, blog.LikePost{Actor: reader.ID, Post: p.ID})
			return err
		}, []string{
			"conditional like_claims 1/2", "write changes_by_log 1/1", "write journal 1/1", "write journal 1/1",
			"write likes_by_post 1/2 likes_by_user 1/1 likes_by_user_and_time 1/1 posts_by_id 1/1 posts_by_author 1/1 feed_by_bucket 1/1",
		}},
		{"C4 unlike", func() error {
			_, err := store.UnlikePost(ctx, blog.UnlikePost{Actor: reader.ID, Post: p.ID})
			return err
		}, []string{
			"conditional like_claims 1/2", "write changes_by_log 1/1", "write journal 1/1", "write journal 1/1",
			"write likes_by_post 1/2 likes_by_user 1/1 likes_by_user_and_time 1/1 posts_by_id 1/1 posts_by_author 1/1 feed_by_bucket 1/1",
		}},
	} {
		t.Run(of.name, func(t *testing.T) {
			must(t, store.Settle(ctx))
			made.take()
			must(t, of.do())
			must(t, store.Settle(ctx))
			if got := writesTold(made.take()); !slices.Equal(got, of.want) {
				t.Errorf("got\n%q, want\n%q", got, of.want)
			}
		})
	}
}

// writes returns the statements that write: their kind, and each table with its partitions
// and rows, in alphabetical order.
func writesTold(made []blog.Statement) []string {
	var all []string
	for _, s := range made {
		if s.Kind == blog.Read {
			continue
		}
		text := string(s.Kind)
		for _, of := range s.ByTable() {
			text += fmt.Sprintf(" %s %d/%d", of.Table, of.Partitions, of.Rows)
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}
