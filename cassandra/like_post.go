package cassandra

import (
	"context"
	"errors"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

var (
	firstLike = cql.On(blog.LikeClaims, `UPDATE like_claims SET liked = true, liked_at = ?`+
		` WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = null`)
	likeAgain = cql.On(blog.LikeClaims,
		`UPDATE like_claims SET liked = true WHERE post_id = ? AND bucket = 0 AND user_id = ?`+
			` IF liked = false`)
	takeBack = cql.On(blog.LikeClaims,
		`UPDATE like_claims SET liked = false WHERE post_id = ? AND bucket = 0 AND user_id = ?`+
			` IF liked = true`)
	// stillTakenBack changes nothing.
	stillTakenBack = cql.On(blog.LikeClaims,
		`UPDATE like_claims SET liked = false WHERE post_id = ? AND bucket = 0 AND user_id = ?`+
			` IF liked = false`)
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
	return blog.Like{Post: c.Post, User: t.actor.Author(), LikedAt: t.claim.LikedAt}, now.OwnCount(), nil
}

// UnlikePost takes the claim of the actor on the post back.
func (s *Store) UnlikePost(ctx context.Context, c blog.UnlikePost) (blog.Count, error) {
	_, now, err := s.toggle(ctx, c.Actor, c.Post, false)
	if err != nil {
		return blog.Count{}, err
	}
	return now.OwnCount(), nil
}

// toggle is one LikePost or UnlikePost under way.
type toggle struct {
	store  *Store
	post   blog.PostID
	liked  bool // what the claim shall be
	actor  blog.Name
	ref    blog.PostRef
	claim  truth.Like     // as read last, then as it was made
	header counted.Header // of the post's likes, as of the claim that was read or later
	below  counted.Header // of the post's likes, for a claim that no header came with
	first  time.Time      // of the claim, if this command makes it
	now    counted.Outcome
	stood  bool // the claim was what it shall be
}

// toggle brings the claim to what it shall be.
func (s *Store) toggle(ctx context.Context, actor blog.UserID, post blog.PostID, liked bool) (*toggle, counted.Outcome, error) {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return nil, counted.Outcome{}, err
	}
	defer end()
	leave, err := s.truths.Likes.Enter(post)
	if err != nil {
		return nil, counted.Outcome{}, err
	}
	defer leave()
	t := &toggle{store: s, post: post, liked: liked, actor: blog.Name{User: actor}, first: blog.Millisecond(s.clock.Now())}
	err = s.run(ctx, s.fresh(), t)
	return t, t.now, err
}

func (t *toggle) intent() journal.Intent {
	in := journal.Intent{Kind: journal.UnlikePost, Actor: t.actor.User, Post: &t.post}
	if t.liked {
		in.Kind = journal.LikePost
	}
	return in
}

// reads are of what a like goes by. A claim that stands comes with the header in one
// statement; for the others the header is read beside it.
func (t *toggle) reads(ctx context.Context) []func() error {
	s, actor := t.store, t.actor.User
	return []func() error{
		func() (err error) { t.actor, err = s.truths.Users.Actor(ctx, actor); return err },
		s.truths.Posts.RefForChange(ctx, t.post, &t.ref),
		func() (err error) {
			t.claim, t.header, err = s.truths.Likes.Read(ctx, blog.LikeKey{Post: t.post, User: actor})
			return err
		},
		s.truths.Likes.HeaderNow(ctx, t.post, &t.below),
	}
}

func (t *toggle) apply(ctx context.Context, note *journal.Note) (err error) {
	if t.header.Version == 0 {
		t.header = t.below
	}
	if t.stood = t.claim.Liked == t.liked; t.stood {
		t.now, err = t.standing(ctx)
	} else {
		t.now, err = t.change(ctx, note)
	}
	return err
}

// change sets the claim to what it shall be and was not.
func (t *toggle) change(ctx context.Context, note *journal.Note) (counted.Outcome, error) {
	c := counted.Change[truth.Like]{
		Row: t.actor.User.UUID, Delta: -1, Floor: t.actor.Stamp, Seen: t.header,
		Before: note.Before(t.passDeletion), Entries: t.entries, Reread: t.reread,
	}
	if t.liked {
		c.Delta, c.Floor = 1, 0
	}
	now, err := t.store.truths.Likes.Commit(ctx, t.ref.ID, c)
	if err == nil {
		t.claim = truth.Like{Liked: t.liked, LikedAt: t.likedAt()}
	}
	return now, err
}

