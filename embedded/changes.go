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

// changes are the store's change logs, in the commits of the commands themselves: one for each process that has
// appended to the store. They follow each other in one range of positions, and a change's position is its number in its
// log and the position before the first of that log.
//
//	0x57 │ 0x00 │ 1              → the logs, the newest first: id, position before its first change
//	0x57 │ 0x01 │ position │ 1   → a change
//
// A log ends with its process. So a cursor that was given out after a backup names a log that the backup lacks, or
// a number behind the end of one that it has, and is known not to be one of before however much has followed.
var changes = newTable(&blog.Declaration{
	Table: blog.ChangesByLog, Clustering: blog.Columns{{Name: "number", Type: blog.TypeInt}},
	Embedded: blog.Embedded{Prefix: 0x57},
})

// Changes is a method of [blog.Store].
func (s *Store) Changes() blog.Changes { return s }

// changeLog is what is known of the logs.
type changeLog struct {
	keep  time.Duration
	own   blog.LogID // that this process appends to
	begun int64      // position before the first change of that
	past  []pastLog  // the others of which changes are kept, the newest first

	// Under the writer's lock. They are of commits that are under way, too.
	last int64 // position of the newest change
	retention

	mu       sync.Mutex
	durable  int64         // all up to this position are on disk
	applied  []blog.Change // those after it, in order
	watchers map[*func(blog.Change)]bool
}

// pastLog is the log of a process that has ended.
type pastLog struct {
	blog.ChangeLog
	before int64 // position before its first change
}

// openChanges reads where the logs end, and begins one, which is written with its first change.
func (s *Store) openChanges(keep time.Duration) (err error) {
	l := &s.changes
	l.keep, l.watchers = cmp.Or(keep, blog.KeepChanges), map[*func(blog.Change)]bool{}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: changes.appendRows(changes.partitionKey()), UpperBound: []byte{changes.prefix + 1}})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, it.Close()) }()
	l.oldest = 1
	if it.First() {
		l.oldest = positionOf(it.Key())
	}
	if it.Last() {
		l.last = positionOf(it.Key())
	}
	l.due, l.looked = l.oldest-1, l.oldest-1
	l.durable, l.begun = l.last, l.last
	l.own = blog.LogID{UUID: blog.NewIDs(s.clock, rand.Reader).Command().UUID}
	return s.readLogs()
}

// readLogs reads the logs of which changes are kept.
func (s *Store) readLogs() error {
	ctx, l := context.Background(), &s.changes
	value, err := s.read(ctx, changes, changes.cellKey(truthCell))
	if err != nil || value == "" {
		return err
	}
	f, end := decode(value), l.last
	for f.unread != "" && f.err == nil && end >= l.oldest {
		log := pastLog{blog.ChangeLog{Ended: true}, 0}
		copy(log.ID.UUID[:], field[string](f))
		log.before = int64(added[int](f)) // while there was one log, it was not written
		value, err := s.read(ctx, changes, changes.cellKey(truthCell, int(end)))
		if err != nil {
			return err
		}
		newest, err := decodeChange(value)
		if err != nil {
			return err
		}
		log.Seen, log.Last, end = newest.At, end-log.before, log.before
		l.past = append(l.past, log)
	}
	return f.end()
}

// encodeLogs returns the logs of which changes are kept, and this process' own.
func (tx *tx) encodeLogs() []byte {
	l := &tx.Store.changes
	all := []any{string(l.own.UUID[:]), int(l.begun)}
	for _, log := range l.past {
		all = append(all, string(log.ID.UUID[:]), int(log.before))
	}
	return tx.encode(0, all...)
}

// positionOf reads a change's position from its key.
func positionOf(key []byte) int64 {
	reader := columnReader{changes.clustering, key[2:]}
	return int64(reader.next().(int))
}

// append has a command's commit append a change to the log.
func (tx *tx) append(c blog.Change) { tx.change = &c }

