package relay

import (
	"encoding/base64"

	"broadsheet/blog"
)

// Node is what the interface of that name in the schema stands for: a blog.User,
// blog.Post, blog.Comment, blog.Group or a reaction of a kind, as blog.Like.
type Node any

// OfPost is in each payload that has a post: what the command returned of that.
type OfPost struct{ Known blog.Post }

// KnownPost returns Known of any such payload.
func (p OfPost) KnownPost() blog.Post { return p.Known }

// Key is what an id names.
type Key interface {
	blog.UserID | blog.PostID | blog.CommentKey | blog.ReactionKey | blog.GroupID
}

// The first byte of an id. That of a reaction is its kind's.
const (
	userType    = 'u'
	postType    = 'p'
	commentType = 'c'
	groupType   = 'g'
)

// EncodeID returns the id of an object.
func EncodeID[K Key](key K) string { return string(appendID(nil, key)) }

func appendID[K Key](b []byte, key K) []byte {
	switch k := any(key).(type) {
	case blog.UserID:
		return appendText(b, userType, k.UUID)
	case blog.PostID:
		return appendText(b, postType, k.UUID)
	case blog.CommentKey:
		return appendText(b, commentType, k.Post.UUID, k.Comment.UUID)
	case blog.GroupID:
		return appendText(b, groupType, k.UUID)
	default:
		r := k.(blog.ReactionKey)
		return appendText(b, r.Of.ID, r.To, r.User.UUID)
	}
}

// DecodeID returns what an id of the type wanted names. Invalid: it is no id of
// ours. NotFound: it is the id of another type.
func DecodeID[K Key](id string) (K, error) {
	var none K
	key, err := DecodeAnyID(id)
	if err != nil {
		return none, err
	}
	if wanted, ok := key.(K); ok {
		return wanted, nil
	}
	return none, blog.Errorf(blog.NotFound, "is the id of a %s, not of a %s", typeName(key), typeName(none))
}

// DecodeAnyID returns what an id names: a [Key] of one of its types. Invalid:
// it is no id of ours.
func DecodeAnyID(id string) (any, error) {
	raw, ok := decode(id)
	if !ok || len(raw) == 0 {
		return nil, errNoID()
	}
	uuids, ok := uuids(raw[1:])
	switch {
	case !ok:
	case raw[0] == userType && len(uuids) == 1:
		return blog.UserID{UUID: uuids[0]}, nil
	case raw[0] == postType && len(uuids) == 1:
		return blog.PostID{UUID: uuids[0]}, nil
	case raw[0] == groupType && len(uuids) == 1:
		return blog.GroupID{UUID: uuids[0]}, nil
	case raw[0] == commentType && len(uuids) == 2:
		return blog.CommentKey{Post: blog.PostID{UUID: uuids[0]}, Comment: blog.CommentID{UUID: uuids[1]}}, nil
	case len(uuids) == 2:
		for _, k := range blog.ReactionKinds {
			if raw[0] == k.ID && k.ID != 0 {
				return blog.ReactionKey{Of: k, To: uuids[0], User: blog.UserID{UUID: uuids[1]}}, nil
			}
		}
	}
	return nil, errNoID()
}

func errNoID() error {
	return blog.Errorf(blog.Invalid, "is not an id of this API; send ids as they were received")
}

func typeName(key any) string {
	switch k := key.(type) {
	case blog.UserID:
		return "user"
	case blog.PostID:
		return "post"
	case blog.CommentKey:
		return "comment"
	case blog.GroupID:
		return "group"
	case blog.ReactionKey:
		if k.Of != nil {
			return k.Of.Name
		}
	}
	return "reaction"
}

func appendText(b []byte, first byte, uuids ...blog.UUID) []byte {
	var raw [1 + 2*len(blog.UUID{})]byte
	raw[0] = first
	size := 1
	for _, id := range uuids {
		size += copy(raw[size:], id[:])
	}
	return base64.RawURLEncoding.AppendEncode(b, raw[:size])
}

// maxText is more than the length of any id and of any list's cursor, in bytes: a longer text is not read.
const maxText = 400

// decode reads base64url in the one spelling that appendText writes: Go's decoder skips
// line breaks and, unless strict, the bits that fill the last character.
func decode(s string) ([]byte, bool) {
	if len(s) > maxText {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	return raw, err == nil && base64.RawURLEncoding.EncodeToString(raw) == s
}

// uuids cuts raw into identifiers, and reports whether it holds nothing else.
func uuids(raw []byte) ([]blog.UUID, bool) {
	const size = len(blog.UUID{})
	var ids []blog.UUID
	for ; len(raw) >= size; raw = raw[size:] {
		id := blog.UUID(raw[:size])
		if !id.Valid() {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, len(raw) == 0
}
