package live_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/live"
)

// world is a blog in memory that several servers write to: each has a log, and a view of the
// feed of its own, to which others' changes come late.
type world struct {
	mu       sync.Mutex
	ids      *blog.IDs
	logs     []*log
	posts    map[blog.PostID]blog.Post
	comments map[blog.PostID][]blog.CommentID // all that were made, in order
	users    map[blog.UserID]blog.User
	calls    map[string]int
}

type log struct {
	id      blog.LogID
	changes []entry
	gone    int64     // so many of the first are kept no more
	over    time.Time // when it ended; zero: it has not
}

type entry struct {
	blog.Change
	seen time.Time // when others can read it
}

func newWorld(servers int) *world {
	w := &world{
		ids:   blog.NewIDs(blog.SystemClock{}, zeros{}),
		posts: map[blog.PostID]blog.Post{}, comments: map[blog.PostID][]blog.CommentID{},
		users: map[blog.UserID]blog.User{}, calls: map[string]int{},
	}
	for range servers {
		w.logs = append(w.logs, &log{id: blog.LogID{UUID: w.ids.Command().UUID}})
	}
	return w
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// server is the world as one server has it. A method that it lacks is not called.
type server struct {
	blog.Store
	*world
	own      *log
	watchers map[*func(blog.Change)]bool
	failing  bool // the feed can't be read
	lost     bool // posts can't be read
}

func (w *world) server(i int) *server {
	return &server{world: w, own: w.logs[i], watchers: map[*func(blog.Change)]bool{}}
}

func (s *server) count(call string) { s.calls[call]++ }

// take returns the calls since it was called last.
func (w *world) take() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = map[string]int{}
	return calls
}

// tell appends a change to the server's log, which others see after a time.
func (s *server) tell(c blog.Change, late time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.append(c, late)
}

func (s *server) append(c blog.Change, late time.Duration) {
	c.Log, c.Number, c.At = s.own.id, int64(len(s.own.changes))+1, blog.Millisecond(time.Now())
	s.own.changes = append(s.own.changes, entry{c, time.Now().Add(late)})
	for f := range s.watchers {
		(*f)(c)
	}
}

// away has the feed be away, or not.
func (s *server) away(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = away
}

// lose has posts be away, or not.
func (s *server) lose(lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = lost
}

func (s *server) post(late time.Duration) blog.Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := blog.Post{ID: s.ids.Post(), Title: "A post", Version: 1, Author: blog.Author{ID: blog.UserID{UUID: blog.UUID{1}}, Username: "alice"}}
	s.posts[p.ID] = p
	s.append(blog.Change{Kind: blog.PostCreated, Actor: p.Author.ID, Post: p.ID}, late)
	return p
}

// changePost edits a post, or deletes it.
func (s *server) changePost(kind blog.ChangeKind, id blog.PostID, late time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.posts[id]
	p.Version++
	if s.posts[id] = p; kind == blog.PostDeleted {
		delete(s.posts, id)
	}
	s.append(blog.Change{Kind: kind, Actor: p.Author.ID, Post: id}, late)
}

// comment makes a comment, and returns what tells of it.
func (s *server) comment(post blog.PostID) (id blog.CommentID, number int, tell func(by *server, late time.Duration)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = s.ids.Comment()
	s.comments[post] = append(s.comments[post], id)
	number = len(s.comments[post])
	c := blog.Change{Kind: blog.CommentCreated, Post: post, Comment: id, Comments: number}
	return id, number, func(by *server, late time.Duration) { by.tell(c, late) }
}

func (s *server) Changes() blog.Changes { return s }

func (s *server) ChangeLogs(context.Context) (logs []blog.ChangeLog, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count("ChangeLogs")
	if s.failing {
		return nil, blog.Errorf(blog.Unavailable, "away")
	}
	for _, l := range s.logs {
		log := blog.ChangeLog{ID: l.id, Seen: time.Now(), Last: l.gone}
		if !l.over.IsZero() {
			log.Seen, log.Last, log.Ended = l.over, int64(len(l.changes)), true
		}
		logs = append(logs, log)
	}
	return logs, nil
}

// visible returns the changes of a log that the server can read.
func (s *server) visible(id blog.LogID) (l *log, all []blog.Change) {
	l = s.logs[slices.IndexFunc(s.logs, func(l *log) bool { return l.id == id })]
	for _, e := range l.changes {
		if l != s.own && e.seen.After(time.Now()) {
			break
		}
		all = append(all, e.Change)
	}
	return l, all
}

func (s *server) ChangesAfter(_ context.Context, of blog.ChangeLog, number int64, limit int) ([]blog.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count("ChangesAfter")
	l, all := s.visible(of.ID)
	switch {
	case l == s.own && number > int64(len(all)): // the data are those of a backup
		return nil, blog.ErrChangesExpired()
	case number >= int64(len(all)):
		return nil, nil
	case number < l.gone:
		return nil, blog.ErrChangesExpired()
	}
	after := all[number:]
	return slices.Clone(after[:min(limit, len(after))]), nil
}

func (s *server) LatestChange(_ context.Context, of blog.ChangeLog) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count("LatestChange")
	_, all := s.visible(of.ID)
	return int64(len(all)), nil
}

func (s *server) WatchChanges(f func(blog.Change)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers[&f] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, &f)
	}
}

func (s *server) PostByID(_ context.Context, id blog.PostID) (blog.Post, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count("PostByID")
	if s.lost {
		return blog.Post{}, blog.Errorf(blog.Unavailable, "away")
	}
	p, found := s.posts[id]
	if !found {
		return p, blog.ErrNoPost("id")
	}
	p.Comments.N = len(s.comments[id])
	return p, nil
}

func (s *server) UserByID(_ context.Context, id blog.UserID) (blog.User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count("UserByID")
	return s.users[id], nil
}

func (s *server) CommentByKey(_ context.Context, key blog.CommentKey) (blog.Comment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count("CommentByKey")
	if !slices.Contains(s.comments[key.Post], key.Comment) {
		return blog.Comment{}, blog.ErrNoComment()
	}
	return blog.Comment{ID: key.Comment, Post: key.Post, Content: "x"}, nil
}

func (s *server) CommentsByPost(_ context.Context, q blog.CommentsQuery) (page blog.CommentPage, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count("CommentsByPost")
	if _, found := s.posts[q.Post]; !found {
		return page, blog.ErrNoPost("id")
	}
	page.Made = len(s.comments[q.Post])
	return page, nil
}

// hub returns a hub of a server, which ends with the test.
func (s *server) hub(t testing.TB, c live.Config) *live.Hub {
	c.Store = s
	h := live.New(c)
	t.Cleanup(h.Stop)
	return h
}
