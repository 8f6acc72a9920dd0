package program

import (
	"context"
	"encoding/json"
	"time"

	"broadsheet/blog"
	"broadsheet/changes"
	"broadsheet/relay"
)

type changesCommand struct {
	After  string `placeholder:"CURSOR" help:"Print what follows this cursor, which a line before had. The default is none: what follows from now on."`
	Follow bool   `default:"true" negatable:"" help:"Wait for more. The default is yes; with the embedded store, which is one process' own, there is no more."`
}

// changeLine is a line of the output. The first one has a cursor alone: where the feed stands.
type changeLine struct {
	Cursor  string          `json:"cursor"`
	At      *time.Time      `json:"at,omitempty"`
	Kind    blog.ChangeKind `json:"kind,omitempty"`
	Actor   string          `json:"actorId,omitempty"`
	Post    string          `json:"postId,omitempty"`
	Comment string          `json:"commentId,omitempty"`
}

// changesAtOnce is how many changes of one log are read at once.
const changesAtOnce = 1000

// Run prints changes as they come, a JSON object a line. A reader goes on after the last line that
// it has dealt with.
func (c *changesCommand) Run(ctx context.Context, p *program) error {
	return p.withExisting(ctx, func(store blog.Store) error {
		out := json.NewEncoder(p.stdout)
		from, err := c.start(ctx, store)
		if err == nil {
			err = out.Encode(changeLine{Cursor: from.String()})
		}
		for reader := changes.Follow(store.Changes(), from); err == nil && ctx.Err() == nil; {
			var more bool
			more, err = c.print(ctx, reader, out)
			if err == nil && !more {
				if !c.Follow || p.store.Store == storeEmbedded {
					return nil
				}
				select {
				case <-ctx.Done():
				case <-time.After(changes.Interval):
				}
			}
		}
		if ctx.Err() != nil {
			return nil // it was told to end
		}
		return err
	})
}

func (c *changesCommand) start(ctx context.Context, store blog.Store) (changes.Cursor, error) {
	if c.After == "" {
		return changes.Now(ctx, store.Changes(), blog.SystemClock{})
	}
	return changes.ParseCursor(c.After)
}

// print prints what follows, if anything does.
func (c *changesCommand) print(ctx context.Context, reader *changes.Reader, out *json.Encoder) (more bool, err error) {
	events, err := reader.Next(ctx, changesAtOnce)
	for _, e := range events {
		if err := out.Encode(lineOf(e)); err != nil {
			return false, err
		}
	}
	return len(events) > 0, err
}

func lineOf(e changes.Event) changeLine {
	line := changeLine{Cursor: e.Cursor.String(), At: &e.At, Kind: e.Kind, Actor: relay.EncodeID(e.Actor)}
	if !e.Post.IsZero() {
		line.Post = relay.EncodeID(e.Post)
	}
	if !e.Comment.IsZero() {
		line.Comment = relay.EncodeID(blog.CommentKey{Post: e.Post, Comment: e.Comment})
	}
	return line
}
