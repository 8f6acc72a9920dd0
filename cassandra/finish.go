package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
)

// finish brings to its end what a command left that is not marked done: its server died,
// or gave up, somewhere between the intent and the mark. It goes by the truth alone, so
// any number of servers may do it at once, and while the command itself still runs.
//
// It reports whether the entry is done with. Where it is not, a conditional write may
// still come late, and the entry is to be looked at again. looks is how often that was
// done before.
func (s *Store) finish(ctx context.Context, in intent, looks int) (done bool, err error) {
	switch in.Kind {
	case kindCreateUser:
		return s.finishCreateUser(ctx, in, looks)
	case kindUpdateUser:
		return s.finishUpdateUser(ctx, in, looks)
	case kindCreatePost, kindUpdatePost, kindDeletePost:
		return s.finishPost(ctx, in, looks)
	case kindCreateComment, kindUpdateComment, kindDeleteComment:
		return s.finishComment(ctx, in)
	case kindLikePost, kindUnlikePost:
		return s.finishLike(ctx, in)
	default: // of a newer program: left to it
		return false, nil
	}
}

// finishCreateUser gives the claims of a user back that was not created. A claim that
// comes late is given back at a later look.
func (s *Store) finishCreateUser(ctx context.Context, in intent, looks int) (bool, error) {
	standing, err := s.holdPlace(ctx, in.Actor, in.Command, false)
	if err != nil {
		return false, err
	}
	if standing != nil {
		copies, _ := blog.CopiesOfUser(*standing)
		return true, tables.Write(ctx, s.db, copies)
	}
	claims := append(in.claims(), claim{subjectClaims, in.Subject, in.Actor, in.Command})
	return looks > 1, s.releaseAll(ctx, claims)
}

// finishUpdateUser first makes sure that an edit which is not applied never will be, then
// does what follows from the user as it is. A claim that comes late is given back at a
// later look.
func (s *Store) finishUpdateUser(ctx context.Context, in intent, looks int) (bool, error) {
	now, err := s.userTruth(ctx, in.Actor, s.db.OneSerial)
	if err == nil && !now.by.has(in.Command) {
		now, err = s.fence(ctx, in.Actor)
	}
	if err != nil {
		return false, err
	}
	copies, renamed := blog.CopiesOfUser(now.User, in.former()...)
	if err := tables.Write(ctx, s.db, copies); err != nil {
		return false, err
	}
	return now.by.has(in.Command) || looks > 1, s.followUserEdit(ctx, in, now.User, renamed, comesAgain)
}

// claims returns the claims of some names.
func (n *names) claims(user blog.UserID) []claim {
	var claims []claim
	if !n.UsernameClaim.IsZero() {
		claims = append(claims, claim{usernameClaims, n.Username, user, n.UsernameClaim})
	}
	if !n.EmailClaim.IsZero() {
		claims = append(claims, claim{emailClaims, n.Email, user, n.EmailClaim})
	}
	return claims
}

// finishPost leaves the entry of a post open that was never made, and looks twice more:
// what would keep it from being made late would keep whoever comes with the same
// idempotency key from it too. A writer that is later still writes its intent again.
func (s *Store) finishPost(ctx context.Context, in intent, looks int) (done bool, err error) {
	now, err := s.postTruth(ctx, *in.Post, s.db.OneSerial)
	if err == nil && in.Kind != kindCreatePost && !now.by.has(in.Command) {
		now, err = s.fencePost(ctx, *in.Post)
	}
	switch {
	case blog.IsNotFound(err) && now.deleted && in.Kind == kindDeletePost:
		return true, s.sweepPost(ctx, *in.Post)
	case blog.IsNotFound(err) && now.deleted:
		return true, nil // the deletion has an entry of its own, and goes above all that is late
	case blog.IsNotFound(err):
		return looks > 1, nil
	case err != nil:
		return false, err
	}
	return true, s.refreshPost(ctx, now.Post)
}