// standing answers for a claim that is what it shall be.
func (t *toggle) standing(ctx context.Context) (now counted.Outcome, err error) {
	if !t.claim.Made() { // then no header came with it
		t.header, err = t.store.truths.Likes.Header(ctx, t.ref.ID)
	}
	if err == nil && t.header.Closed {
		err = blog.ErrNoPost("postId")
	}
	return counted.Outcome{Header: t.header, Own: t.header.Rows}, err
}

// passDeletion raises the actor's stamp before a like is given again. When it was
// taken back, its row was deleted as of the likes' stamp, and the copy of the
// username beside it must be written above that.
func (t *toggle) passDeletion(ctx context.Context, now counted.Header) (err error) {
	if t.liked && t.claim.Made() && t.actor.Stamp <= now.Stamp {
		t.actor, err = t.store.truths.Users.RaiseStamp(ctx, t.actor.User, now.Stamp)
	}
	return err
}

func (t *toggle) likedAt() time.Time {
	if t.claim.Made() {
		return t.claim.LikedAt
	}
	return t.first
}

func (t *toggle) entries(counted.Header) []cql.Bound {
	post, user := cql.ID(t.ref.ID.UUID), cql.ID(t.actor.User.UUID)
	switch {
	case !t.liked:
		return []cql.Bound{takeBack.With(post, user)}
	case t.claim.Made():
		return []cql.Bound{likeAgain.With(post, user)}
	default:
		return []cql.Bound{firstLike.With(t.first, post, user)}
	}
}

func (t *toggle) reread(now truth.Like, _ bool) (stands bool, err error) {
	t.claim = now
	return t.claim.Liked == t.liked, nil
}

// deleteAgain deletes the row of a like that was taken back once more where its user was
// renamed meanwhile: the rename may have written the username above the deletion, into a
// row that is gone. Deleting above that needs a higher stamp of the likes, and that the
// like was not given again.
func (t *toggle) deleteAgain(ctx context.Context) error {
	s := t.store
	name, err := s.truths.Users.Name(ctx, t.actor.User)
	if err != nil || name.Stamp == t.actor.Stamp {
		return err
	}
	seen, err := s.truths.Likes.Header(ctx, t.ref.ID)
	if err != nil {
		return err
	}
	post, user := cql.ID(t.ref.ID.UUID), cql.ID(t.actor.User.UUID)
	ctx, cancel := context.WithTimeout(ctx, cql.CommandDeadline)
	defer cancel()
	now, err := s.truths.Likes.Commit(ctx, t.ref.ID, counted.Change[truth.Like]{
		Row:     t.actor.User.UUID,
		Floor:   name.Stamp,
		Seen:    seen,
		Entries: func(counted.Header) []cql.Bound { return []cql.Bound{stillTakenBack.With(post, user)} },
		Reread: func(now truth.Like, _ bool) (stands bool, err error) {
			if now.Liked {
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
	return tables.Write(ctx, s.db, blog.CopiesOfLike(blog.LikeState{Ref: t.ref, User: t.actor.User, LikedAt: t.claim.LikedAt, Count: now.Count()}))
}

var errLikedAgain = errors.New("the like was given again")

// follow is what follows also where the claim was what it shall be: the command that made or
// took back the like may have ended before it wrote that. Writing it again does no harm: the
// header was read with the claim, so its stamp is not above that of a later change, nor above
// what such a change raises the user's to.
func (t *toggle) follow() effects {
	if !t.claim.Made() {
		return effects{untold: true} // of what was never liked and never taken back
	}
	v := t.store.follow.ofLike(blog.LikeState{Ref: t.ref, User: t.actor.User, LikedAt: t.claim.LikedAt, Stands: t.liked, Count: t.now.Count()}, t.actor)
	v.untold = t.stood
	if !t.liked {
		v.afterReply = t.deleteAgain
	}
	return v
}
