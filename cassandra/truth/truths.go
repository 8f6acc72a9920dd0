package truth

import (
	"context"
	"log/slog"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/coalesce"
)

const (
	// readSlots is how many reads of a process are under way at once, beyond which they gather.
	readSlots = 4

	// maxRows is how many rows one statement reads for several commands.
	maxRows = 32
)

// Config is what truths go by.
type Config struct {
	DB         *cql.Session
	Clock      blog.Clock    // for stamps
	AccountAge time.Duration // for which a command goes by its actor's account as it was read
	Log        *slog.Logger
}

// Truths are those of a cluster. They are safe for concurrent use.
type Truths struct {
	Users     *Users
	Posts     *Posts
	Comments  *Comments
	Groups    *Groups
	Reactions map[*blog.ReactionKind]*Reactions
	Claims    Claims
}

// New returns the truths of a cluster.
func New(c Config) *Truths {
	var commands counted.Limit
	reactions := map[*blog.ReactionKind]*Reactions{}
	for _, k := range blog.ReactionKinds {
		reactions[k] = newReactions(c, k, &commands)
	}
	users := newUsers(c)
	return &Truths{users, newPosts(c), newComments(c, &commands), newGroups(c), reactions, Claims{c.DB, users}}
}

// Counted is one of the truths that are counted partitions.
type Counted interface {
	Enter(parent blog.UUID) (leave func(), err error)
	Header(ctx context.Context, parent blog.UUID) (counted.Header, error)
	HeaderSerial(ctx context.Context, parent blog.UUID) (counted.Header, error)
	Fence(ctx context.Context, parent blog.UUID, floor int64) error
	Close(ctx context.Context, parent blog.UUID) error
	Clear(ctx context.Context, parent blog.UUID) error
}

// Counted returns the partitions of a table.
func (t *Truths) Counted(table blog.Table) Counted {
	if table == blog.CommentsByPost {
		return t.Comments
	}
	return t.Reactions[table.Reaction()]
}

// Parent reads where the copies of what is counted below it stand. NotFound: there is none.
func (t *Truths) Parent(ctx context.Context, of *blog.Subject, id blog.UUID) (blog.Parent, error) {
	switch of {
	case blog.AboutPost:
		return t.Posts.Ref(ctx, blog.PostID{UUID: id})
	case blog.AboutGroup:
		group := blog.GroupID{UUID: id}
		_, err := t.Groups.Read(ctx, group, t.Groups.db.One)
		if blog.IsNotFound(err) {
			err = of.ErrAbsent()
		}
		return group, err
	}
	account, err := t.Users.Account(ctx, blog.UserID{UUID: id})
	if err == nil && account.Gone() {
		err = of.ErrAbsent()
	}
	return blog.FollowedID{UUID: id}, err
}

// ParentForChange is [Posts.RefForChange] of any parent.
func (t *Truths) ParentForChange(ctx context.Context, of *blog.Subject, id blog.UUID, parent *blog.Parent) (read func() error) {
	if of == blog.AboutPost {
		ref := new(blog.PostRef)
		*parent = ref
		return t.Posts.RefForChange(ctx, blog.PostID{UUID: id}, ref)
	}
	if group := (blog.GroupID{UUID: id}); of == blog.AboutGroup {
		*parent = group
		return t.Groups.Stood(ctx, group)
	}
	return func() (err error) { *parent, err = t.Parent(ctx, of, id); return err }
}

// Below returns what does something with each truth that is counted below one of a subject, to be called at once.
func (t *Truths) Below(parent *blog.Subject, do func(blog.Table, Counted) error) (all []func() error) {
	for _, table := range parent.Counted() {
		all = append(all, func() error { return do(table, t.Counted(table)) })
	}
	return all
}

// Close closes for ever what is counted below a parent.
func (t *Truths) Close(ctx context.Context, parent *blog.Subject, id blog.UUID) error {
	return cql.Concurrently(t.Below(parent, func(_ blog.Table, of Counted) error { return of.Close(ctx, id) })...)
}

// Counts returns functions that read a post's counts into it, to be called at once.
func (t *Truths) Counts(ctx context.Context, p *blog.Post, serial bool) []func() error {
	return t.Below(blog.AboutPost, func(table blog.Table, of Counted) error {
		read := of.Header
		if serial {
			read = of.HeaderSerial
		}
		header, err := read(ctx, p.ID.UUID)
		*p.CountOf(table) = header.Count()
		return err
	})
}

// coalesced has commands that read rows of a table at once share statements, of some rows each.
func coalesced[K comparable, V any](c Config, many func(context.Context, []K) (map[K]V, error)) *coalesce.Next[K, V] {
	how := coalesce.Batching{Most: coalesce.Size{Count: maxRows}, Slots: readSlots, Limit: cql.CommandDeadline}
	return &coalesce.Next[K, V]{Many: many, Batching: how, Log: c.Log}
}
