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
	// How many reads of a process are under way at once, beyond which they gather. What is
	// done after replies is in no hurry: its slot pauses before the next read.
	readSlots = 4
	lateSlots = 1
	latePause = 10 * time.Millisecond

	// maxRows is how many rows one statement reads for several commands.
	maxRows = 32
)

// Config is what truths go by.
type Config struct {
	DB    *cql.Session
	Clock blog.Clock // for stamps
	Log   *slog.Logger
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
		reactions[k] = NewReactions(c, k, &commands, ReactionTable(c.DB, k))
	}
	users := newUsers(c)
	return &Truths{users, newPosts(c), NewComments(c, &commands, CommentTable(c.DB)), reactions, Claims{c.DB, users}}
}

// Counted is one of the truths that are counted partitions.
type Counted interface {
	Header(ctx context.Context, post blog.PostID) (counted.Header, error)
	HeaderSerial(ctx context.Context, post blog.PostID) (counted.Header, error)
}

// Counted returns the partitions of a table.
func (t *Truths) Counted(table blog.Table) Counted {
	if table == blog.CommentsByPost {
		return t.Comments
	}
	return t.Reactions[table.Reaction()]
}

// Close closes a post's comments and reactions for ever.
func (t *Truths) Close(ctx context.Context, post blog.PostID) error {
	closing := []func() error{func() error { return t.Comments.Close(ctx, post) }}
	for _, of := range t.Reactions {
		closing = append(closing, func() error { return of.Close(ctx, post) })
	}
	return cql.Concurrently(closing...)
}

// Counts returns functions that read a post's counts into it, to be called at once.
func (t *Truths) Counts(p *blog.Post, read func(Counted, blog.PostID) (counted.Header, error)) []func() error {
	reading := func(of Counted, count *blog.Count) func() error {
		return func() error {
			header, err := read(of, p.ID)
			*count = header.Count()
			return err
		}
	}
	reads := []func() error{reading(t.Comments, &p.Comments)}
	for k, of := range t.Reactions {
		reads = append(reads, reading(of, k.Count(p)))
	}
	return reads
}

func (c Config) counted(table blog.Table, full func(field string, rows, bytes int) error, limit *counted.Limit) counted.Config {
	return counted.Config{
		Table: table, Full: full, Gone: func() error { return blog.ErrNoPost("postId") },
		Clock: c.Clock, Deadline: cql.CommandDeadline, Log: c.Log, Limit: limit,
	}
}

// coalesced has commands that read rows of a table at once share statements, of some rows each.
func coalesced[K comparable, V any](c Config, many func(context.Context, []K) (map[K]V, error), slots int, pause time.Duration) *coalesce.Next[K, V] {
	how := coalesce.Batching{Most: coalesce.Size{Count: maxRows}, Slots: slots, Pause: pause, Limit: cql.CommandDeadline}
	return &coalesce.Next[K, V]{Many: many, Batching: how, Log: c.Log}
}
