package embedded

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"time"

	"broadsheet/blog"
)

// column is the type of one column of a key.
type column byte

const (
	text   column = iota // its length, then its bytes: no text is the prefix of another key
	number               // four bytes
	moment               // milliseconds, eight bytes
	user                 // the rest: sixteen bytes
	post
	comment
)

// table says how the keys of one table are written; doc.go has the picture.
type table struct {
	name       blog.Table
	prefix     byte // on disk: never changes, never comes back for another table
	partition  []column
	clustering []column // descending, newest first
	cells      byte     // how many cells a row may have
}

// The tables. A row's first cell makes the row.
var (
	usersByID        = &table{blog.UsersByID, 0x10, []column{user}, nil, 1}
	usersByUsername  = &table{blog.UsersByUsername, 0x11, []column{text}, []column{user}, 1}
	usersByEmail     = &table{blog.UsersByEmail, 0x12, []column{text}, []column{user}, 1}
	usersBySubject   = &table{blog.UsersBySubject, 0x13, []column{text}, []column{user}, 1}
	postsByID        = &table{blog.PostsByID, 0x20, []column{post}, nil, 5}
	postsByAuthor    = &table{blog.PostsByAuthor, 0x21, []column{user}, []column{post}, 3}
	feedByBucket     = &table{blog.FeedByBucket, 0x22, []column{text, number}, []column{post}, 4}
	commentsByPost   = &table{blog.CommentsByPost, 0x30, []column{post}, []column{comment}, 2}
	commentsByAuthor = &table{blog.CommentsByAuthor, 0x31, []column{user}, []column{comment}, 1}
	likesByPost      = &table{blog.LikesByPost, 0x40, []column{post}, []column{moment, user}, 2}
	likesByUser      = &table{blog.LikesByUser, 0x41, []column{user}, []column{post}, 1}

	likeClaims        = &table{blog.LikeClaims, 0x50, []column{post}, []column{user}, 1}
	usernameClaims    = &table{blog.UsernameClaims, 0x51, []column{text}, nil, 1}
	emailClaims       = &table{blog.EmailClaims, 0x52, []column{text}, nil, 1}
	subjectClaims     = &table{blog.SubjectClaims, 0x53, []column{text}, nil, 1}
	idempotencyKeys   = &table{blog.IdempotencyKeys, 0x54, []column{text, text, text}, nil, 1}
	idempotencyExpiry = &table{"idempotency_expiry", 0x55, []column{moment, text, text, text}, nil, 1}

	gaps = &table{blog.Gaps, 0x56, []column{text}, []column{comment}, 1} // of what a list's partition's keys begin with; ids of posts too
)

// The cells of truths.
const (
	truthCell   = 1 // the object, in a row of any table that holds truths
	contentCell = 2 // of a post: apart, so that a like needn't read it
	countCell   = 1 // above the rows of a partition: how many stand, in comments_by_post and like_claims
)

// deadCell stands in a row that was deleted and stays, and nothing else does. A program
// that does not know the cell sees cells without their row, which every reader skips.
const deadCell = 0xfe

// place is where a group of copies stands in its row, or above the rows. added holds
// a zero value for each of the group's last columns that were added to it after its
// first release: what they are in copies that were written before.
type place struct {
	table *table
	cell  byte
	added []any
}

var places = map[*blog.Group]place{
	blog.UsernameCard: {table: usersByUsername, cell: 1},
	blog.EmailCard:    {table: usersByEmail, cell: 1},
	blog.SubjectCard:  {table: usersBySubject, cell: 1},

	blog.PostName:         {table: postsByID, cell: 3},
	blog.PostCommentCount: {table: postsByID, cell: 4},
	blog.PostLikeCount:    {table: postsByID, cell: 5},

	blog.AuthorPost:             {table: postsByAuthor, cell: 1},
	blog.AuthorPostCommentCount: {table: postsByAuthor, cell: 2},
	blog.AuthorPostLikeCount:    {table: postsByAuthor, cell: 3},
	blog.AuthorPostsName:        {table: postsByAuthor, cell: 1},

	blog.FeedPost:             {table: feedByBucket, cell: 1},
	blog.FeedPostName:         {table: feedByBucket, cell: 2},
	blog.FeedPostCommentCount: {table: feedByBucket, cell: 3},
	blog.FeedPostLikeCount:    {table: feedByBucket, cell: 4},

	blog.CommentName:        {table: commentsByPost, cell: 2},
	blog.AuthorComment:      {table: commentsByAuthor, cell: 1},
	blog.AuthorCommentsName: {table: commentsByAuthor, cell: 1},

	blog.PostLike:      {table: likesByPost, cell: 1},
	blog.PostLikeName:  {table: likesByPost, cell: 2},
	blog.PostLikesHead: {table: likesByPost, cell: 1},
	blog.UserLike:      {table: likesByUser, cell: 1},
}

// static reports whether a group stands once above the rows of its partition.
func static(g *blog.Group) bool {
	return len(g.Key) < len(places[g].table.partition)+len(places[g].table.clustering)
}

// What follows the partition key in a key: static cells sort before the rows.
const (
	staticMark = 0x00
	rowMark    = 0x01
	endMark    = 0x02 // above every key of the partition
)

// pastCells is above every cell of a row.
const pastCells = 0xff

// partitionKey returns what all keys of a partition begin with.
func (t *table) partitionKey(values ...any) []byte {
	return t.appendPartition(make([]byte, 0, 64), values...)
}

func (t *table) appendPartition(key []byte, values ...any) []byte {
	return appendColumns(append(key, t.prefix), t.partition, values, false)
}

