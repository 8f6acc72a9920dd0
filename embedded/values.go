package embedded

import (
	"encoding/binary"
	"errors"
	"reflect"
	"time"

	"broadsheet/blog"
)

// A value is the cells of one family:
//
//	┌─────────┬────────────────┬─────┬───────┬─────┬───────┬─
//	│ version │ stamp (varint) │ tag │ bytes │ tag │ bytes │ …
//	└─────────┴────────────────┴─────┴───────┴─────┴───────┴─
//
// The tags make a value readable without its table, and a damaged one recognizable.
//
// A value outlives the program that wrote it. Fields are added at the end only, and
// a value knows its end, so that programs of different ages read each other's:
//
//	written before a field was there   the field reads as zero ([added])
//	written by a newer program         what follows the known fields is left alone
//	                                   ([fields.end]), and kept when the value is
//	                                   written again ([withUnknown])
//
// What ends inside a field, lacks one of the fields that it had from the first release on, or holds a tag that is none
// is damaged. A new tag is therefore a new format of the directory, a new field is not.
const valueVersion = 1

const (
	tagAbsent  = iota // a text that may be absent, and is
	tagText           // length, bytes
	tagPresent        // a text that may be absent, and is there: length, bytes
	tagInt            // varint
	tagFalse
	tagTrue
	tagMoment // milliseconds, varint

	// An id of sixteen bytes. Of which type it is its column says: all types are read from each of these tags. Older
	// programs want the last two where ids of posts and of comments stand.
	tagID
	tagPost
	tagComment
)

var errValue = errors.New("a stored value can't be read: it is damaged")

// encode writes a value.
func encode(stamp int64, fields ...any) []byte {
	return appendValue(make([]byte, 0, 128), stamp, fields...)
}

func appendValue(b []byte, stamp int64, fields ...any) []byte {
	b = binary.AppendVarint(append(b, valueVersion), stamp)
	for _, f := range fields {
		b = appendField(b, f)
	}
	return b
}

