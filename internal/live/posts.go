package live

import (
	"context"

	"broadsheet/blog"
)

// PostCreatedEvent says that a post was created.
type PostCreatedEvent struct {
	Cursor string // after it
	about
}

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

// Posts is a stream of posts created. It is used by one goroutine.
type Posts struct {
	stream *stream
	*use
}

// PostsCreated returns the posts that are created after a cursor; nil: from now on. It ends with
// ctx. [blog.Invalid]: the cursor is another stream's.
func (h *Hub) PostsCreated(ctx context.Context, after *string) (*Posts, error) {
	at, err := parsed(after, parsePosts)
	if err != nil {
		return nil, err
	}
	t, err := h.use(ctx)
	if err != nil {
		return nil, err
	}
	s := t.follow(topic{}, at)
	return &Posts{s, h.until(ctx, t, s)}, nil
}

func parsed[T any](text *string, parse func(string) (T, error)) (*T, error) {
	if text == nil {
		return nil, nil
	}
	value, err := parse(*text)
	return &value, err
}

// Next waits for the next event. [blog.Expired]: it is kept no more. [ErrSlow], [ErrStopped].
func (p *Posts) Next(ctx context.Context) (PostCreatedEvent, error) {
	e, err := p.stream.next(ctx)
	if err != nil {
		p.failed(ctx)
		return PostCreatedEvent{}, err
	}
	made := PostCreatedEvent{about: about{p.stream.tail, e}}
	if p.stream.skip != nil {
		made.Cursor = postsCursor(p.stream.at)
	} else {
		made.Cursor = e.text.get(func() string { return postsCursor(e.at) })
	}
	return made, nil
}
