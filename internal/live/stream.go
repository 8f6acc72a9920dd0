package live

import (
	"context"

	"broadsheet/internal/changes"
)

// stream has the events of a topic that follow a cursor, in the order in which the hub, or the
// reader of its own, has met them, and each once. It is used by one goroutine.
type stream struct {
	tail   *tail
	topic  topic
	at     changes.Cursor // behind the event that was returned last
	behind *event         // that one; nil: there was none

	reader  *changes.Reader // before it has come to the window; nil: it has
	waiting []*event        // to be returned before what follows the last one
	last    *event          // under the tail's lock, like left
	left    bool
	skip    *changes.Cursor // what lies before was passed already; nil: all of that lies behind
}

// follow returns the events of a topic after a cursor; nil: after now.
func (t *tail) follow(of topic, after *changes.Cursor) *stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &stream{tail: t, topic: of}
	switch {
	case after == nil:
		s.at = t.position.at
		s.join()
	case after.Covers(t.from) && t.position.at.Reaches(*after) && (t.left.IsZero() || after.Passes(t.left)): // else the reader knows whether it is of this feed
		s.at, s.skip = *after, after
		s.join(t.window...)
	default:
		s.at = *after
		s.reader = changes.Follow(t.hub.Store.Changes(), *after)
	}
	return s
}

// join puts the stream at the end of its topic's list, behind events that wait. It is called
// under the tail's lock.
func (s *stream) join(events ...*event) {
	l := s.tail.lists[s.topic]
	if l == nil {
		l = &list{last: &event{}, more: make(chan struct{})}
		s.tail.lists[s.topic] = l
	}
	l.streams++
	s.last = l.last
	for _, e := range events {
		if s.wants(e) {
			s.waiting = append(s.waiting, e)
		}
	}
}

func (s *stream) wants(e *event) bool {
	return s.topic.has(e.Change) && !s.passed(e)
}

// passed reports whether an event lies before the cursor after which the stream began.
func (s *stream) passed(e *event) bool { return s.skip != nil && e.Number <= s.skip.Passed(e.Log) }

// leave takes the stream from its list.
func (s *stream) leave() {
	s.tail.mu.Lock()
	defer s.tail.mu.Unlock()
	joined := s.last != nil
	s.left, s.last = true, nil
	if !joined {
		return
	}
	l := s.tail.lists[s.topic]
	if l.streams--; l.streams == 0 {
		delete(s.tail.lists, s.topic)
	}
}

// next waits for the event that follows.
func (s *stream) next(ctx context.Context) (*event, error) {
	for {
		if len(s.waiting) > 0 {
			e := s.waiting[0]
			s.waiting = s.waiting[1:]
			s.move(e)
			return e, nil
		}
		if s.reader != nil {
			if err := s.catchUp(ctx); err != nil {
				return nil, err
			}
			continue
		}
		more, err := s.step()
		if err != nil {
			return nil, err
		}
		if more == nil {
			continue
		}
		if err := waitFor(ctx, s.tail, more); err != nil {
			return nil, err
		}
	}
}

// step moves on to the event that follows the last one, or returns what is closed when there is
// one.
func (s *stream) step() (more chan struct{}, err error) {
	s.tail.mu.Lock()
	defer s.tail.mu.Unlock()
	switch {
	case s.left:
		return nil, context.Canceled
	case s.last.cut:
		return nil, ErrSlow
	case s.last.next == nil:
		return s.tail.lists[s.topic].more, nil
	}
	if s.last = s.last.next; !s.passed(s.last) {
		s.waiting = append(s.waiting, s.last)
	}
	return nil, nil
}

// move puts the stream's cursor behind an event.
func (s *stream) move(e *event) {
	s.at, s.behind = e.at, e
	if s.skip == nil || e.seq == 0 {
		return
	}
	if e.at.Covers(*s.skip) {
		s.skip = nil
		return
	}
	s.at = e.at.With(*s.skip)
}

// read reads what follows in the feed, when few enough do.
func (h *Hub) read(ctx context.Context, from *changes.Reader) (found []changes.Event, err error) {
	if h.Behind != nil {
		done, err := h.Behind.Begin(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { done(len(found)) }()
	}
	if !h.behind.Take(ctx.Done(), 0) {
		return nil, ctx.Err()
	}
	defer h.behind.Leave()
	return from.Next(ctx, atOnce)
}

// catchUp reads what follows in the feed, and joins the window when that is all.
func (s *stream) catchUp(ctx context.Context) error {
	t := s.tail
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	t.mu.Lock()
	mark := t.first + uint64(len(t.window)) // what is before, the reader meets
	t.mu.Unlock()
	found, err := t.hub.read(ctx, s.reader)
	if err != nil {
		return err
	}
	for _, f := range found {
		if e := (&event{Change: f.Change, at: f.Cursor, held: new(held)}); s.wants(e) {
			s.waiting = append(s.waiting, e)
		}
	}
	if len(found) >= atOnce {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.left || t.first > mark {
		return nil // what follows the mark was cut off meanwhile
	}
	read := s.reader.Cursor()
	s.reader, s.skip = nil, &read
	s.join(t.window[mark-t.first:]...)
	return nil
}
