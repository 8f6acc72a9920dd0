package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
)

var (
	selectClaim = statement{blog.LikeClaims, `SELECT liked, liked_at FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id = ?`}
	firstLike   = statement{blog.LikeClaims, `UPDATE like_claims SET liked = true, liked_at = ? WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = null`}
	likeAgain   = statement{blog.LikeClaims, `UPDATE like_claims SET liked = true WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = false`}
	takeBack    = statement{blog.LikeClaims, `UPDATE like_claims SET liked = false WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = true`}
)

// LikePost sets the claim of the actor on the post and raises the count in one
// conditional batch. A claim is never removed and keeps its first time, so a post
// that is liked, unliked and liked again returns to the same row of every list:
// toggling makes no new rows and no new tombstones.
func (s *Store) LikePost(ctx context.Context, c blog.LikePost) (blog.Like, blog.Count, error) {
	ctx, cancel := s.commandContext(ctx)
	defer cancel()
	t, err := s.toggleOf(ctx, c.Actor, c.Post, true)
	if err != nil {
		return blog.Like{}, blog.Count{}, err
	}
	now, err := t.run(ctx, "likePost")
	if err != nil {
		return blog.Like{}, blog.Count{}, err
	}
	return blog.Like{Post: c.Post, User: t.actor.Author(), LikedAt: t.claim.likedAt}, now.count(), nil
}

// UnlikePost takes the claim of the actor on the post back.
func (s *Store) UnlikePost(ctx context.Context, c blog.UnlikePost) (blog.Count, error) {
	ctx, cancel := s.commandContext(ctx)
	defer cancel()
	t, err := s.toggleOf(ctx, c.Actor, c.Post, false)
	if err != nil {
		return blog.Count{}, err
	}
	now, err := t.run(ctx, "unlikePost")
	return now.count(), err
}

// likeClaim is a user's claim on a post. A claim that was never made has no time.
type likeClaim struct {
	liked   bool
	likedAt time.Time
}

func (c likeClaim) made() bool { return !c.likedAt.IsZero() }

// toggle is one LikePost or UnlikePost under way.
type toggle struct {
	store *Store
	liked bool // what the claim shall be
	actor blog.Name
	ref   blog.PostRef
	claim likeClaim // as read last, then as it was made
	first time.Time // of the claim, if this command makes it
}

// toggleOf reads what a like goes by.
func (s *Store) toggleOf(ctx context.Context, actor blog.UserID, post blog.PostID, liked bool) (*toggle, error) {
	t := &toggle{store: s, liked: liked, first: blog.Millisecond(s.clock.Now())}
	err := together(
		func() (err error) { t.actor, err = s.userName(ctx, actor); return err },
		func() (err error) { t.ref, err = s.postRef(ctx, post); return err },
		func() (err error) { t.claim, err = s.claimOf(ctx, post, actor, s.one); return err },
	)
	return t, err
}

func (s *Store) claimOf(ctx context.Context, post blog.PostID, user blog.UserID, read reader) (likeClaim, error) {
	var c likeClaim
	err := read(ctx, selectClaim.with(id(post.UUID), id(user.UUID)), &c.liked, &c.likedAt)
	c.likedAt = c.likedAt.UTC()
	return c, absentIsZero(err)
}

// run brings the claim to what it shall be, and returns the head as of it or later.
func (t *toggle) run(ctx context.Context, kind string) (head, error) {
	if t.claim.liked == t.liked {
		return t.repeat(ctx)
	}
	command := t.store.ids.Command()
	likedAt := t.likedAt()
	err := t.store.record(ctx, command, intent{Kind: kind, Actor: t.actor.User, Post: &t.ref, LikedAt: &likedAt})
	if err != nil {
		return head{}, err
	}
	c := change{delta: -1, floor: t.actor.Stamp, entries: t.entries, proceed: t.passDeletion, reread: t.reread}
	if t.liked {
		c.delta, c.floor = 1, 0
	}
	now, err := t.store.commit(ctx, t.store.likes, t.ref.ID, c)
	if err != nil {
		t.store.giveUp(ctx, attemptIDs{entry: command}, err)
		return head{}, err
	}
	t.claim = likeClaim{liked: t.liked, likedAt: t.likedAt()}
	t.store.publish(ctx, command, t.views(now))
	return now, nil
}

// passDeletion raises the actor's stamp before a like is given again. When it was
// taken back, its row was deleted as of the likes' stamp, and the copy of the
// username beside it must be written above that.
func (t *toggle) passDeletion(ctx context.Context, now head) (err error) {
	if t.liked && t.claim.made() && t.actor.Stamp <= now.stamp {
		t.actor, err = t.store.raiseStamp(ctx, t.actor.User, now.stamp)
	}
	return err
}

func (t *toggle) likedAt() time.Time {
	if t.claim.made() {
		return t.claim.likedAt
	}
	return t.first
}

func (t *toggle) entries(head) []bound {
	post, user := id(t.ref.ID.UUID), id(t.actor.User.UUID)
	switch {
	case !t.liked:
		return []bound{takeBack.with(post, user)}
	case t.claim.made():
		return []bound{likeAgain.with(post, user)}
	default:
		return []bound{firstLike.with(t.first, post, user)}
	}
}

func (t *toggle) reread(ctx context.Context, _ bool) (stands bool, err error) {
	t.claim, err = t.store.claimOf(ctx, t.ref.ID, t.actor.User, t.store.oneSerial)
	return err == nil && t.claim.liked == t.liked, err
}

// repeat answers for a claim that is what it shall be. The head is read after the
// claim, so its count includes it. Whoever made a like may have died before its
// views were written; writing them again costs little and does no harm: the claim
// is read once more after the head, so the head's stamp is not above that of a
// later change. The views of a like that was taken back are left alone: deleting
// them as of this head could hide what is written beside them meanwhile.
func (t *toggle) repeat(ctx context.Context) (head, error) {
	now, err := t.store.ledgerHead(ctx, t.store.likes, t.ref.ID)
	switch {
	case err != nil:
		return head{}, err
	case now.closed:
		return head{}, blog.ErrNoPost("postId")
	case !t.liked:
		return now, nil
	}
	t.claim, err = t.store.claimOf(ctx, t.ref.ID, t.actor.User, t.store.one)
	if err != nil || !t.claim.liked {
		return now, err
	}
	v := t.views(now)
	return now, t.store.insist(ctx, func(ctx context.Context) error { return t.store.writeParts(ctx, v.entries()) })
}

func (t *toggle) views(now head) views {
	key := blog.LikeKey{Post: t.ref.ID, User: t.actor.User}
	v := views{copies: append(blog.LikeCopies(key, t.claim.likedAt, t.liked, now.stamp), blog.LikeCountCopies(t.ref, now.count())...)}
	if t.liked {
		v.name = t.actor
		v.named = func(name blog.Name) []blog.Copy { return blog.LikeNameCopies(t.ref.ID, t.claim.likedAt, name) }
	}
	return v
}
