package cassandra

import (
	"context"
	"errors"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	firstLike = cql.On(blog.LikeClaims, `UPDATE like_claims SET liked = true, liked_at = ? WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = null`)
	likeAgain = cql.On(blog.LikeClaims, `UPDATE like_claims SET liked = true WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = false`)
	takeBack  = cql.On(blog.LikeClaims, `UPDATE like_claims SET liked = false WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = true`)
	// stillTakenBack changes nothing.
	stillTakenBack = cql.On(blog.LikeClaims, `UPDATE like_claims SET liked = false WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = false`)
)

// LikePost sets the claim of the actor on the post and raises the count in one
// conditional batch. A claim is never removed and keeps its first time, so a post
// that is liked, unliked and liked again returns to the same row of every list:
// toggling makes no new rows and no new tombstones.
func (s *Store) LikePost(ctx context.Context, c blog.LikePost) (blog.Like, blog.Count, error) {
	t, now, err := s.toggle(ctx, c.Actor, c.Post, true)
	if err != nil {
		return blog.Like{}, blog.Count{}, err
	}
	return blog.Like{Post: c.Post, User: t.actor.Author(), LikedAt: t.claim.likedAt}, now.ownCount(), nil
}

// UnlikePost takes the claim of the actor on the post back.
func (s *Store) UnlikePost(ctx context.Context, c blog.UnlikePost) (blog.Count, error) {
	_, now, err := s.toggle(ctx, c.Actor, c.Post, false)
	if err != nil {
		return blog.Count{}, err
	}
	return now.ownCount(), nil
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
	note  *noted
	claim likeClaim // as read last, then as it was made
	head  head      // of the post's likes, as of the claim that was read or later
	first time.Time // of the claim, if this command makes it
}

// toggle brings the claim to what it shall be.
func (s *Store) toggle(ctx context.Context, actor blog.UserID, post blog.PostID, liked bool) (*toggle, committed, error) {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return nil, committed{}, err
	}
	defer end()
	leave, err := s.enter(s.likes, post)
	if err != nil {
		return nil, committed{}, err
	}
	defer leave()
	t, err := s.toggleOf(ctx, actor, post, liked)
	if err != nil {
		return nil, committed{}, err
	}
	var now committed
	if t.claim.liked != t.liked {
		now, err = t.run(ctx)
	} else {
		now, err = t.standing(ctx)
	}
	if err != nil {
		t.note.giveUp(ctx, attemptIDs{}, err)
		return nil, committed{}, err
	}
	t.publish(ctx, now.head)
	return t, now, nil
}

// toggleOf reads what a like goes by, and writes its intent. A claim that stands comes with
// the head in one statement; for the others the head is read beside it.
func (s *Store) toggleOf(ctx context.Context, actor blog.UserID, post blog.PostID, liked bool) (*toggle, error) {
	t := &toggle{store: s, liked: liked, first: blog.Millisecond(s.clock.Now())}
	var below head
	in := intent{Kind: kindUnlikePost, Actor: actor, Post: &post}
	if liked {
		in.Kind = kindLikePost
	}
	var err error
	t.note, err = s.noteBeside(ctx, s.newCommand(), in,
		func() (err error) { t.actor, err = s.userName(ctx, actor); return err },
		s.refForChange(ctx, post, &t.ref),
		func() (err error) { t.claim, t.head, err = s.claimOf(ctx, post, actor); return err },
		s.headNow(ctx, s.likes, post, &below),
	)
	if t.head.version == 0 {
		t.head = below
	}
	return t, err
}

func (s *Store) claimOf(ctx context.Context, post blog.PostID, user blog.UserID) (c likeClaim, h head, err error) {
	err = s.db.One(ctx, selectWholeClaim.With(cql.ID(post.UUID), cql.ID(user.UUID)), &c.liked, &c.likedAt, &h.rows, &h.version, &h.stamp, &h.closed)
	c.likedAt = c.likedAt.UTC()
	return c, h, cql.AbsentIsZero(err)
}

// scanClaim reads a row of the ledger.
func scanClaim(row gocql.Scanner) (blog.UUID, ledgerRow, head, error) {
	var user blog.UUID
	var c likeClaim
	var h head
	err := row.Scan(cql.Into(&user), &c.liked, &c.likedAt, &h.rows, &h.version, &h.stamp, &h.closed)
	c.likedAt = c.likedAt.UTC()
	return user, ledgerRow{claim: c}, h, err
}

