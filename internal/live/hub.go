package live

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/changes"
	"broadsheet/internal/pace"
)

// Config is what a hub is made with.
type Config struct {
	Store blog.Store
	Clock blog.Clock   // nil: the machine's
	Log   *slog.Logger // nil: the default

	Window   int           // events in memory; 0: 8192
	Backlog  int           // changes of each log that are read when the hub starts, for streams that are resumed; 0: 1024
	Linger   time.Duration // for which it runs unused; 0: a minute
	Patience time.Duration // for which a comment waits for one before it; 0: five minutes
	Outage   time.Duration // for which a post's state that can't be read is read again; 0: half a minute

	Behind Behind // nil: a stream may read the feed by itself whenever it has to
}

// Behind bounds how streams read the feed by themselves.
type Behind interface {
	// Begin is called before a stream of ctx does, and may wait. It returns what takes the number of changes that were read.
	// An error ends the stream.
	Begin(ctx context.Context) (done func(changes int), err error)
}

// Hub is the one reader of the change feed of a server. It is safe for concurrent use.
type Hub struct {
	Config
	behind pace.Places // for the streams that read the feed by themselves

	mu      sync.Mutex
	tail    *tail // nil: it is not running
	stopped bool
	running sync.WaitGroup
}

// behindAtOnce is how many streams read the feed by themselves at a time.
const behindAtOnce = 16

// New returns a hub, which starts when it is first used. [Hub.Stop] ends it.
func New(c Config) *Hub {
	c.Log, c.Clock = cmp.Or(c.Log, slog.Default()), cmp.Or[blog.Clock](c.Clock, blog.SystemClock{})
	c.Window, c.Backlog = cmp.Or(c.Window, 8192), cmp.Or(c.Backlog, 1024)
	c.Linger, c.Patience = cmp.Or(c.Linger, time.Minute), cmp.Or(c.Patience, 5*time.Minute)
	c.Outage = cmp.Or(c.Outage, 30*time.Second)
	return &Hub{Config: c, behind: pace.NewPlaces(behindAtOnce)}
}

// Stop ends all streams with [ErrStopped], and returns when the hub reads nothing any more. It
// does not start again.
func (h *Hub) Stop() {
	h.mu.Lock()
	h.stopped = true
	if h.tail != nil {
		h.tail.end(ErrStopped)
		h.tail = nil
	}
	h.mu.Unlock()
	h.running.Wait()
}

// Progress is how far the hub has come, zero where it does not run.
type Progress struct {
	Logs int           // of the change feed that may get changes
	Lag  time.Duration // since the feed was last read to its end
}

// Progress returns how far the hub has come.
func (h *Hub) Progress() Progress {
	h.mu.Lock()
	t := h.tail
	h.mu.Unlock()
	if t == nil {
		return Progress{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended.IsZero() {
		return Progress{}
	}
	return Progress{Logs: t.logs, Lag: time.Since(t.ended)}
}

// Position is where the hub stands in the change feed: before it lies nothing that a read which
// begins later does not see.
type Position struct {
	at   changes.Cursor
	text *lazy[string]
}

// OfPosts returns the position as a cursor of posts created.
func (p Position) OfPosts() string {
	return p.text.get(func() string { return postsCursor(p.at) })
}

// OfComments returns the position as a cursor of a post's comments, after number of them
// before it, deleted ones too, as a read after the position has it.
func (p Position) OfComments(post blog.PostID, made int) string {
	return commentsCursor(post, made, p.at)
}

// OfNone returns the position as a cursor that no stream has: of a list that does not know how
// many comments were made on a post.
func (p Position) OfNone() string { return p.OfComments(blog.PostID{}, 0) }

// Position returns where the hub stands now. It reads nothing while the hub runs.
func (h *Hub) Position(ctx context.Context) (Position, error) {
	t, err := h.use(ctx)
	if err != nil {
		return Position{}, err
	}
	defer h.release(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.position, nil
}

// use returns the hub's tail, started if it does not run, which runs until it is released.
func (h *Hub) use(ctx context.Context) (*tail, error) {
	h.mu.Lock()
	if h.stopped {
		h.mu.Unlock()
		return nil, ErrStopped
	}
	t := h.tail
	if t == nil {
		t = newTail(h)
		h.tail = t
		h.running.Go(t.run)
	}
	t.uses++
	h.mu.Unlock()
	err := t.begun(ctx)
	if err != nil {
		h.release(t)
	}
	return t, err
}

func (h *Hub) release(t *tail) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.uses--
	t.used = time.Now()
}

// until has a stream leave the tail that it uses when ctx ends.
func (h *Hub) until(ctx context.Context, t *tail, of interface{ leave() }) {
	context.AfterFunc(ctx, func() {
		of.leave()
		h.release(t)
	})
}

// leave takes a tail away that was not used for a while, and reports whether it is away.
func (h *Hub) leave(t *tail) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tail == t && t.uses == 0 && time.Since(t.used) >= h.Linger {
		h.tail = nil
	}
	return h.tail != t
}

// lose takes a tail away that can't go on, and ends its streams.
func (h *Hub) lose(t *tail, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tail == t {
		h.tail = nil
		t.end(why)
	}
}