func appendField(b []byte, field any) []byte {
	switch v := field.(type) {
	case string:
		return appendText(append(b, tagText), v)
	case blog.Path:
		return appendText(append(b, tagText), string(v))
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
	case blog.PostID:
		return append(append(b, tagPost), v.UUID[:]...)
	case blog.CommentID:
		return append(append(b, tagComment), v.UUID[:]...)
	}
	id, isID := blog.IDOf(field)
	if !isID {
		panic("embedded: a value holds a " + reflect.TypeOf(field).String()) // by fmt, every field would be on the heap
	}
	return append(append(b, tagID), id[:]...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// fields reads a value from its start. After the first fault every field is
// zero, and err says so. Texts are parts of the value: nothing is copied.
type fields struct {
	stamp  int64
	unread string
	err    error
}

// decode is small, so that it is inlined and what it returns stays on the stack.
func decode(value string) *fields {
	f := &fields{}
	f.begin(value)
	return f
}

func (f *fields) begin(value string) {
	if f.want(value != "" && value[0] == valueVersion) {
		f.unread = value[1:]
		f.stamp = f.varint()
	}
}

// typed returns the next field as a column has it.
func (f *fields) typed(t blog.ColumnType) any {
	switch t {
	case blog.TypeText:
		return field[string](f)
	case blog.TypePath:
		return field[blog.Path](f)
	case blog.TypeOptionalText:
		return field[*string](f)
	case blog.TypeInt, blog.TypeCount:
		return field[int](f)
	case blog.TypeBool:
		return field[bool](f)
	case blog.TypeTime, blog.TypeOptionalTime:
		return field[time.Time](f)
	default:
		return t.ID(field[blog.UUID](f))
	}
}

// field returns the next field, which is a T.
func field[T any](f *fields) (value T) {
	f.into(&value)
	return value
}

// into reads the next field to where it belongs.
func (f *fields) into(at any) {
	tag := f.tag()
	switch v := at.(type) {
	case *string:
		if f.want(tag == tagText) {
			*v = f.text()
		}
	case *blog.Path:
		if f.want(tag == tagText) {
			*v = blog.Path(f.text())
		}
	case *blog.CopiedText:
		if v.Known = f.want(tag == tagAbsent || tag == tagPresent) && tag == tagPresent; v.Known {
			v.Text = f.text()
		}
	case **string:
		if f.want(tag == tagAbsent || tag == tagPresent) && tag == tagPresent {
			text := f.text()
			*v = &text
		}
	case *int:
		if f.want(tag == tagInt) {
			*v = int(f.varint())
		}
	case *blog.Count:
		if f.want(tag == tagInt) {
			*v = blog.Count{N: int(f.varint()), Stamp: f.stamp}
		}
	case *bool:
		*v = f.want(tag == tagFalse || tag == tagTrue) && tag == tagTrue
	case *time.Time:
		if f.want(tag == tagMoment) {
			*v = time.UnixMilli(f.varint()).UTC()
		}
	default:
		*blog.IDAt(at) = f.id(tag)
	}
}

// tag returns the next byte, which says of what type the field is after it.
func (f *fields) tag() (tag byte) {
	if f.want(f.unread != "") {
		tag, f.unread = f.unread[0], f.unread[1:]
	}
	return tag
}

// want reports whether the value is sound so far, as it is not where ok is false.
func (f *fields) want(ok bool) bool {
	if !ok {
		f.err = errValue
	}
	return f.err == nil
}

func (f *fields) text() string {
	length, n := binary.Uvarint(f.number())
	if !f.want(n > 0 && length <= uint64(len(f.unread)-n)) {
		return ""
	}
	text := f.unread[n : n+int(length)]
	f.unread = f.unread[n+int(length):]
	return text
}

func (f *fields) varint() int64 {
	i, n := binary.Varint(f.number())
	if !f.want(n > 0) {
		return 0
	}
	f.unread = f.unread[n:]
	return i
}

// number returns the bytes that may be a number at the value's beginning: few, so that they need no memory.
func (f *fields) number() []byte { return []byte(f.unread[:min(len(f.unread), binary.MaxVarintLen64)]) }

func (f *fields) id(tag byte) (id blog.UUID) {
	if !f.want((tag == tagID || tag == tagPost || tag == tagComment) && len(f.unread) >= len(id)) {
		return id
	}
	copy(id[:], f.unread)
	f.unread = f.unread[len(id):]
	return id
}

// added returns the next field, which values written before it was there lack: it reads as zero then.
func added[T any](f *fields) (value T) {
	if f.unread == "" {
		return value
	}
	return field[T](f)
}

// end returns what is wrong with a value of which every field was read that this
// program knows. There may be more, of a newer program, but nothing else.
func (f *fields) end() error {
	for f.err == nil && f.unread != "" {
		f.skip()
	}
	return f.err
}

// skip passes the next field, of whatever type it is.
func (f *fields) skip() {
	switch tag := f.tag(); tag {
	case tagAbsent, tagFalse, tagTrue:
	case tagText, tagPresent:
		f.text()
	case tagInt, tagMoment:
		f.varint()
	default:
		f.id(tag)
	}
}

// withUnknown returns a value that is about to replace another, with those fields of
// the other at its end that are more than it has itself.
func withUnknown(value []byte, replaced string) []byte {
	known, old := decode(string(value)), decode(replaced)
	for known.err == nil && old.err == nil && known.unread != "" && old.unread != "" {
		known.skip()
		old.skip()
	}
	unknown := old.unread
	if known.unread != "" || old.end() != nil {
		return value
	}
	return append(value, unknown...)
}

// sole reads a value that is one field; zero where the value lacks.
func sole[T any](value string) (only T, err error) {
	if value == "" {
		return only, nil
	}
	f := decode(value)
	only = field[T](f)
	return only, f.end()
}