// run sets the claim to what it shall be and was not.
func (t *toggle) run(ctx context.Context) (committed, error) {
	c := change{row: t.actor.User.UUID, delta: -1, floor: t.actor.Stamp, seen: t.head, note: t.note, entries: t.entries, proceed: t.passDeletion, reread: t.reread}
	if t.liked {
		c.delta, c.floor = 1, 0
	}
	now, err := t.store.commit(ctx, t.store.likes, t.ref.ID, c)
	if err == nil {
		t.claim = likeClaim{liked: t.liked, likedAt: t.likedAt()}
	}
	return now, err
}

// standing answers for a claim that is what it shall be.
func (t *toggle) standing(ctx context.Context) (now committed, err error) {
	if !t.claim.made() { // then no head came with it
		t.head, err = t.store.ledgerHead(ctx, t.store.likes, t.ref.ID)
	}
	if err == nil && t.head.closed {
		err = blog.ErrNoPost("postId")
	}
	return committed{t.head, t.head.rows}, err
}

// publish writes the views, also where the claim was what it shall be: whoever made or took
// back the like may have died before he wrote them. Writing them again does no harm: the
// head was read with the claim, so its stamp is not above that of a later change, nor above
// what such a change raises the user's to.
func (t *toggle) publish(ctx context.Context, now head) {
	v := views{} // of what was never liked and never taken back
	if t.claim.made() {
		v = t.views(now)
	}
	t.store.publish(ctx, t.note.entry, v)
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

func (t *toggle) entries(head) []cql.Bound {
	post, user := cql.ID(t.ref.ID.UUID), cql.ID(t.actor.User.UUID)
	switch {
	case !t.liked:
		return []cql.Bound{takeBack.With(post, user)}
	case t.claim.made():
		return []cql.Bound{likeAgain.With(post, user)}
	default:
		return []cql.Bound{firstLike.With(t.first, post, user)}
	}
}

func (t *toggle) reread(row ledgerRow, _ bool) (stands bool, err error) {
	t.claim = row.claim
	return t.claim.liked == t.liked, nil
}

// deleteAgain deletes the row of a like that was taken back once more where its user was
// renamed meanwhile: the rename may have written the username above the deletion, into a
// row that is gone. Deleting above that needs a higher stamp of the likes, and that the
// like was not given again.
func (t *toggle) deleteAgain(ctx context.Context) error {
	s := t.store
	name, err := s.userName(ctx, t.actor.User)
	if err != nil || name.Stamp == t.actor.Stamp {
		return err
	}
	seen, err := s.ledgerHead(ctx, s.likes, t.ref.ID)
	if err != nil {
		return err
	}
	post, user := cql.ID(t.ref.ID.UUID), cql.ID(t.actor.User.UUID)
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	now, err := s.commit(ctx, s.likes, t.ref.ID, change{
		row:     t.actor.User.UUID,
		floor:   name.Stamp,
		seen:    seen,
		entries: func(head) []cql.Bound { return []cql.Bound{stillTakenBack.With(post, user)} },
		reread: func(row ledgerRow, _ bool) (stands bool, err error) {
			if row.claim.liked {
				return false, errLikedAgain
			}
			return false, nil
		},
	})
	if err == errLikedAgain || blog.IsNotFound(err) {
		return nil // the like or the post's deletion sees to the row
	}
	if err != nil {
		return err
	}
	key := blog.LikeKey{Post: t.ref.ID, User: t.actor.User}
	return s.writeCopies(ctx, append(blog.LikeCopies(key, t.claim.likedAt, false, now.stamp), blog.LikeCountCopies(t.ref, now.count())...))
}

var errLikedAgain = errors.New("the like was given again")

func (t *toggle) views(now head) views {
	key := blog.LikeKey{Post: t.ref.ID, User: t.actor.User}
	v := views{copies: append(blog.LikeCopies(key, t.claim.likedAt, t.liked, now.stamp), blog.LikeCountCopies(t.ref, now.count())...)}
	if t.liked {
		v.name = t.actor
		v.named = func(name blog.Name) []blog.Copy { return blog.LikeNameCopies(t.ref.ID, t.claim.likedAt, name) }
		v.still = func(ctx context.Context) (bool, error) { return t.store.likeStands(ctx, key) }
	} else {
		v.rest = t.deleteAgain
	}
	return v
}
