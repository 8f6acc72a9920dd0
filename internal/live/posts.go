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
	return a.event.held.posts.get(ctx, a.event.Post, func(ctx context.Context) (*blog.Post, error) {
		return blog.Found(a.tail.hub.Store.PostByID(ctx, a.event.Post))
	})
}

// madeFor is what something is made for.
type madeFor struct {
	event *event
	key   any
}

// Share returns what make makes of the event for a key, made once for all streams that ask for it at
// about the same time. An error goes to all that waited for it, and is not kept.
func (a about) Share(ctx context.Context, key any, make func(context.Context) (any, error)) (any, error) {
	return a.event.held.madeOf(a.event.Post).get(ctx, madeFor{a.event, key}, make)
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
