package relay

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"broadsheet/blog"
)

// Position is the key of a row in its list.
type Position interface {
	blog.UserID | blog.PostID | blog.CommentID | blog.ReactionPosition | blog.Path
}

// List is a list that has cursors: its kind, its parent and its order, with the
// type of its keys.
type List[P Position] struct {
	head    []byte
	skipped int // bytes of a parent that may be any
}

// listOf returns the list of a table that some values name, in an order. Its kind is declared. Values come as
// bytes, a year as two of them: in an interface each would be allocated.
func listOf[P Position](table blog.Table, order blog.Order, parent ...[]byte) List[P] {
	head := append(make([]byte, 0, 1+len(parent)*len(blog.UUID{})), table.Declaration().List.Cursors[order])
	for _, value := range parent {
		head = append(head, value...)
	}
	return List[P]{head: head}
}

// OfAnyParent is all lists of the same kind and order, whatever their parent. It reads their
// cursors, and makes none.
func (l List[P]) OfAnyParent() List[P] {
	return List[P]{head: l.head[:1], skipped: len(l.head) - 1}
}

const checkSize = 4

// Cursor returns the cursor of a row of the list.
func (l List[P]) Cursor(at P) string { return l.Cursors(at)[0] }

// Cursors returns the cursors of several rows. They share their memory.
func (l List[P]) Cursors(at ...P) []string {
	var buffer [1 + 2*len(blog.UUID{}) + likePositionSize + checkSize]byte
	var text []byte
	ends := make([]int, len(at))
	for i, position := range at {
		raw := appendPosition(append(buffer[:0], l.head...), position)
		raw = append(raw, check(raw)...)
		if i == 0 {
			text = make([]byte, 0, len(at)*base64.RawURLEncoding.EncodedLen(len(raw))) // all are as long, but paths
		}
		text = base64.RawURLEncoding.AppendEncode(text, raw)
		ends[i] = len(text)
	}
	all, cursors, begin := string(text), make([]string, len(at)), 0
	for i, end := range ends {
		cursors[i], begin = all[begin:end], end
	}
	return cursors
}

// Position returns the row that a cursor of the list stands for, which may be gone
// since. Invalid: it is no cursor of ours, or another list's.
func (l List[P]) Position(cursor string) (P, error) {
	var at P
	raw, ok := decode(cursor)
	end := len(raw) - checkSize
	if !ok || end < 0 || !bytes.Equal(check(raw[:end]), raw[end:]) {
		return at, blog.Errorf(blog.Invalid, "is not a cursor of this API; send cursors as they were received")
	}
	key, ok := bytes.CutPrefix(raw[:end], l.head)
	if !ok {
		return at, blog.Errorf(blog.Invalid, "is the cursor of another list, or of another order")
	}
	if at, ok = readPosition[P](key[min(l.skipped, len(key)):]); !ok {
		return at, blog.Errorf(blog.Invalid, "is not a cursor of this API; send cursors as they were received")
	}
	return at, nil
}

func check(raw []byte) []byte {
	sum := sha256.Sum256(raw)
	return sum[:checkSize]
}

// A like's position is 48 bits of milliseconds, as in a UUIDv7, then the user or the post.
const (
	timeSize         = 6
	likePositionSize = timeSize + len(blog.UUID{})
)

func appendPosition[P Position](raw []byte, at P) []byte {
	switch p := any(at).(type) {
	case blog.UserID:
		return append(raw, p.UUID[:]...)
	case blog.PostID:
		return append(raw, p.UUID[:]...)
	case blog.CommentID:
		return append(raw, p.UUID[:]...)
	case blog.Path:
		return append(raw, p...)
	default:
		like := p.(blog.ReactionPosition)
		ms := binary.BigEndian.AppendUint64(nil, uint64(like.At.UnixMilli()))
		return append(append(raw, ms[8-timeSize:]...), like.ID[:]...)
	}
}

func readPosition[P Position](raw []byte) (at P, ok bool) {
	switch p := any(&at).(type) {
	case *blog.UserID:
		p.UUID, ok = readUUID(raw)
	case *blog.PostID:
		p.UUID, ok = readUUID(raw)
	case *blog.CommentID:
		p.UUID, ok = readUUID(raw)
	case *blog.Path:
		*p = blog.Path(raw)
		ok = p.Valid()
	case *blog.ReactionPosition:
		if len(raw) != likePositionSize {
			return at, false
		}
		ms := binary.BigEndian.Uint64(append(make([]byte, 8-timeSize), raw[:timeSize]...))
		p.At = time.UnixMilli(int64(ms)).UTC()
		p.ID, ok = readUUID(raw[timeSize:])
	}
	return at, ok
}

func readUUID(raw []byte) (blog.UUID, bool) {
	ids, ok := uuids(raw)
	if !ok || len(ids) != 1 {
		return blog.UUID{}, false
	}
	return ids[0], true
}
