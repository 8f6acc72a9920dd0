package resolvers

import (
	"sync"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Room bounds what all large answers take of memory together, in bytes, while they are made
// and until they are written: each may be as large as one may be, and as many are made at
// once as are executed, and more wait for clients who are slow to read. Small answers are
// never refused for it. The zero value is no bound.
type Room struct {
	Most int64 // 0: any number
	held atomic.Int64
}

// small is how much of an answer takes no room.
const small = 256 << 10

// Share is what one answer takes of the room. It is safe for concurrent use.
type Share struct {
	room *Room
	most int64 // of what the room holds

	mu             sync.Mutex
	wanted         int64
	reserved       int64 // twice as much whenever more is wanted
	refused, freed bool
}

// Making returns a share, which has nothing yet, for an answer while it is made. It is to be
// freed. Half of the room is for these, so that what was made finds room to be written.
func (r *Room) Making() *Share { return &Share{room: r, most: r.Most / 2, reserved: small} }

// Writing returns a share for an answer while it is written. It is to be freed.
func (r *Room) Writing() *Share { return &Share{room: r, most: r.Most, reserved: small} }

// Take takes bytes more. It is false where there is no room for them, and from then on: what
// the share had is free at once, for others that may yet be finished. Room is reserved ahead,
// so that who finds none has not written much. What is read when the share is free already,
// as nobody waits for it any more, takes nothing.
func (s *Share) Take(bytes int) bool {
	if s.room.Most == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return !s.refused
	}
	s.wanted += int64(bytes)
	before := s.reserved
	for s.reserved < s.wanted {
		s.reserved *= 2
	}
	if more := s.reserved - before; more > 0 && s.room.held.Add(more) > s.most {
		s.refused = true
		s.free()
	}
	return !s.refused
}

// Refused reports whether there was no room.
func (s *Share) Refused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// Free gives back what was taken.
func (s *Share) Free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free()
}

func (s *Share) free() {
	if !s.freed {
		s.room.held.Add(small - s.reserved)
	}
	s.freed = true
}

// NoRoom is the error of an answer for which there is no room.
func NoRoom() *gqlerror.Error {
	return &gqlerror.Error{
		Message:    "too many large answers are on their way: try again later, or ask for shorter pages",
		Extensions: map[string]any{"code": codeUnavailable, "limit": "answers"},
	}
}