// appendChange writes the change of a command, and takes away what was kept for long enough.
func (tx *tx) appendChange() error {
	l, c := &tx.Store.changes, tx.change
	if c == nil {
		return nil
	}
	if err := tx.dropChanges(); err != nil {
		return err
	}
	if l.last == l.begun {
		tx.putNew(tx.cellKey(changes, truthCell), tx.encodeLogs())
	}
	c.Log, c.Number, c.At = l.own, l.last+1-l.begun, blog.Millisecond(tx.clock.Now())
	value := tx.encode(0, c.At, string(c.Kind), c.Actor, c.Post, c.Comment, c.Comments, c.User, c.Followed, c.Group)
	tx.putNew(tx.cellKey(changes, truthCell, int(l.last+1)), value)
	return nil
}

// retention is how far the logs were looked through, by this process, for changes that were kept for long enough.
// Whatever its date says, a change is older than those that follow it: one that a clock which was ahead has
// dated is looked past, and goes with the first of these that goes.
type retention struct {
	oldest int64     // position of the oldest change that is kept, or of the next one where there is none
	due    int64     // all up to here may go
	looked int64     // those after due up to here are dated ahead
	ahead  time.Time // of these, the earliest date
}

// droppedAtOnce bounds how many changes one command looks at, and how many it drops; above one, so
// that a backlog shrinks.
const droppedAtOnce = 4

// dropChanges takes away some of the oldest changes, if they were kept for long enough. The
// newest stays, for it says how far the logs have come.
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

// apply notes what a commit did to the logs, under the writer's lock.
func (l *changeLog) apply(tx *tx) {
	if tx.change == nil {
		return
	}
	l.last, l.retention = l.begun+tx.change.Number, tx.retention
	l.mu.Lock()
	defer l.mu.Unlock()
	l.applied = append(l.applied, *tx.change)
}

// onDisk publishes the changes up to a commit's own, if it has one.
func (l *changeLog) onDisk(tx *tx) {
	if tx.change == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.applied) > 0 && l.applied[0].Number <= tx.change.Number {
		l.durable = l.begun + l.applied[0].Number
		for f := range l.watchers {
			(*f)(l.applied[0])
		}
		l.applied = l.applied[1:]
	}
}

// ChangeLogs is a method of [blog.Changes]. A log is there from its first change on.
func (s *Store) ChangeLogs(context.Context) (logs []blog.ChangeLog, err error) {
	l := &s.changes
	if newest := l.newest(); newest > l.begun {
		logs = append(logs, blog.ChangeLog{ID: l.own, Seen: s.clock.Now(), Last: newest - l.begun})
	}
	for _, log := range l.past {
		logs = append(logs, log.ChangeLog)
	}
	return logs, nil
}

// LatestChange is a method of [blog.Changes].
func (s *Store) LatestChange(_ context.Context, log blog.ChangeLog) (int64, error) {
	before, end := s.changes.between(log.ID)
	return end - before, nil
}

// between returns between which positions the changes of a log are that can be read, after the first of them; none
// where it is not known.
func (l *changeLog) between(id blog.LogID) (before, end int64) {
	if id == l.own {
		return l.begun, l.newest()
	}
	for _, log := range l.past {
		if log.ID == id {
			return log.before, log.before + log.Last
		}
	}
	return 0, 0
}

func (l *changeLog) newest() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.durable
}

// ChangesAfter is a method of [blog.Changes].
func (s *Store) ChangesAfter(ctx context.Context, log blog.ChangeLog, number int64, limit int) (found []blog.Change, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.inside.leave()
	before, end := s.changes.between(log.ID)
	after := before + number
	switch {
	case after == end:
		return nil, nil
	case after > end: // the data are those of a backup that was made before
		return nil, blog.ErrChangesExpired()
	}
	err = s.scanFrom(ctx, changes, changes.cellKey(truthCell, int(after)+1), func(key, value []byte) error {
		position := positionOf(key)
		if position > end || len(found) == limit {
			return errEnough
		}
		if position != after+int64(len(found))+1 {
			return blog.ErrChangesExpired()
		}
		c, err := decodeChange(string(value))
		c.Log, c.Number = log.ID, position-before
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
	c.Comments, c.User, c.Followed = field[int](f), added[blog.UserID](f), added[blog.FollowedID](f)
	c.Group = added[blog.GroupID](f)
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
