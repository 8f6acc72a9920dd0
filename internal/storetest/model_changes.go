package storetest

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
)

// modelLog is what a model appended.
type modelLog struct {
	id       blog.LogID
	changes  []blog.Change
	watchers map[*func(blog.Change)]bool
}

// tell appends a change to the model's own log.
func (m *Model) tell(c blog.Change) {
	l := m.log
	c.Log, c.Number, c.At = l.id, int64(len(l.changes))+1, blog.Millisecond(m.clock.Now())
	l.changes = append(l.changes, c)
	for f := range l.watchers {
		(*f)(c)
	}
}

// Changes returns the change feed, in which each model on the same data has a log.
func (m *Model) Changes() blog.Changes { return modelChanges{m} }

type modelChanges struct{ *Model }

// ChangeLogs is a method of [blog.Changes].
func (m modelChanges) ChangeLogs(context.Context) (logs []blog.ChangeLog, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, l := range m.logs {
		logs = append(logs, blog.ChangeLog{ID: id, Seen: m.clock.Now(), Last: int64(len(l.changes))})
	}
	return logs, nil
}

// ChangesAfter is a method of [blog.Changes].
func (m modelChanges) ChangesAfter(_ context.Context, log blog.ChangeLog, number int64, limit int) ([]blog.Change, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.logs[log.ID]
	if l == nil || number == int64(len(l.changes)) {
		return nil, nil
	}
	if number > int64(len(l.changes)) || number < l.expired(m.clock.Now()) {
		return nil, blog.ErrChangesExpired()
	}
	after := l.changes[number:]
	return slices.Clone(after[:min(limit, len(after))]), nil
}

// expired returns how many changes are kept no more: those that were kept for long enough, with what a
// clock that was ahead has dated before these.
func (l *modelLog) expired(now time.Time) (n int64) {
	for _, c := range l.changes {
		switch {
		case c.At.Before(now.Add(-blog.KeepChanges)):
			n = c.Number
		case !c.At.After(now):
			return n
		}
	}
	return n
}

// LatestChange is a method of [blog.Changes].
func (m modelChanges) LatestChange(_ context.Context, log blog.ChangeLog) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.logs[log.ID]; l != nil {
		return int64(len(l.changes)), nil
	}
	return 0, nil
}

// WatchChanges is a method of [blog.Changes].
func (m modelChanges) WatchChanges(f func(blog.Change)) (stop func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	watcher := &f
	m.log.watchers[watcher] = true
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.log.watchers, watcher)
	}
}
