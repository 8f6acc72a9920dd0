package embedded

import (
	"cmp"
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// changes is the store's change log: one, in number for number, in the commits of the commands
// themselves.
//
//	0x57 │ 0x00 │ 1            → the log's id
//	0x57 │ 0x01 │ number │ 1   → a change
var changes = newTable(&blog.Declaration{
	Table: blog.ChangesByLog, Clustering: blog.Columns{{Name: "number", Type: blog.TypeInt}},
	Embedded: blog.Embedded{Prefix: 0x57, Truths: 1},
})

// Changes is a method of [blog.Store].
func (s *Store) Changes() blog.Changes { return s }

// changeLog is what is known of the log.
type changeLog struct {
	id   blog.LogID
	keep time.Duration

	// Under the writer's lock. They are of commits that are under way, too.
	stands bool  // the log is there, under its id
	last   int64 // number of the newest change
	retention

	mu       sync.Mutex
	told     int64         // all up to here are on disk
	begun    int64         // told, when the store was opened
	applied  []blog.Change // those after it, in order
	watchers map[*func(blog.Change)]bool
}

// openChanges reads where the log ends.
func (s *Store) openChanges(keep time.Duration) (err error) {
	l := &s.changes
	l.keep, l.watchers = cmp.Or(keep, blog.KeepChanges), map[*func(blog.Change)]bool{}
	if err := s.identifyLog(); err != nil {
		return err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: changes.appendRows(changes.partitionKey()), UpperBound: []byte{changes.prefix + 1}})
	if err != nil {
		return err
	}
	defer func() { err = ended(it.Close, recover(), err) }()
	l.oldest = 1
	if it.First() {
		l.oldest = numberOf(it.Key())
	}
	if it.Last() {
		l.last = numberOf(it.Key())
	}
	l.due, l.looked = l.oldest-1, l.oldest-1
	l.told, l.begun = l.last, l.last
	return nil
}

// report tells how many changes were told.
func (l *changeLog) report(u *blog.Upkeep) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u.Told = l.told - l.begun
}

// identifyLog reads the log's id, or draws one, which is written with the first change.
func (s *Store) identifyLog() error {
	l := &s.changes
	value, err := s.read(context.Background(), changes, changes.staticKey(truthCell))
	if value == "" {
		l.id = blog.LogID{UUID: blog.NewIDs(s.clock, rand.Reader).Command().UUID}
		return err
	}
	f := decode(value)
	copy(l.id.UUID[:], field[string](f))
	l.stands = true
	return f.end()
}

// numberOf reads a change's number from its key.
func numberOf(key []byte) int64 {
	reader := columnReader{changes.clustering, key[2:]}
	return int64(reader.next().(int))
}

// tell has a command's commit append a change to the log.
func (tx *tx) tell(c blog.Change) { tx.told = &c }

// appendChange writes what the command told, and takes away what was kept for long enough.
func (tx *tx) appendChange() error {
	l, c := &tx.Store.changes, tx.told
	if c == nil {
		return nil
	}
	if err := tx.dropChanges(); err != nil {
		return err
	}
	c.Log, c.Number, c.At = l.id, l.last+1, blog.Millisecond(tx.clock.Now())
	if !l.stands {
		tx.putNew(changes, tx.staticKey(changes, truthCell), tx.encode(0, string(l.id.UUID[:])))
	}
	value := tx.encode(0, c.At, string(c.Kind), c.Actor, c.Post, c.Comment, c.Comments, c.User)
	tx.putNew(changes, tx.cellKey(changes, truthCell, int(c.Number)), value)
	return nil
}

// retention is how far the log was looked through, by this process, for changes that were kept for long enough.
// Whatever its date says, a change is older than those that follow it: one that a clock which was ahead has
// dated is looked past, and goes with the first of these that goes.
type retention struct {
	oldest int64     // number of the oldest change that is kept, or of the next one where there is none
	due    int64     // all up to here may go
	looked int64     // those after due up to here are dated ahead
	ahead  time.Time // of these, the earliest date
}

// droppedAtOnce bounds how many changes one command looks at, and how many it drops; above one, so
// that a backlog shrinks.
const droppedAtOnce = 4

