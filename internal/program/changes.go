package program

import (
	"context"
	"encoding/json"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/changes"
	"broadsheet/internal/pace"
	"broadsheet/internal/relay"
)

type changesCommand struct {
	After  *string `placeholder:"CURSOR" help:"Print what follows this cursor, which a line before had. The default is none: what follows from now on."`
	Follow bool    `default:"true" negatable:"" help:"Wait for more. The default is yes; with the embedded store there is more only while a server runs."`
}

// changeLine is a line of the output. One with a cursor alone says where the feed stands: the first one, and those that
// keep a follower's cursor good while nothing is written and logs are removed.
type changeLine struct {
	Cursor   string          `json:"cursor"`
	At       *time.Time      `json:"at,omitempty"`
	Kind     blog.ChangeKind `json:"kind,omitempty"`
	Actor    string          `json:"actorId,omitempty"`
	User     string          `json:"userId,omitempty"`
	Post     string          `json:"postId,omitempty"`
	Comment  string          `json:"commentId,omitempty"`
	Followed string          `json:"followedId,omitempty"`
	Group    string          `json:"groupId,omitempty"`
}

// changesAtOnce is how many changes of one log are read at once.
const changesAtOnce = 1000

// Run prints changes as they come, a JSON object a line.
func (c *changesCommand) Run(ctx context.Context, p *program) error {
	if err := p.onExisting(ctx, c); ctx.Err() == nil {
		return err
	}
	return nil // a signal ended it
}

// from is where to begin. An empty cursor is refused: no line had it, so it was lost.
func (c *changesCommand) from(ctx context.Context, store blog.Store) (changes.Cursor, error) {
	if c.After == nil {
		return changes.Now(ctx, store.Changes(), blog.SystemClock{})
	}
	return changes.ParseCursor(*c.After)
}

func (c *changesCommand) on(ctx context.Context, p *program, store blog.Store) error {
	from, err := c.from(ctx, store)
	if err != nil {
		return err
	}
	out, reader := &changeLines{json: json.NewEncoder(p.stdout)}, changes.Follow(store.Changes(), from)
	for err = out.stand(from); err == nil && ctx.Err() == nil; {
		var events []changes.Event
		events, err = reader.Next(ctx, changesAtOnce)
		for _, e := range events {
			if err := out.write(lineOf(e)); err != nil {
				return err
			}
		}
		if err == nil && len(events) == 0 {
			err = out.stand(reader.Cursor())
			if !c.Follow || p.store.Store == StoreEmbedded && !p.beside {
				return err
			}
			_ = pace.Wait(ctx, changes.Interval) // its end is looked for above
		}
	}
	return err
}

// changeLines are the output.
type changeLines struct {
	json *json.Encoder
	last string // the cursor of the last one
}

// stand prints a cursor alone, unless the last line has it.
func (l *changeLines) stand(at changes.Cursor) error {
	if text := at.String(); text != l.last {
		return l.write(changeLine{Cursor: text})
	}
	return nil
}

func (l *changeLines) write(line changeLine) error {
	l.last = line.Cursor
	return l.json.Encode(line)
}

func lineOf(e changes.Event) changeLine {
	line := changeLine{Cursor: e.Cursor.String(), At: &e.At, Kind: e.Kind}
	if !e.Actor.IsZero() {
		line.Actor = relay.EncodeID(e.Actor)
	}
	if !e.User.IsZero() {
		line.User = relay.EncodeID(e.User)
	}
	if !e.Post.IsZero() {
		line.Post = relay.EncodeID(e.Post)
	}
	if !e.Followed.IsZero() {
		line.Followed = relay.EncodeID(blog.UserID(e.Followed))
	}
	if !e.Group.IsZero() {
		line.Group = relay.EncodeID(e.Group)
	}
	if !e.Comment.IsZero() {
		line.Comment = relay.EncodeID(blog.CommentKey{Post: e.Post, Comment: e.Comment})
	}
	return line
}
