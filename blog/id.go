package blog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"time"
)

// UUID is an identifier of version 7 as RFC 9562, section 5.7, lays it out: 48 bits of Unix milliseconds, the
// version, 12 bits that count within the millisecond, the variant, 62 random bits. Byte order is creation order.
// That of a group is of version 8. The zero UUID identifies nothing.
type UUID [16]byte

// The identifier types, so that one kind of thing can't be passed for another.
type (
	UserID    struct{ UUID }
	PostID    struct{ UUID }
	CommentID struct{ UUID }
	CommandID struct{ UUID }

	// FollowedID is that of a user as one who is followed: a follow has two users, and tells them apart by it.
	FollowedID struct{ UUID }

	// GroupID is made of the group's name, of version 8 as RFC 9562, section 5.8, allows it: so a name is unique.
	GroupID struct{ UUID }
)

// CommentKey names a comment: its post is the partition that it lives in.
type CommentKey struct {
	Post    PostID
	Comment CommentID
}

// String returns the canonical form, as in 01932b4e-8f2a-7c3d-9e4f-0123456789ab.
func (id UUID) String() string {
	var s [36]byte
	hex.Encode(s[:8], id[:4])
	hex.Encode(s[9:13], id[4:6])
	hex.Encode(s[14:18], id[6:8])
	hex.Encode(s[19:23], id[8:10])
	hex.Encode(s[24:], id[10:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}

// Time returns the moment of creation in UTC, to the millisecond.
func (id UUID) Time() time.Time { return time.UnixMilli(id.milliseconds()).UTC() }

// Stamp returns the moment of creation in microseconds since 1970: the write time of what was never changed.
func (id UUID) Stamp() int64 { return id.milliseconds() * 1000 }

// Compare returns -1, 0 or +1: creation order.
func (id UUID) Compare(other UUID) int { return bytes.Compare(id[:], other[:]) }

// IsZero reports whether id names nothing.
func (id UUID) IsZero() bool { return id == UUID{} }

// Valid reports whether id carries the version and the variant of an identifier.
func (id UUID) Valid() bool { return (id[6]>>4 == 7 || id[6]>>4 == 8) && id[8]>>6 == 2 }

// GroupOf returns the id of the group that has a name, whatever its case.
func GroupOf(name string) GroupID {
	sum := sha256.Sum256([]byte("group " + UsernameKey(name)))
	id := UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return GroupID{id}
}

// MarshalText writes the canonical form.
func (id UUID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the canonical form, and what MarshalText writes of the zero UUID.
func (id *UUID) UnmarshalText(text []byte) error {
	if string(text) == (UUID{}).String() {
		*id = UUID{}
		return nil
	}
	parsed, err := ParseUUID(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}

// IDOf returns the id that a value of one of the types of ids is. By an interface each would be on the heap.
func IDOf(value any) (id UUID, isID bool) {
	switch v := value.(type) {
	case UUID:
		return v, true
	case UserID:
		return v.UUID, true
	case PostID:
		return v.UUID, true
	case CommentID:
		return v.UUID, true
	case FollowedID:
		return v.UUID, true
	case GroupID:
		return v.UUID, true
	}
	return id, false
}

// IDAt returns where the id stands to which a field of one of the types of ids points; nil: it is none.
func IDAt(field any) *UUID {
	switch v := field.(type) {
	case *UUID:
		return v
	case *UserID:
		return &v.UUID
	case *PostID:
		return &v.UUID
	case *CommentID:
		return &v.UUID
	case *FollowedID:
		return &v.UUID
	case *GroupID:
		return &v.UUID
	}
	return nil
}

func (id UUID) milliseconds() int64 {
	return int64(binary.BigEndian.Uint64(id[:8]) >> 16)
}

// ParseUUID reads the canonical form.
func ParseUUID(s string) (UUID, error) {
	var id UUID
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return UUID{}, fmt.Errorf("not a UUID: %d characters", len(s))
	}
	digits := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	if _, err := hex.Decode(id[:], []byte(digits)); err != nil {
		return UUID{}, fmt.Errorf("not a UUID: %w", err)
	}
	if !id.Valid() {
		return UUID{}, fmt.Errorf("not a UUID of version 7 or 8")
	}
	return id, nil
}

// FirstUUIDAt returns the lowest UUIDv7 of a time: an id is not below it if and only if it was created at t or
// later. A time between two milliseconds counts as the later one, a time before 1970 as 1970.
func FirstUUIDAt(t time.Time) UUID {
	ms := t.UnixMilli()
	if t.Sub(time.UnixMilli(ms)) > 0 {
		ms++
	}
	ms = min(max(ms, 0), 1<<48-1)
	var id UUID
	binary.BigEndian.PutUint64(id[:8], uint64(ms)<<16)
	id[6] = 0x70
	id[8] = 0x80
	return id
}

// Clock tells the time.
type Clock interface{ Now() time.Time }

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now returns the current time.
func (SystemClock) Now() time.Time { return time.Now() }

// ClockSkew is how far a server's clock may be from the true time: every promise holds until then, none beyond.
const ClockSkew = 10 * time.Second

// IDs makes UUIDs of version 7 that strictly increase within the process, by RFC 9562, section 6.2, method 1: the 12
// bits after the version are a counter that starts at random in the lower half of its range at each new
// millisecond. Where it overflows, or the clock goes back, the last millisecond is moved one ahead or kept, as that
// section allows. Safe for concurrent use.
//
// A clock that goes back by more than [ClockSkew] was wrong and has been set right. Ids follow it back, for else all
// that the process makes would be dated into the future for as long as the clock was ahead. They don't repeat: 62
// bits are random. Only the order of lists relies on theirs: what a wrong clock dated stands where that put it.
type IDs struct {
	clock  Clock
	random io.Reader
	back   func(by time.Duration) // nil: it is not told

	mu      sync.Mutex
	last    int64 // milliseconds
	counter uint16
}

// NewIDs returns a source of ids. random must not fail: crypto/rand.Reader, or a seeded source in tests.
func NewIDs(clock Clock, random io.Reader) *IDs {
	return &IDs{clock: clock, random: random, last: -1}
}

// OnStepBack has back called each time that ids follow a clock back. It is called before g is first used.
func (g *IDs) OnStepBack(back func(by time.Duration)) { g.back = back }

// User and those that follow return a new id each.
func (g *IDs) User() UserID       { return UserID{g.next()} }
func (g *IDs) Post() PostID       { return PostID{g.next()} }
func (g *IDs) Comment() CommentID { return CommentID{g.next()} }
func (g *IDs) Command() CommandID { return CommandID{g.next()} }

func (g *IDs) next() UUID {
	id, by := g.draw()
	if by > 0 && g.back != nil {
		g.back(by)
	}
	return id
}

// draw returns the next id, and by how much the clock was set back.
func (g *IDs) draw() (id UUID, back time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := io.ReadFull(g.random, id[6:]); err != nil {
		panic("blog: source of random bytes: " + err.Error())
	}
	now := max(g.clock.Now().UnixMilli(), 0) // before 1970 counts as 1970
	if now < g.last-ClockSkew.Milliseconds() {
		back = time.Duration(g.last-now) * time.Millisecond
	}
	switch {
	case now > g.last || back > 0:
		g.last = now
		g.counter = binary.BigEndian.Uint16(id[6:8]) & 0x7ff
	case g.counter == 0xfff:
		g.last++
		g.counter = binary.BigEndian.Uint16(id[6:8]) & 0x7ff
	default:
		g.counter++
	}
	binary.BigEndian.PutUint64(id[:8], uint64(g.last)<<16|7<<12|uint64(g.counter))
	id[8] = id[8]&0x3f | 0x80
	return id, back
}
