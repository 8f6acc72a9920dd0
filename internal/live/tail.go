package live

import (
	"context"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/changes"
)

// tail follows the change feed from the hub's start to its end.
type tail struct {
	hub     *Hub
	uses    int           // under the hub's lock
	used    time.Time     // when it was released last; under the hub's lock
	started chan struct{} // closed when it stands somewhere, or has failed to
	failed  error         // after started
	ctx     context.Context
	end     context.CancelCauseFunc // of ctx, and of its streams, by the cause
	asked   chan struct{}           // has room for one: there is more to be read
	failing bool                    // the last poll has failed

	held held // for the events in the window, and those that have left it

	mu       sync.Mutex
	reader   *changes.Reader
	position Position
	ended    time.Time      // when the feed was last read to its end; zero: it was not yet
	logs     int            // that may get changes, as of then
	window   []*event       // the newest events, by their seq
	first    uint64         // seq of the oldest in the window, or of the next one
	from     changes.Cursor // before the first
	left     time.Time      // when the last of the logs was seen that are in the window no more, and not in from; zero: there is none
	lists    map[topic]*list
	states   map[blog.PostID]*state
	authors  map[blog.UserID]map[*state]bool
}

// topic is what a list has the events of: changes of all posts of one kind, or a post's comments, whose end is
// its deletion.
type topic struct {
	kind blog.ChangeKind
	post blog.PostID
}

func (of topic) has(c blog.Change) bool {
	if of.kind != "" {
		return of.kind == c.Kind
	}
	return of.post == c.Post && (c.Kind == blog.CommentCreated || c.Kind == blog.PostDeleted)
}

// list is the end of the events of a topic that has streams.
type list struct {
	last    *event
	more    chan struct{} // closed when there is one behind last
	streams int
}

func newTail(h *Hub) *tail {
	t := &tail{
		hub: h, started: make(chan struct{}), asked: make(chan struct{}, 1),
		lists: map[topic]*list{}, states: map[blog.PostID]*state{}, authors: map[blog.UserID]map[*state]bool{},
	}
	t.ctx, t.end = context.WithCancelCause(context.Background())
	return t
}

// begun waits until the tail stands somewhere.
func (t *tail) begun(ctx context.Context) error {
	select {
	case <-t.started:
		return t.failed
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	case <-ctx.Done():
		return &blog.Error{Kind: blog.Timeout, Message: "the deadline passed before live updates began", Err: ctx.Err()}
	}
}

// atOnce is how many changes of one log are read at once.
const atOnce = 1000

// run follows the feed until it is not used any more.
func (t *tail) run() {
	defer t.end(nil)
	feed := t.hub.Store.Changes()
	defer feed.WatchChanges(t.push)()
	t.failed = blog.SafelyLogged(t.hub.Log, func() error { return t.start(feed) })
	if t.failed != nil {
		t.hub.lose(t, t.failed)
		close(t.started)
		return
	}
	close(t.started)
	for {
		select {
		case <-time.After(changes.Interval):
		case <-t.asked:
		case <-t.ctx.Done():
			return
		}
		t.note(blog.SafelyLogged(t.hub.Log, t.poll))
		t.held.cool()
		if t.hub.leave(t) {
			return
		}
	}
}

// note logs when polls begin to fail, and ends a tail that can't go on.
func (t *tail) note(err error) {
	if err != nil && !t.failing && t.ctx.Err() == nil {
		t.hub.Log.Warn("live updates of other servers are late: the change feed can't be read", "error", err)
	}
	t.failing = err != nil
	if blog.KindOf(err) == blog.Expired {
		t.hub.lose(t, err)
	}
}

// start finds where the feed ends, and fills the window with what came last.
func (t *tail) start(feed blog.Changes) error {
	ctx, cancel := context.WithTimeout(t.ctx, readTimeout)
	defer cancel()
	now, err := changes.Now(ctx, feed, t.hub.Clock)
	if err != nil {
		return err
	}
	for back := t.hub.Backlog; ; back /= 16 {
		from := now.Back(back)
		reader := changes.Follow(feed, from)
		batch, err := reader.Read(ctx, max(back, 1))
		if blog.KindOf(err) == blog.Expired && back > 0 {
			continue // some of it is kept no more
		}
		if err != nil {
			return err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.reader, t.from, t.first = reader, from, 1
		t.pass(reader.Pass(batch))
		t.leave(batch)
		t.ended, t.logs = time.Now(), batch.Open()
		return nil
	}
}

// poll reads what was appended, by other processes, and by this one as far as it was not pushed.
func (t *tail) poll() error {
	for {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.ctx, readTimeout)
		t.mu.Lock()
		reader := t.reader.Clone()
		t.mu.Unlock()
		batch, err := reader.Read(ctx, atOnce)
		cancel()
		if err != nil {
			return err
		}
		t.mu.Lock()
		t.pass(t.reader.Pass(batch))
		t.leave(batch)
		more := len(batch.Changes) >= atOnce
		if !more {
			t.ended, t.logs = began, batch.Open()
		}
		t.mu.Unlock()
		if !more {
			return nil
		}
	}
}

// push takes a change of this process. Where it is not the next one, what is missing is read.
func (t *tail) push(c blog.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reader == nil {
		return // it is read
	}
	if e, next := t.reader.PassChange(c); next {
		t.pass([]changes.Event{e})
		return
	}
	select {
	case t.asked <- struct{}{}:
	default:
	}
}

// pass appends events. Like what follows it is called under the lock.
func (t *tail) pass(passed []changes.Event) {
	for _, p := range passed {
		e := &event{Change: p.Change, at: p.Cursor, seq: t.first + uint64(len(t.window)), held: &t.held}
		t.window = append(t.window, e)
		t.append(e)
		t.dispatch(e)
	}
	for len(t.window) > t.hub.Window {
		t.evict()
	}
	t.position = Position{at: t.reader.Cursor(), text: &lazy[string]{}}
}

// leave notes which logs cursors of now on leave out.
func (t *tail) leave(batch changes.Batch) {
	if seen := batch.Unnamed(t.position.at); seen.After(t.left) {
		t.left = seen
	}
}

// evict cuts the oldest event off the window.
func (t *tail) evict() {
	e := t.window[0]
	t.window[0] = nil
	t.window = t.window[1:]
	t.first++
	t.from = e.at
	for ; e != nil; e = e.twin {
		if e.next != nil {
			e.next, e.cut = nil, true
		}
	}
}

// append puts an event behind those of its topics that have streams.
func (t *tail) append(e *event) {
	switch e.Kind {
	case blog.CommentCreated:
		t.put(topic{post: e.Post}, e)
	case blog.PostCreated, blog.PostUpdated:
		t.put(topic{kind: e.Kind}, e)
	case blog.PostDeleted:
		e.twin = &event{Change: e.Change, at: e.at, seq: e.seq, held: e.held}
		t.put(topic{kind: e.Kind}, e)
		t.put(topic{post: e.Post}, e.twin)
	}
}

func (t *tail) put(of topic, e *event) {
	l := t.lists[of]
	if l == nil {
		return
	}
	l.last.next = e
	l.last = e
	close(l.more)
	l.more = make(chan struct{})
}

// dispatch applies a change to the states and to what was read for earlier events.
func (t *tail) dispatch(e *event) {
	if e.Kind == blog.UserUpdated {
		for s := range t.authors[e.Actor] {
			s.renamed = true
			s.change()
		}
		return
	}
	if s := t.states[e.Post]; s != nil && !e.Kind.Private() {
		s.change()
	}
	t.held.change(e.Change)
}
