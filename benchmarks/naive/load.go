package naive

import (
	"context"
	"sync"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
	"golang.org/x/sync/errgroup"
)

// loaders is how many posts are copied at once, batchSize how many items of one post
// go in one batch.
const (
	loaders   = 8
	batchSize = 50
)

// A post is copied again, after a longer and longer pause, where a node was too busy.
const (
	attempts   = 6
	firstPause = 250 * time.Millisecond
)

// Load copies a blog into the tables of both versions, with everything as it stands
// there. step is called after each post.
func (k *Keyspace) Load(ctx context.Context, from blog.Queries, step func()) error {
	l := &load{Keyspace: k, from: from, known: map[blog.UserID]bool{}}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(loaders)
	page := blog.FirstPage[blog.PostID](blog.MaxPage)
	for more := true; more && ctx.Err() == nil; {
		found, err := from.Feed(ctx, page)
		if err != nil {
			g.Go(func() error { return err })
			break
		}
		for _, p := range found.Items {
			g.Go(func() error {
				defer step()
				return l.patiently(ctx, p.ID)
			})
			page.After = &p.ID
		}
		more = found.HasNext && len(found.Items) > 0
	}
	return g.Wait()
}

type load struct {
	*Keyspace
	from  blog.Queries
	mu    sync.Mutex
	known map[blog.UserID]bool
}

// patiently copies a post. To write what stands already changes nothing.
func (l *load) patiently(ctx context.Context, key blog.PostID) error {
	for i := 1; ; i++ {
		err := l.post(ctx, key)
		if err == nil || i == attempts || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(firstPause << i):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *load) post(ctx context.Context, key blog.PostID) error {
	p, err := l.from.PostByID(ctx, key)
	if err != nil {
		return err
	}
	plain := []entry{{insertPost, postArgs(p)}}
	copies := []entry{{insertPostWithCopies, append(postArgs(p), p.Author.Username, p.Comments.N, p.Likes.N)}}
	people := []blog.UserID{p.Author.ID}
	add := func(insert, withCopies statement, args []any, who blog.Author) {
		plain = append(plain, entry{insert, args})
		copies = append(copies, entry{withCopies, append(args[:len(args):len(args)], who.Username)})
		people = append(people, who.ID)
	}
	if err := l.comments(ctx, key, add); err != nil {
		return err
	}
	if err := l.likes(ctx, key, add); err != nil {
		return err
	}
	for _, who := range people {
		if err := l.user(ctx, who); err != nil {
			return err
		}
	}
	for _, entries := range [][]entry{plain, copies} {
		if err := l.put(ctx, entries); err != nil {
			return err
		}
	}
	return nil
}

type addItem func(insert, withCopies statement, args []any, who blog.Author)

func (l *load) comments(ctx context.Context, post blog.PostID, add addItem) error {
	query := blog.CommentsQuery{Post: post, Page: blog.FirstPage[blog.CommentID](blog.MaxPage)}
	for more := true; more; {
		found, err := l.from.CommentsByPost(ctx, query)
		if err != nil {
			return err
		}
		for _, c := range found.Items {
			add(insertComment, insertCommentWithCopies, commentArgs(c), c.Author)
			query.Page.After = &c.ID
		}
		more = found.HasNext
	}
	return nil
}

func (l *load) likes(ctx context.Context, post blog.PostID, add addItem) error {
	page := blog.FirstPage[blog.ReactionPosition](blog.MaxPage)
	for more := true; more; {
		found, err := l.from.LikesByPost(ctx, post, page)
		if err != nil {
			return err
		}
		for _, like := range found.Items {
			add(insertLike, insertLikeWithCopies, likeArgs(like), like.User)
			at := like.Position()
			page.After = &at
		}
		more = found.HasNext
	}
	return nil
}

// user copies an account, unless that was done.
func (l *load) user(ctx context.Context, who blog.UserID) error {
	l.mu.Lock()
	known := l.known[who]
	l.mu.Unlock()
	if known {
		return nil
	}
	u, err := l.from.UserByID(ctx, who)
	if err == nil {
		err = l.putUser(ctx, u)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.known[who] = true
	l.mu.Unlock()
	return nil
}

type entry struct {
	statement
	args []any
}

// put writes items of one partition.
func (l *load) put(ctx context.Context, entries []entry) error {
	for len(entries) > 0 {
		n := min(len(entries), batchSize)
		batch := l.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx)
		for _, e := range entries[:n] {
			batch.Query(e.cql, e.args...)
		}
		if err := l.session.ExecuteBatch(batch); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}