// staticKey returns the key of a cell above the rows of a partition.
func (t *table) staticKey(cell byte, partition ...any) []byte {
	return t.appendStatic(make([]byte, 0, 64), cell, partition...)
}

func (t *table) appendStatic(key []byte, cell byte, partition ...any) []byte {
	return append(t.appendPartition(key, partition...), staticMark, cell)
}

// appendRowKey appends what the keys of a row's cells begin with.
func (t *table) appendRowKey(key []byte, values ...any) []byte {
	n := len(t.partition)
	return t.appendRow(t.appendPartition(key, values[:n]...), values[n:]...)
}

// appendRow makes a partition's key the key of one of its rows.
func (t *table) appendRow(partition []byte, clustering ...any) []byte {
	return appendColumns(append(partition, rowMark), t.clustering, clustering, true)
}

// cellKey returns the key of one cell of a row.
func (t *table) cellKey(cell byte, values ...any) []byte {
	return t.appendCell(make([]byte, 0, 64), cell, values...)
}

func (t *table) appendCell(key []byte, cell byte, values ...any) []byte {
	return append(t.appendRowKey(key, values...), cell)
}

func appendColumns(key []byte, columns []column, values []any, descending bool) []byte {
	if len(columns) != len(values) {
		panic(fmt.Sprintf("embedded: %d values for %d columns of a key", len(values), len(columns)))
	}
	start := len(key)
	for _, value := range values {
		key = appendColumn(key, value)
	}
	if descending {
		invert(key[start:])
	}
	return key
}

func appendColumn(key []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(binary.AppendUvarint(key, uint64(len(v))), v...)
	case int:
		return binary.BigEndian.AppendUint32(key, uint32(v))
	case time.Time:
		return binary.BigEndian.AppendUint64(key, uint64(v.UnixMilli())^1<<63) // negative times sort first
	case blog.UserID:
		return append(key, v.UUID[:]...)
	case blog.PostID:
		return append(key, v.UUID[:]...)
	case blog.CommentID:
		return append(key, v.UUID[:]...)
	default:
		panic("embedded: a key holds a " + reflect.TypeOf(value).String()) // by fmt, every key's values would be on the heap
	}
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// parsedKey is a key taken apart.
type parsedKey struct {
	values []any
	static bool
	cell   byte
}

// parse takes a key of the table apart. Queries never need it: they know the
// partition and read fixed offsets.
func (t *table) parse(key []byte) (parsedKey, bool) {
	values, rest, ok := readColumns(key[1:], t.partition, nil)
	if !ok || len(rest) < 2 {
		return parsedKey{}, false
	}
	mark, cell := rest[0], rest[len(rest)-1]
	if mark == staticMark {
		return parsedKey{values, true, cell}, len(rest) == 2
	}
	clustering := append([]byte(nil), rest[1:len(rest)-1]...)
	invert(clustering)
	values, rest, ok = readColumns(clustering, t.clustering, values)
	return parsedKey{values, false, cell}, ok && len(rest) == 0
}

func readColumns(key []byte, columns []column, values []any) ([]any, []byte, bool) {
	for _, c := range columns {
		value, n := readColumn(key, c)
		if n == 0 {
			return nil, nil, false
		}
		values, key = append(values, value), key[n:]
	}
	return values, key, true
}

// readColumn returns a column's value and its length, 0 where there is none.
func readColumn(key []byte, c column) (any, int) {
	switch c {
	case text:
		length, n := binary.Uvarint(key)
		if n <= 0 || length > uint64(len(key)-n) {
			return nil, 0
		}
		return string(key[n : n+int(length)]), n + int(length)
	case number:
		if len(key) < 4 {
			return nil, 0
		}
		return int(int32(binary.BigEndian.Uint32(key))), 4
	case moment:
		if len(key) < 8 {
			return nil, 0
		}
		return readMoment(key), 8
	}
	if len(key) < 16 {
		return nil, 0
	}
	switch id := blog.UUID(key[:16]); c {
	case user:
		return blog.UserID{UUID: id}, 16
	case post:
		return blog.PostID{UUID: id}, 16
	default:
		return blog.CommentID{UUID: id}, 16
	}
}

func readMoment(key []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(key) ^ 1<<63)).UTC()
}

// descendingID reads an id in a clustering key.
func descendingID(key []byte) blog.UUID {
	id := blog.UUID(key[:16])
	invert(id[:])
	return id
}

// idOfRow reads the id by which the rows of a list are ordered in what follows the
// partition in the key of a cell.
func idOfRow(rest []byte) (blog.UUID, error) {
	if len(rest) != 1+len(blog.UUID{})+1 || rest[0] != rowMark {
		return blog.UUID{}, errKey
	}
	return descendingID(rest[1:]), nil
}

// descendingMoment reads a time in a clustering key.
func descendingMoment(key []byte) time.Time {
	return readMoment(binary.BigEndian.AppendUint64(nil, ^binary.BigEndian.Uint64(key)))
}

// partitionLength returns how much of a key names its partition.
func (t *table) partitionLength(key []byte) int {
	n := 1
	for _, c := range t.partition {
		n += c.length(key[n:])
	}
	return n
}

// suffix returns how long the key of a row's cell is after the partition's: columns that rows
// are ordered by have one length.
func (t *table) suffix() int {
	n := 2 // the mark of a row, and the cell
	for _, c := range t.clustering {
		n += c.length(nil)
	}
	return n
}

// length returns how long a column is that a key begins with.
func (c column) length(key []byte) int {
	switch c {
	case text:
		length, n := binary.Uvarint(key)
		return n + int(length)
	case number:
		return 4
	case moment:
		return 8
	default:
		return 16
	}
}
