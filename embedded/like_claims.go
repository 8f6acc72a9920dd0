package embedded

import (
	"time"

	"broadsheet/blog"
)

// likeClaim is the truth of a like. It is kept when the like is taken back, so that
// liking again finds its first time.
type likeClaim struct {
	known   bool
	stands  bool
	likedAt time.Time
}

func encodeLikeClaim(c likeClaim, stamp int64) []byte { return encode(stamp, c.stands, c.likedAt) }

func decodeLikeClaim(value string) (likeClaim, error) {
	f := decode(value)
	claim := likeClaim{known: true, stands: field[bool](f), likedAt: field[time.Time](f)}
	return claim, f.end()
}

// likeable is all that liking or unliking a post depends on.
type likeable struct {
	post  blog.Post
	user  blog.Name
	claim likeClaim
	count blog.Count
}

func (tx *tx) likeable(key blog.LikeKey) (l likeable, err error) {
	actor, err := tx.actor(key.User)
	if err != nil {
		return l, err
	}
	l.user = actor.Name()
	if l.post, err = tx.post(key.Post, "postId"); err != nil {
		return l, err
	}
	if l.count, err = tx.count(likeClaims, key.Post); err != nil {
		return l, err
	}
	value, err := tx.get(likeClaims, truthCell, key.Post, key.User)
	if err == nil && value != "" {
		l.claim, err = decodeLikeClaim(value)
	}
	return l, err
}

// putLike writes a like that changed: the claim, the count, and all copies.
func (tx *tx) putLike(l likeable) {
	key := blog.LikeKey{Post: l.post.ID, User: l.user.User}
	tx.putTruth(likeClaims, encodeLikeClaim(l.claim, l.count.Stamp), key.Post, key.User)
	tx.putCount(likeClaims, key.Post, l.count)
	tx.putCopies(blog.CopiesOfLike(blog.LikeState{
		Ref: l.post.Ref(), User: key.User, LikedAt: l.claim.likedAt, Stands: l.claim.stands, Count: l.count,
	}))
	if l.claim.stands {
		tx.putCopies(blog.NameOfLike(key.Post, l.claim.likedAt, l.user))
	}
}
