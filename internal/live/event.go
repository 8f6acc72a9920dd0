package live

import (
	"sync"

	"broadsheet/blog"
	"broadsheet/internal/changes"
)

// event is a change in the lists of the hub. All streams that meet it share it, with what is
// read for it.
type event struct {
	blog.Change
	at  changes.Cursor // after it
	seq uint64         // in the window; 0: it is in none, and one stream's alone

	next *event // in its topic; nil: there is none yet, or the event was cut off
	twin *event // in another topic; nil: there is none
	cut  bool   // it has left the window, and what followed it cannot be found from it

	text lazy[string] // of the cursor after it, as most streams have it
	held *held        // what is read for it; its own where it is one stream's alone, which may be before the window
}

// lazy is a value that is made when it is first wanted.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(make func() T) T {
	l.once.Do(func() { l.value = make() })
	return l.value
}
