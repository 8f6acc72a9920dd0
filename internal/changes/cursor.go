package changes

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"broadsheet/blog"
)

// Cursor is a position in the feed. The zero value is before everything that is kept.
type Cursor struct {
	At     time.Time // when the feed stood there; UTC, whole milliseconds
	passed map[blog.LogID]int64
}

// Passed returns the number of the last change of a log that lies before the cursor; 0: none.
func (c Cursor) Passed(log blog.LogID) int64 { return c.passed[log] }

// Covers reports whether all that lies before another cursor lies before this one, too, as far as
// the two name the same logs.
func (c Cursor) Covers(other Cursor) bool {
	for log, number := range other.passed {
		if c.passed[log] < number {
			return false
		}
	}
	return true
}

// Reaches reports whether the cursor names each log that another names, and covers it.
func (c Cursor) Reaches(other Cursor) bool {
	for log := range other.passed {
		if _, named := c.passed[log]; !named {
			return false
		}
	}
	return c.Covers(other)
}

// Passes reports whether a log that the cursor does not name, and that was seen last at a time, lies before it.
func (c Cursor) Passes(seen time.Time) bool { return seen.Before(c.At.Add(-over)) }

// clone returns the cursor as a copy to be moved.
func (c Cursor) clone() Cursor {
	passed := maps.Clone(c.passed)
	if passed == nil {
		passed = map[blog.LogID]int64{}
	}
	return Cursor{At: c.At, passed: passed}
}

// Back returns the cursor before the last changes of each log, at most so many.
func (c Cursor) Back(changes int) Cursor {
	before := c.clone()
	for log, number := range before.passed {
		before.passed[log] = max(number-int64(changes), 0)
	}
	return before
}

// With returns the cursor after all that lies before one of two.
func (c Cursor) With(other Cursor) Cursor {
	both := c.clone()
	if other.At.After(both.At) {
		both.At = other.At
	}
	for log, number := range other.passed {
		both.passed[log] = max(both.passed[log], number)
	}
	return both
}

// over is after which time a log to which nothing was appended is left out of cursors.
const over = time.Hour

// A cursor's text is base64url of
//
//	version, 1 │ milliseconds, varint │ log, 16 │ number, uvarint │ log … │ checksum, 4
//
// with the logs in their order.
const (
	cursorVersion = 1
	checkSize     = 4
)

// String returns the cursor as a text that [ParseCursor] reads.
func (c Cursor) String() string {
	raw := binary.AppendVarint([]byte{cursorVersion}, c.At.UnixMilli())
	for _, log := range slices.SortedFunc(maps.Keys(c.passed), func(a, b blog.LogID) int { return a.Compare(b.UUID) }) {
		raw = append(raw, log.UUID[:]...)
		raw = binary.AppendUvarint(raw, uint64(c.passed[log]))
	}
	return base64.RawURLEncoding.EncodeToString(append(raw, check(raw)...))
}

func check(raw []byte) []byte {
	sum := sha256.Sum256(raw)
	return sum[:checkSize]
}

// ErrCursor says that a text is no cursor of the feed.
func ErrCursor() error {
	return blog.Errorf(blog.Invalid, "this is no cursor of changes: give one back as it was received")
}

// maxCursor is the greatest length of a cursor, in bytes: it names some 2,600 logs.
const maxCursor = 64 << 10

// ParseCursor reads what [Cursor.String] wrote. [blog.Invalid]: it is something else, or too long.
func ParseCursor(text string) (Cursor, error) {
	if len(text) > maxCursor {
		return Cursor{}, ErrCursor()
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < 1+checkSize || raw[0] != cursorVersion {
		return Cursor{}, ErrCursor()
	}
	raw, sum := raw[:len(raw)-checkSize], raw[len(raw)-checkSize:]
	if !bytes.Equal(sum, check(raw)) {
		return Cursor{}, ErrCursor()
	}
	at, n := binary.Varint(raw[1:])
	c := Cursor{At: time.UnixMilli(at).UTC(), passed: map[blog.LogID]int64{}}
	for raw = raw[1+max(n, 0):]; n > 0 && len(raw) > 0; raw = raw[len(blog.UUID{})+n:] {
		if len(raw) <= len(blog.UUID{}) {
			return Cursor{}, ErrCursor()
		}
		var number uint64
		number, n = binary.Uvarint(raw[len(blog.UUID{}):])
		if n <= 0 || number > 1<<62 {
			return Cursor{}, ErrCursor()
		}
		c.passed[blog.LogID{UUID: blog.UUID(raw)}] = int64(number)
	}
	if n <= 0 {
		return Cursor{}, ErrCursor()
	}
	return c, nil
}
