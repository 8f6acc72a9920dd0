package dataset

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// Writing is how a plan is carried out.
type Writing struct {
	Concurrency int                         // commands at once; default 32
	AtOnce      bool                        // one post's comments and likes all at once, and Concurrency posts: the store may combine them
	Progress    interface{ Add(int) error } // counts commands, at once by many; nil: nothing does
	Clock       *Clock                      // the store's; nil: all is dated as it is written
	Log         *slog.Logger                // of commands that are repeated; nil: none
}

// Write carries the plan out on a store that does not hold any of its users. It
// returns at the first error, but repeats what a store could not answer in time. Such
// a command may have happened, so a post or a comment may then stand twice.
func (p *Plan) Write(ctx context.Context, store blog.Store, how Writing) error {
	if how.Concurrency == 0 {
		how.Concurrency = 32
	}
	how.Clock.pass(0)
	defer how.Clock.pass(1)
	run := &run{Plan: p, Writing: how, store: store, accounts: make([]blog.UserID, p.users)}
	if err := inParallel(ctx, how.Concurrency, p.users, run.user); err != nil {
		return err
	}
	if err := inParallel(ctx, how.Concurrency, len(p.follows), run.follow); err != nil {
		return err
	}
	if err := inParallel(ctx, how.Concurrency, len(p.groups), run.group); err != nil {
		return err
	}
	return inParallel(ctx, how.Concurrency, len(p.posts), run.post)
}

type run struct {
	*Plan
	Writing
	store    blog.Store
	accounts []blog.UserID

	dating sync.Mutex
	dated  int
}

// date has the clock come to where the next post is written: one at a time, until that is over.
func (r *run) date() (over func()) {
	if r.Clock == nil {
		return func() {}
	}
	r.dating.Lock()
	r.dated++
	r.Clock.pass(float64(r.dated) / float64(len(r.posts)))
	return r.dating.Unlock
}

// inParallel does n things, at most so many at once: below 0, all; with 1, in their order.
func inParallel(ctx context.Context, atOnce, n int, do func(context.Context, int) error) error {
	g, groups := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := range n {
		if groups.Err() != nil {
			break
		}
		g.Go(func() error { return do(groups, i) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// user makes an account. Where an attempt was not answered in time and the next one
// finds the name taken, the account is the first one's.
func (r *run) user(ctx context.Context, n int) error {
	c, again := account(r.seed, n), false
	return r.attempt(ctx, func() error {
		user, err := r.store.CreateUser(ctx, c)
		if again && blog.KindOf(err) == blog.Taken {
			user, err = r.store.UserBySubject(ctx, c.Subject)
		}
		again = true
		r.accounts[n] = user.ID
		return err
	})
}

func (r *run) follow(ctx context.Context, n int) error {
	return r.attempt(ctx, func() error {
		_, _, err := r.store.FollowUser(ctx, blog.FollowUser{Actor: r.accounts[r.follows[n][0]], User: r.accounts[r.follows[n][1]]})
		return err
	})
}

// group makes a group of its subject's name, and has its members join it.
func (r *run) group(ctx context.Context, n int) error {
	name := subjects()[n]["name"][0]
	return inParallel(ctx, 1, 1+len(r.groups[n]), func(ctx context.Context, i int) error {
		member, again := r.accounts[r.groups[n][max(i-1, 0)]], false
		return r.attempt(ctx, func() (err error) {
			if i > 0 {
				_, _, err = r.store.JoinGroup(ctx, blog.JoinGroup{Actor: member, Group: blog.GroupOf(name)})
			} else if _, err = r.store.CreateGroup(ctx, blog.CreateGroup{Owner: member, Name: name, Title: capital(name)}); again && blog.KindOf(err) == blog.Taken {
				err = nil // by the first attempt
			}
			again = true
			return err
		})
	})
}

// post writes one post, then its comments, then its likes, unless they are to come
// together. Commands on one post would wait for each other in any case.
func (r *run) post(ctx context.Context, n int) error {
	d := r.draft(r.posts[n])
	create := blog.CreatePost{Author: r.accounts[r.posts[n].author], Title: d.title, Content: d.content}
	if d.subject < len(r.groups) && slices.Contains(r.groups[d.subject], r.posts[n].author) {
		create.Group = blog.GroupOf(subjects()[d.subject]["name"][0])
	}
	var id blog.PostID
	err := r.attempt(ctx, func() error {
		defer r.date()()
		created, err := r.store.CreatePost(ctx, create)
		id = created.ID
		return err
	})
	if err != nil {
		return err
	}
	atOnce := 1
	if r.AtOnce {
		atOnce = -1
	}
	said := make([]blog.CommentKey, 1+len(d.comments))
	return inParallel(ctx, atOnce, len(d.comments)+len(d.likers), func(ctx context.Context, i int) error {
		return r.attempt(ctx, func() (err error) {
			if likes := i - len(d.comments); likes >= 0 {
				_, _, err = r.store.LikePost(ctx, blog.LikePost{Actor: r.accounts[d.likers[likes]], Post: id})
				return err
			}
			c := d.comments[i]
			create := blog.CreateComment{Author: r.accounts[c.author], Post: id, Content: c.text}
			if !r.AtOnce {
				create.Parent = said[c.to]
			}
			made, _, err := r.store.CreateComment(ctx, create)
			said[1+i] = blog.CommentKey{Post: id, Comment: made.ID}
			return err
		})
	})
}

const (
	attempts   = 8
	firstPause = 100 * time.Millisecond
)

// attempt repeats a command that the store could not answer, with longer and longer
// pauses: half a minute in all.
func (r *run) attempt(ctx context.Context, command func() error) error {
	for i := 1; ; i++ {
		err := command()
		switch kind := blog.KindOf(err); {
		case err == nil:
			if r.Progress != nil {
				_ = r.Progress.Add(1)
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case i == attempts, kind != blog.Unavailable && kind != blog.Timeout:
			return err
		}
		if r.Log != nil {
			r.Log.Debug("a command is repeated", "cause", err)
		}
		if err := pace.Wait(ctx, firstPause<<i); err != nil {
			return err
		}
	}
}
