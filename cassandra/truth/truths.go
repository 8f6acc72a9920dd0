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
	return &Truths{users, newPosts(c), newComments(c, &commands), reactions, Claims{c.DB, users}}
}

// Counted is one of the truths that are counted partitions.
type Counted interface {
	Enter(post blog.PostID) (leave func(), err error)
	Header(ctx context.Context, post blog.PostID) (counted.Header, error)
	HeaderSerial(ctx context.Context, post blog.PostID) (counted.Header, error)
	Fence(ctx context.Context, post blog.PostID, floor int64) error
	Close(ctx context.Context, post blog.PostID) error
	Clear(ctx context.Context, post blog.PostID) error
}

// Counted returns the partitions of a table.
func (t *Truths) Counted(table blog.Table) Counted {
	if table == blog.CommentsByPost {
		return t.Comments
	}
	return t.Reactions[table.Reaction()]
}

// Each returns what does something with each truth that is a counted partition, to be called at once.
func (t *Truths) Each(do func(blog.Table, Counted) error) (all []func() error) {
	for _, table := range blog.CountedTables {
		all = append(all, func() error { return do(table, t.Counted(table)) })
	}
	return all
}

// Close closes a post's comments and reactions for ever.
func (t *Truths) Close(ctx context.Context, post blog.PostID) error {
	return cql.Concurrently(t.Each(func(_ blog.Table, of Counted) error { return of.Close(ctx, post) })...)
}

// Counts returns functions that read a post's counts into it, to be called at once.
func (t *Truths) Counts(ctx context.Context, p *blog.Post, serial bool) []func() error {
	return t.Each(func(table blog.Table, of Counted) error {
		read := of.Header
		if serial {
			read = of.HeaderSerial
		}
		header, err := read(ctx, p.ID)
		*p.CountOf(table) = header.Count()
		return err
	})
}

// coalesced has commands that read rows of a table at once share statements, of some rows each.
func coalesced[K comparable, V any](c Config, many func(context.Context, []K) (map[K]V, error)) *coalesce.Next[K, V] {
	how := coalesce.Batching{Most: coalesce.Size{Count: maxRows}, Slots: readSlots, Limit: cql.CommandDeadline}
	return &coalesce.Next[K, V]{Many: many, Batching: how, Log: c.Log}
}
