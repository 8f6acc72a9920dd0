package live

import (
	"context"
	"io"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/changes"
)

// CommentCreatedEvent says that a comment was created.
type CommentCreatedEvent struct {
	Cursor string // after it
	about
}

// ReadComment returns the event's comment as it is now, nil where it is no more. All subscribers
// share the read.
func (e CommentCreatedEvent) ReadComment(ctx context.Context) (*blog.Comment, error) {
	key := blog.CommentKey{Post: e.event.Post, Comment: e.event.Comment}
	return e.event.held.comments.get(ctx, key, func(ctx context.Context) (*blog.Comment, error) {
		return blog.Found(e.tail.hub.Store.CommentByKey(ctx, key))
	})
}

// Comments is a stream of a post's comments, in the order in which they were made. Two servers
// write theirs to two logs, so one may arrive before another that was made before it, and waits
// for that. It is used by one goroutine.
//
//	log of A   1       3 ─ waits ─┐
//	log of B       2 ─────────────┴▶ 2, 3
type Comments struct {
	stream  *stream
	post    blog.PostID
	number  int            // of the comment that was returned last
	waiting map[int]*event // by their numbers
	since   time.Time      // when the first of them began to wait
	over    bool           // the post is not there
	at      changes.Cursor // every event not yet returned lies behind it
}

// maxWaiting bounds the comments that wait for one before them.
const maxWaiting = 4096

// CommentsCreated returns the comments that are created on a post after a cursor; nil: from now
// on. It ends with ctx. [blog.Invalid]: the cursor is another stream's.
func (h *Hub) CommentsCreated(ctx context.Context, post blog.PostID, after *string) (*Comments, error) {
	number, at, err := parseComments(after, post)
	if err != nil {
		return nil, err
	}
	t, err := h.use(ctx)
	if err != nil {
		return nil, err
	}
	s := t.follow(topic{post: post}, at)
	h.until(ctx, t, s)
	c := &Comments{stream: s, post: post, number: number, at: s.at, waiting: map[int]*event{}}
	if after != nil {
		return c, nil
	}
	if c.number, err = h.made(ctx, post); blog.IsNotFound(err) {
		c.over, err = true, nil
	}
	return c, err
}

// made returns how many comments were made on a post.
func (h *Hub) made(ctx context.Context, post blog.PostID) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	page, err := h.Store.CommentsByPost(ctx, blog.CommentsQuery{Post: post, Page: blog.FirstPage[blog.CommentID](1), Made: true})
	return page.Made, err
}

// Next waits for the next event. io.EOF: the post is no more. [blog.Expired]: what follows is
// kept no more, or the number of a comment is missing. [ErrSlow], [ErrStopped].
func (c *Comments) Next(ctx context.Context) (CommentCreatedEvent, error) {
	if c.over {
		return CommentCreatedEvent{}, io.EOF
	}
	e, err := c.next(ctx)
	if err != nil {
		return CommentCreatedEvent{}, err
	}
	return c.deliver(e), nil
}

// next waits for the comment after the one that was returned last.
func (c *Comments) next(ctx context.Context) (*event, error) {
	for {
		if e := c.waiting[c.number+1]; e != nil {
			return e, nil
		}
		e, err := c.following(ctx)
		switch {
		case err != nil:
			return nil, err
		case e.Kind == blog.PostDeleted:
			return nil, io.EOF
		case e.Comments > c.number:
			if len(c.waiting) == 0 {
				c.since = time.Now()
			}
			c.waiting[e.Comments] = e
		}
		if len(c.waiting) == 0 {
			c.at = c.stream.at
		}
		if len(c.waiting) > maxWaiting {
			return nil, errHole()
		}
	}
}

// following is the stream's next, bounded where a comment waits for one before it.
func (c *Comments) following(ctx context.Context) (*event, error) {
	if len(c.waiting) == 0 {
		return c.stream.next(ctx)
	}
	bounded, cancel := context.WithDeadline(ctx, c.since.Add(c.stream.tail.hub.Patience))
	defer cancel()
	e, err := c.stream.next(bounded)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return nil, errHole()
	}
	return e, err
}

func (c *Comments) deliver(e *event) CommentCreatedEvent {
	delete(c.waiting, e.Comments)
	c.number = e.Comments
	made := CommentCreatedEvent{about: about{c.stream.tail, e}}
	if len(c.waiting) == 0 {
		c.at = c.stream.at
	}
	if len(c.waiting) == 0 && e.seq > 0 && c.stream.skip == nil && c.stream.behind == e {
		made.Cursor = e.text.get(func() string { return commentsCursor(c.post, e.Comments, e.at) })
	} else {
		made.Cursor = commentsCursor(c.post, e.Comments, c.at)
	}
	return made
}
