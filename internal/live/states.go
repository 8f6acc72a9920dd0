package live

import (
	"context"
	"io"
	"slices"
	"time"

	"broadsheet/blog"
)

// PostChangedEvent is the state of a post.
type PostChangedEvent struct {
	Post      *blog.Post
	DeletedID *blog.PostID // it is not there; nil: Post is the post

	made *shared[any, any] // nil: it goes to one stream alone
}

// Share is as that of a [PostEvent].
func (e PostChangedEvent) Share(ctx context.Context, key any, make func(context.Context) (any, error)) (any, error) {
	if e.made == nil {
		return make(ctx)
	}
	return e.made.get(ctx, key, make)
}

// statesEvery bounds how often the states of a post are read and delivered.
const statesEvery = 100 * time.Millisecond

// state is what is known of a post that streams watch.
type state struct {
	tail *tail
	post blog.PostID

	// Under the tail's lock.
	streams int
	version uint64        // counts changes
	more    chan struct{} // closed at the next
	author  blog.UserID   // whose name comes with the post; zero: it is not known yet
	renamed bool          // the author's account was edited, and the post may not have the name yet

	reading chan struct{} // taken from by the one reader of what follows
	read    uint64        // version of what was read last; 0: nothing was
	next    time.Time     // when it may be read again
	failing time.Time     // when reads began to fail; zero: the last one did not
	event   PostChangedEvent
}

// change notes that there is another state. It is called under the tail's lock.
func (s *state) change() {
	s.version++
	close(s.more)
	s.more = make(chan struct{})
}

// PostStates is a stream of a post's states. It is used by one goroutine.
type PostStates struct {
	of        *state
	version   uint64 // delivered last; 0: none
	delivered time.Time
	over      bool
}

// PostChanges returns a post's states, from the present one on. It ends with ctx.
func (h *Hub) PostChanges(ctx context.Context, post blog.PostID) (*PostStates, error) {
	t, err := h.use(ctx)
	if err != nil {
		return nil, err
	}
	s := t.watch(post)
	h.until(ctx, t, s)
	return &PostStates{of: s}, nil
}

func (t *tail) watch(post blog.PostID) *state {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.states[post]
	if s == nil {
		s = &state{tail: t, post: post, version: 1, more: make(chan struct{}), reading: make(chan struct{}, 1)}
		s.reading <- struct{}{}
		t.states[post] = s
	}
	s.streams++
	return s
}

func (s *state) leave() {
	t := s.tail
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.streams--; s.streams > 0 {
		return
	}
	delete(t.states, s.post)
	if of := t.authors[s.author]; of != nil {
		if delete(of, s); len(of) == 0 {
			delete(t.authors, s.author)
		}
	}
}

// Next waits for the next state. io.EOF: it was the last. [blog.Unavailable]: it can't be read, and
// could not for [Config.Outage], but for the first one, which is read once. [ErrStopped].
func (p *PostStates) Next(ctx context.Context) (event PostChangedEvent, err error) {
	if p.over {
		return event, io.EOF
	}
	if err := p.await(ctx); err != nil {
		return event, err
	}
	read := p.of.again
	if p.version == 0 {
		read = p.of.load
	}
	event, version, err := read(ctx)
	if err == nil {
		p.version, p.delivered, p.over = version, time.Now(), event.DeletedID != nil
	}
	return event, err
}

// await waits until there is another state, and it may be delivered.
func (p *PostStates) await(ctx context.Context) error {
	t := p.of.tail
	t.mu.Lock()
	version, more := p.of.version, p.of.more
	t.mu.Unlock()
	if version == p.version {
		if err := waitFor(ctx, t, more); err != nil {
			return err
		}
	}
	return waitUntil(ctx, t, p.delivered.Add(statesEvery))
}

// waitUntil waits for a time, as waitFor does. One that has passed is not waited for.
func waitUntil(ctx context.Context, t *tail, at time.Time) error {
	pause := time.Until(at)
	if pause <= 0 {
		return nil
	}
	return waitFor(ctx, t, time.After(pause))
}

// waitFor waits for something, as long as there are streams and ctx lasts.
func waitFor[T any](ctx context.Context, t *tail, something <-chan T) error {
	select {
	case <-something:
		return nil
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// again returns the state as of the last change, read once for all streams.
func (s *state) again(ctx context.Context) (event PostChangedEvent, version uint64, err error) {
	if err := waitFor(ctx, s.tail, s.reading); err != nil {
		return event, 0, err
	}
	defer func() { s.reading <- struct{}{} }()
	if version, _ := s.now(); version == s.read {
		return s.event, s.read, nil
	}
	if event, version, err = s.insist(ctx); err != nil {
		return event, 0, err
	}
	event.made = &shared[any, any]{most: maxMade}
	s.event, s.read = event, version
	return event, version, nil
}

// mostBetween bounds the pause between two reads that fail.
const mostBetween = 2 * time.Second

// insist reads the state, and again while the store can't be read, for [Config.Outage]. A stream
// loses nothing by that: it then gets the state of that time.
func (s *state) insist(ctx context.Context) (event PostChangedEvent, version uint64, err error) {
	for pause := statesEvery; ; pause = min(2*pause, mostBetween) {
		if err := waitUntil(ctx, s.tail, s.next); err != nil {
			return event, 0, err
		}
		s.next = time.Now().Add(pause)
		event, version, err = s.load(ctx)
		kind := blog.KindOf(err)
		switch {
		case err == nil:
			s.failing = time.Time{}
			return event, version, nil
		case kind != blog.Unavailable && kind != blog.Timeout || ctx.Err() != nil:
			return event, 0, err
		case s.failing.IsZero():
			s.failing = time.Now()
		case time.Since(s.failing) >= s.tail.hub.Outage:
			return event, 0, errOutage(err)
		}
	}
}

func (s *state) now() (version uint64, renamed bool) {
	s.tail.mu.Lock()
	defer s.tail.mu.Unlock()
	return s.version, s.renamed
}

// load reads the present state: the post, and its author's account where the name was edited lately.
func (s *state) load(ctx context.Context) (event PostChangedEvent, version uint64, err error) {
	version, renamed := s.now()
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	store := s.tail.hub.Store
	event.Post, err = blog.Found(store.PostByID(ctx, s.post))
	switch {
	case err != nil:
		return event, version, err
	case event.Post == nil:
		event.DeletedID = &s.post
		return event, version, nil
	}
	if renamed = s.watchAuthor(event.Post.Author.ID) || renamed; !renamed {
		return event, version, nil
	}
	account, err := store.UserByID(ctx, event.Post.Author.ID)
	if err != nil {
		return event, version, err
	}
	named := *event.Post
	named.Author = account.Name().Author()
	event.Post = &named
	return event, version, nil
}

// watchAuthor has edits of an account change the state, and reports whether there was one
// lately.
func (s *state) watchAuthor(author blog.UserID) bool {
	t := s.tail
	t.mu.Lock()
	defer t.mu.Unlock()
	if !s.author.IsZero() || s.streams == 0 {
		return false
	}
	s.author = author
	if t.authors[author] == nil {
		t.authors[author] = map[*state]bool{}
	}
	t.authors[author][s] = true
	s.renamed = slices.ContainsFunc(t.window, func(e *event) bool { return e.Kind == blog.UserUpdated && e.Actor == author })
	return s.renamed
}
