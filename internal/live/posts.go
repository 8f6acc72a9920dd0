package live

import (
	"context"

	"broadsheet/blog"
)

// PostEvent is a change of a post.
type PostEvent struct {
	Cursor string // after it
	about
}

// DeletedID is the id of the post.
func (a about) DeletedID() blog.PostID { return a.event.Post }

// about is what an event is about, and reads it.
type about struct {
	tail  *tail
	event *event
}

// ReadPost returns the event's post as it is now, nil where it is no more. All subscribers share the
// read.
func (a about) ReadPost(ctx context.Context) (*blog.Post, error) {
	a.tail.warmed(a.event)
	return a.event.post.get(ctx, func(ctx context.Context) (*blog.Post, error) {
		return blog.Found(a.tail.hub.Store.PostByID(ctx, a.event.Post))
	})
}

// Once returns what is made of the event for all streams that ask the same.
func (a about) Once() *Once {
	a.tail.warmed(a.event)
	return &a.event.made
}

// Posts is a stream of changes of one kind, of all posts. It is used by one goroutine.
type Posts struct{ stream *stream }

// Posts returns the changes of a kind of posts after a cursor; nil: from now on. It ends with ctx.
// [blog.Invalid]: the cursor is of comments.
func (h *Hub) Posts(ctx context.Context, kind blog.ChangeKind, after *string) (*Posts, error) {
	at, err := parsePosts(after)
	if err != nil {
		return nil, err
	}
	t, err := h.use(ctx)
	if err != nil {
		return nil, err
	}
	s := t.follow(topic{kind: kind}, at)
	h.until(ctx, t, s)
	return &Posts{s}, nil
}

// Next waits for the next event. [blog.Expired]: it is kept no more. [ErrSlow], [ErrStopped].
func (p *Posts) Next(ctx context.Context) (PostEvent, error) {
	e, err := p.stream.next(ctx)
	if err != nil {
		return PostEvent{}, err
	}
	made := PostEvent{about: about{p.stream.tail, e}}
	if p.stream.skip != nil {
		made.Cursor = postsCursor(p.stream.at)
	} else {
		made.Cursor = e.text.get(func() string { return postsCursor(e.at) })
	}
	return made, nil
}
