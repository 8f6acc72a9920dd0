package live

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"broadsheet/blog"
	"broadsheet/internal/changes"
)

// A cursor's text names its stream, then a position in the change feed; everything that the stream
// has not delivered lies behind that position:
//
//	P position                             of posts created, edited, deleted
//	C base64url(post │ number │ check) . position   of a post's comments; number is that of the
//	                                       last comment delivered
const (
	ofPosts    = "P"
	ofComments = "C"
	checkSize  = 4
	maxHead    = 64 // more than the length of what is before the point
)

func postsCursor(at changes.Cursor) string { return ofPosts + at.String() }

// parsePosts reads a cursor of posts; nil where there is none.
func parsePosts(after *string) (*changes.Cursor, error) {
	if after == nil {
		return nil, nil
	}
	position, ok := strings.CutPrefix(*after, ofPosts)
	at, err := changes.ParseCursor(position)
	if !ok || err != nil {
		return nil, errCursor()
	}
	return &at, nil
}

func commentsCursor(post blog.PostID, number int, at changes.Cursor) string {
	raw := binary.AppendUvarint(append([]byte(nil), post.UUID[:]...), uint64(number))
	return ofComments + base64.RawURLEncoding.EncodeToString(append(raw, check(raw)...)) + "." + at.String()
}

func check(raw []byte) []byte {
	sum := sha256.Sum256(raw)
	return sum[:checkSize]
}

// parseComments reads a cursor of a post's comments; nil where there is none.
func parseComments(after *string, post blog.PostID) (number int, at *changes.Cursor, err error) {
	if after == nil {
		return 0, nil, nil
	}
	text, ours := strings.CutPrefix(*after, ofComments)
	head, position, ok := strings.Cut(text, ".")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(head[:min(len(head), maxHead)])
	if !ours || !ok || len(head) > maxHead || err != nil || len(raw) <= len(post.UUID)+checkSize {
		return 0, nil, errCursor()
	}
	raw, sum := raw[:len(raw)-checkSize], raw[len(raw)-checkSize:]
	last, n := binary.Uvarint(raw[len(post.UUID):])
	if !bytes.Equal(sum, check(raw)) || len(post.UUID)+n != len(raw) || last > 1<<31 {
		return 0, nil, errCursor()
	}
	if blog.UUID(raw[:len(post.UUID)]) != post.UUID {
		return 0, nil, blog.FieldErrorf(blog.Invalid, "after", "is a cursor of other comments: give that of an event of this post, or the live cursor of all its comments")
	}
	behind, err := changes.ParseCursor(position)
	if err != nil {
		return 0, nil, errCursor()
	}
	return int(last), &behind, nil
}