// dropChanges takes away some of the oldest changes, if they were kept for long enough. The
// newest stays, for it tells how far the log has come.
func (tx *tx) dropChanges() error {
	l, now := &tx.Store.changes, tx.clock.Now()
	r := l.retention
	if !now.Before(r.ahead) {
		r.looked = r.due // for it may have been the clock that was behind
	}
	for n := 0; n < droppedAtOnce && r.looked+1 < l.last; n++ {
		value, err := tx.get(changes, truthCell, int(r.looked+1))
		if err != nil {
			return err
		}
		c, err := decodeChange(value)
		if err != nil {
			return err
		}
		if !r.look(c.At, now, now.Add(-l.keep)) {
			break
		}
	}
	for n := 0; n < droppedAtOnce && r.oldest <= r.due; n++ {
		tx.deleteRow(changes, int(r.oldest))
		r.oldest++
	}
	tx.retention = r
	return nil
}

// look notes the date of the next change. It is false where that one is to be kept.
func (r *retention) look(at, now, until time.Time) bool {
	next := r.looked + 1
	switch {
	case at.Before(until):
		r.due, r.looked = next, next
	case at.After(now):
		if r.looked == r.due || at.Before(r.ahead) {
			r.ahead = at
		}
		r.looked = next
	default:
		return false
	}
	return true
}

// apply notes what a commit did to the log, under the writer's lock.
func (l *changeLog) apply(tx *tx) {
	if tx.told == nil {
		return
	}
	l.stands, l.last, l.retention = true, tx.told.Number, tx.retention
	l.mu.Lock()
	defer l.mu.Unlock()
	l.applied = append(l.applied, *tx.told)
}

// onDisk tells watchers of the changes up to a commit's own, if it has one.
func (l *changeLog) onDisk(tx *tx) {
	if tx.told == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.applied) > 0 && l.applied[0].Number <= tx.told.Number {
		l.told = l.applied[0].Number
		for f := range l.watchers {
			(*f)(l.applied[0])
		}
		l.applied = l.applied[1:]
	}
}

// ChangeLogs is a method of [blog.Changes]. There is one log, whichever process writes it, from
// its first change on: before that its name is not kept.
func (s *Store) ChangeLogs(context.Context) ([]blog.ChangeLog, error) {
	last := s.changes.newest()
	if last == 0 {
		return nil, nil
	}
	return []blog.ChangeLog{{ID: s.changes.id, Seen: s.clock.Now(), Last: last}}, nil
}

// LatestChange is a method of [blog.Changes].
func (s *Store) LatestChange(_ context.Context, log blog.ChangeLog) (int64, error) {
	if log.ID != s.changes.id {
		return 0, nil
	}
	return s.changes.newest(), nil
}

func (l *changeLog) newest() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told
}

// ChangesAfter is a method of [blog.Changes].
func (s *Store) ChangesAfter(ctx context.Context, log blog.ChangeLog, number int64, limit int) (found []blog.Change, err error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	told := s.changes.newest()
	switch {
	case log.ID != s.changes.id || number == told:
		return nil, nil
	case number > told: // the data are those of a backup that was made before
		return nil, blog.ErrChangesExpired()
	}
	err = s.scanFrom(ctx, changes, changes.cellKey(truthCell, int(number)+1), func(key, value []byte) error {
		n := numberOf(key)
		if n > told || len(found) == limit {
			return errEnough
		}
		if n != number+int64(len(found))+1 {
			return blog.ErrChangesExpired()
		}
		c, err := decodeChange(string(value))
		c.Log, c.Number = log.ID, n
		found = append(found, c)
		return err
	})
	return found, s.convert(err)
}

func decodeChange(value string) (c blog.Change, err error) {
	f := decode(value)
	c.At = field[time.Time](f)
	c.Kind = blog.ChangeKind(field[string](f))
	c.Actor, c.Post, c.Comment = field[blog.UserID](f), field[blog.PostID](f), field[blog.CommentID](f)
	c.Comments, c.User = field[int](f), added[blog.UserID](f)
	return c, f.end()
}

// WatchChanges is a method of [blog.Changes].
func (s *Store) WatchChanges(f func(blog.Change)) (stop func()) {
	l := &s.changes
	l.mu.Lock()
	defer l.mu.Unlock()
	watcher := &f
	l.watchers[watcher] = true
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers, watcher)
	}
}