// finishComment, like the others, first makes sure that a change which is not applied
// never will be: it raises the version that an attempt may have gone by.
func (s *Store) finishComment(ctx context.Context, in intent) (done bool, err error) {
	key := blog.CommentKey{Post: *in.Post, Comment: *in.Comment}
	w, err := s.wholeComment(ctx, key)
	if err == nil && !w.applied(in) && !w.header.Closed {
		if err = s.comments.Fence(ctx, key.Post, 0); err == nil {
			w, err = s.wholeComment(ctx, key)
		}
	}
	if err != nil {
		return false, err
	}
	if w.header.Closed {
		// The deletion of its post removes its rows, but does not find what stands below a
		// comment that was deleted before.
		w.Author.ID = *in.Author
		return true, tables.Write(ctx, s.db, blog.CopiesOfComment(blog.CommentState{Comment: w.Comment, Gone: blog.DeletionStamp(s.clock, w.header.Stamp)}))
	}
	post, err := s.postRef(ctx, key.Post)
	if err != nil {
		return lost(err)
	}
	gone := in.Kind == kindDeleteComment && !w.stands()
	return true, s.refreshComment(ctx, post, w, *in.Author, gone)
}

// lost ends an entry of a post that is not there: it never was, and nothing came of the
// command, or its deletion takes down all that lists it.
func lost(err error) (done bool, _ error) {
	if blog.IsNotFound(err) {
		return true, nil
	}
	return false, err
}

func (w wholeComment) applied(in intent) bool {
	switch in.Kind {
	case kindCreateComment:
		return w.stands()
	case kindUpdateComment:
		return w.by.has(in.Command)
	default:
		return !w.stands()
	}
}

// finishLike makes sure, too, that the row of a like which was taken back is deleted above
// its user's name: a rename may have written that beside it.
func (s *Store) finishLike(ctx context.Context, in intent) (done bool, err error) {
	key, wanted := blog.LikeKey{Post: *in.Post, User: in.Actor}, in.Kind == kindLikePost
	var renames cql.Contest
	for {
		name, err := s.userName(ctx, in.Actor)
		if err != nil {
			return false, err
		}
		w, err := s.wholeClaim(ctx, key)
		if err == nil && !w.header.Closed && (w.liked != wanted || !w.liked && w.header.Stamp <= name.Stamp) {
			if err = s.likes.Fence(ctx, key.Post, name.Stamp); err == nil {
				w, err = s.wholeClaim(ctx, key)
			}
		}
		if err != nil || w.header.Closed {
			return err == nil, err
		}
		post, err := s.postRef(ctx, key.Post)
		if err != nil {
			return lost(err)
		}
		if err := s.refreshLike(ctx, post, in.Actor, w); err != nil || w.liked {
			return true, err
		}
		now, err := s.userName(ctx, in.Actor)
		if err != nil || now.Stamp == name.Stamp {
			return true, err
		}
		if err := renames.Pause(ctx); err != nil {
			return false, err
		}
	}
}

// fencePost raises a post's stamp, and so makes every edit fail that goes by what it read
// before. NotFound: it is deleted.
func (s *Store) fencePost(ctx context.Context, post blog.PostID) (now postTruth, err error) {
	err = cql.Until(ctx, blog.PostsByID, post, func() (done bool, by any, err error) {
		if now, err = s.postTruth(ctx, post, s.db.OneSerial); err != nil {
			return false, nil, err
		}
		read := now.guard()
		now.Stamp = blog.NextStamp(s.clock, read.stamp)
		done, _, err = s.db.CompareAndSet(ctx, raisePostStamp.With(now.Stamp, cql.ID(post.UUID), read.version, read.stamp))
		return done, read, err
	})
	return now, err
}

// The times after which an entry is looked at again whose command is not applied: its
// conditional write may come late, if only hardly ever so late.
var lookAgain = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}

func nextLook(looks int) time.Duration { return lookAgain[min(looks, len(lookAgain)-1)] }
