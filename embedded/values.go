package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"broadsheet/blog"
)

// A value is the cells of one group:
//
//	┌─────────┬────────────────┬─────┬───────┬─────┬───────┬─
//	│ version │ stamp (varint) │ tag │ bytes │ tag │ bytes │ …
//	└─────────┴────────────────┴─────┴───────┴─────┴───────┴─
//
// The tags make a value readable without its table, and a damaged one, or one
// written for other columns, recognizable. Fields may be added at the end only.
const valueVersion = 1

const (
	tagAbsent  = iota // a text that may be absent, and is
	tagText           // length, bytes
	tagPresent        // a text that may be absent, and is there: length, bytes
	tagInt            // varint
	tagFalse
	tagTrue
	tagMoment // milliseconds, varint
	tagUser   // sixteen bytes
	tagPost
	tagComment
)

var errValue = errors.New("a stored value can't be read: it is damaged")

// encode writes a value.
func encode(stamp int64, fields ...any) []byte {
	b := append(make([]byte, 0, 128), valueVersion)
	b = binary.AppendVarint(b, stamp)
	for _, f := range fields {
		b = appendField(b, f)
	}
	return b
}

func appendField(b []byte, field any) []byte {
	switch v := field.(type) {
	case string:
		return appendText(append(b, tagText), v)
	case *string:
		if v == nil {
			return append(b, tagAbsent)
		}
		return appendText(append(b, tagPresent), *v)
	case int:
		return binary.AppendVarint(append(b, tagInt), int64(v))
	case bool:
		if v {
			return append(b, tagTrue)
		}
		return append(b, tagFalse)
	case time.Time:
		return binary.AppendVarint(append(b, tagMoment), v.UnixMilli())
	case blog.UserID:
		return append(append(b, tagUser), v.UUID[:]...)
	case blog.PostID:
		return append(append(b, tagPost), v.UUID[:]...)
	case blog.CommentID:
		return append(append(b, tagComment), v.UUID[:]...)
	default:
		panic(fmt.Sprintf("embedded: a value holds a %T", field))
	}
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// fields reads a value from its start. After the first fault every field is
// zero, and err says so.
type fields struct {
	stamp int64
	rest  []byte
	err   error
}

func decode(value []byte) *fields {
	if len(value) == 0 || value[0] != valueVersion {
		return &fields{err: errValue}
	}
	stamp, n := binary.Varint(value[1:])
	if n <= 0 {
		return &fields{err: errValue}
	}
	return &fields{stamp: stamp, rest: value[1+n:]}
}

// next returns the next field as it was given to encode.
func (f *fields) next() any {
	if f.err != nil || len(f.rest) == 0 {
		f.err = errValue
		return nil
	}
	tag := f.rest[0]
	f.rest = f.rest[1:]
	switch tag {
	case tagAbsent:
		return (*string)(nil)
	case tagText:
		return string(f.bytes())
	case tagPresent:
		s := string(f.bytes())
		return &s
	case tagInt:
		return int(f.varint())
	case tagFalse, tagTrue:
		return tag == tagTrue
	case tagMoment:
		return time.UnixMilli(f.varint()).UTC()
	case tagUser:
		return blog.UserID{UUID: f.id()}
	case tagPost:
		return blog.PostID{UUID: f.id()}
	case tagComment:
		return blog.CommentID{UUID: f.id()}
	}
	f.err = errValue
	return nil
}

// field returns the next field, which is a T.
func field[T any](f *fields) T {
	value, ok := f.next().(T)
	if !ok {
		f.err = errValue
	}
	return value
}

func (f *fields) bytes() []byte {
	length, n := binary.Uvarint(f.rest)
	if n <= 0 || length > uint64(len(f.rest)-n) {
		f.err = errValue
		return nil
	}
	b := f.rest[n : n+int(length)]
	f.rest = f.rest[n+int(length):]
	return b
}

func (f *fields) varint() int64 {
	i, n := binary.Varint(f.rest)
	if n <= 0 {
		f.err = errValue
		return 0
	}
	f.rest = f.rest[n:]
	return i
}

func (f *fields) id() (id blog.UUID) {
	if len(f.rest) < len(id) {
		f.err = errValue
		return id
	}
	copy(id[:], f.rest)
	f.rest = f.rest[len(id):]
	return id
}

// decodeName reads the username of a copy; none where the copy lacks.
func decodeName(value []byte) (string, error) {
	if value == nil {
		return "", nil
	}
	f := decode(value)
	return field[string](f), f.err
}

// decodeCount reads a count; zero where there is none, for nothing was counted.
func decodeCount(value []byte) (blog.Count, error) {
	if value == nil {
		return blog.Count{}, nil
	}
	f := decode(value)
	return blog.Count{N: field[int](f), Stamp: f.stamp}, f.err
}
