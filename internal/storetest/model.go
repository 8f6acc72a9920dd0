package storetest

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"broadsheet/blog"
)

// Model is a store of plain maps, deliberately naive: there are no copies, every
// answer is computed by scanning the truth. It is for tests alone.
type Model struct {
	blog.Declared
	clock    blog.Clock
	ids      *blog.IDs
	observer blog.Observer
	*modelData
	log *modelLog
}

// modelData is what models that share their data share.
type modelData struct {
	mu sync.Mutex

	notes         map[blog.Note]string
	users         map[blog.UserID]blog.User
	posts         map[blog.PostID]blog.Post       // without username and counts
	comments      map[blog.CommentID]blog.Comment // without username
	reactions     map[blog.ReactionKey]modelReaction
	groups        map[blog.GroupID]blog.Group // deleted ones too
	commentStamp  map[blog.PostID]int64
	reactionStamp map[blog.ReactionKey]int64 // of a kind and post
	keys          map[blog.IdempotencyScope]modelOutcome
	made          map[blog.PostID]int // comments, deleted ones too
	homes         map[blog.UserID]map[blog.PostID]blog.UserID
	logs          map[blog.LogID]*modelLog
}

var _ blog.Store = (*Model)(nil)

// modelReaction is kept when the reaction is taken back, for its first time.
type modelReaction struct {
	at     time.Time
	stands bool
}

// modelOutcome is what a command with an idempotency key came to.
type modelOutcome struct {
	at    time.Time
	input blog.InputHash
	id    blog.UUID // what it created
	err   error     // or why it did not
}

// NewModel returns an empty model.
func NewModel(options blog.Options) *Model {
	return (&Model{modelData: &modelData{
		notes:         map[blog.Note]string{},
		users:         map[blog.UserID]blog.User{},
		posts:         map[blog.PostID]blog.Post{},
		comments:      map[blog.CommentID]blog.Comment{},
		reactions:     map[blog.ReactionKey]modelReaction{},
		groups:        map[blog.GroupID]blog.Group{},
		commentStamp:  map[blog.PostID]int64{},
		reactionStamp: map[blog.ReactionKey]int64{},
		keys:          map[blog.IdempotencyScope]modelOutcome{},
		made:          map[blog.PostID]int{},
		homes:         map[blog.UserID]map[blog.PostID]blog.UserID{},
		logs:          map[blog.LogID]*modelLog{},
	}}).Another(options)
}

// Another returns another model on the same data, as of another server.
func (m *Model) Another(options blog.Options) *Model {
	clock := options.Clock
	if clock == nil {
		clock = blog.SystemClock{}
	}
	ids := options.IDs
	if ids == nil {
		ids = blog.NewIDs(clock, rand.Reader)
	}
	log := &modelLog{id: blog.LogID{UUID: blog.NewIDs(clock, rand.Reader).Command().UUID}, watchers: map[*func(blog.Change)]bool{}}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logs[log.id] = log
	another := &Model{clock: clock, ids: ids, observer: options.Observer, modelData: m.modelData, log: log}
	another.Declared = blog.DeclaredOn(another)
	return another
}

// query locks the data and tells the observer of the one read that the query would
// be; unlock ends it.
func (m *Model) query(ctx context.Context, table blog.Table) (unlock func()) {
	if m.observer != nil {
		m.observer.Statement(ctx, blog.Statement{Table: table, Kind: blog.Read, Partitions: 1})
	}
	m.mu.Lock()
	return m.mu.Unlock
}

// Ready returns nil.
func (m *Model) Ready(context.Context) error { return nil }

// Writable returns nil.
func (m *Model) Writable(context.Context) error { return nil }

// Maintain returns at once: a model is never half done.
func (m *Model) Maintain(context.Context) {}

// Upkeep returns the zero value: there is none.
func (m *Model) Upkeep() blog.Upkeep { return blog.Upkeep{} }

// Settle returns at once: a model leaves no work for later.
func (m *Model) Settle(context.Context) error { return nil }

// Close does nothing.
func (m *Model) Close() error { return nil }

// Empty reports whether there is no user, for without users there are no posts.
func (m *Model) Empty(context.Context) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.users) == 0, nil
}

// Noted returns what was noted.
func (m *Model) Noted(_ context.Context, about blog.Note) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notes[about], nil
}

// Note notes it.
func (m *Model) Note(_ context.Context, about blog.Note, was, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[about] != was {
		return blog.Errorf(blog.Unavailable, "it was noted otherwise meanwhile")
	}
	m.notes[about] = text
	return nil
}

// account returns the actor of a command.
func (m *Model) account(id blog.UserID) (blog.User, error) {
	u, ok := m.users[id]
	if !ok {
		return blog.User{}, blog.ErrNoAccount()
	}
	if u.Suspended {
		return blog.User{}, blog.ErrSuspended()
	}
	return u, nil
}

func (m *Model) author(id blog.UserID) blog.Author {
	as := m.users[id].Name().Author()
	as.ID = id
	return as
}

const keysLive = 24 * time.Hour

// once runs a command, unless its key was used: then it repeats the outcome. The
// command returns the id of what it creates.
func (m *Model) once(scope blog.IdempotencyScope, input blog.InputHash, keyed bool, run func() (blog.UUID, error)) (blog.UUID, error) {
	if !keyed {
		return run()
	}
	now := m.clock.Now()
	if used, ok := m.keys[scope]; ok && now.Sub(used.at) < keysLive {
		if used.input != input {
			return blog.UUID{}, blog.ErrKeyReused()
		}
		return used.id, used.err
	}
	id, err := run()
	m.keys[scope] = modelOutcome{at: now, input: input, id: id, err: err}
	return id, err
}
