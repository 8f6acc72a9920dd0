package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
)

// finish brings to its end what a command left that is not marked done: its server died,
// or gave up, somewhere between the intent and the mark. It goes by the truth alone, so
// any number of servers may do it at once, and while the command itself still runs.
//
// It reports whether the entry is done with. It is not where the truth does not hold
// what the command wanted, for its conditional write may come late: the entry is to be
// looked at again. looks is how often that was done before.
func (s *Store) finish(ctx context.Context, entry blog.CommandID, in intent, looks int) (done bool, err error) {
	switch in.Kind {
	case kindCreateUser:
		return s.finishCreateUser(ctx, in, looks)
	case kindUpdateUser:
		return s.finishUpdateUser(ctx, entry, in)
	case kindCreatePost, kindUpdatePost, kindDeletePost:
		return s.finishPost(ctx, entry, in)
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
	standing, err := s.voidPlace(ctx, in.Actor, in.Command, false)
	if err != nil {
		return false, err
	}
	if standing != nil {
		return true, s.refreshUser(ctx, *standing, nil)
	}
	claims := append(in.New.claims(in.Actor), claim{subjectClaims, in.Subject, in.Actor, in.Command})
	return looks > 1, s.releaseAll(ctx, claims)
}

// finishUpdateUser first makes sure that an edit which is not applied never will be, then
// gives back the claims that the user has no use for: those of the former names, or the
// new ones.
func (s *Store) finishUpdateUser(ctx context.Context, entry blog.CommandID, in intent) (bool, error) {
	now, err := s.userTruth(ctx, in.Actor, s.oneSerial)
	if err == nil && !now.by.has(in.Command) {
		now, err = s.fence(ctx, in.Actor)
	}
	if err != nil {
		return false, err
	}
	every := append(in.Old[:len(in.Old):len(in.Old)], in.New)
	if err := s.refreshUser(ctx, now.User, every); err != nil {
		return false, err
	}
	var claims []claim
	renamed := false
	for _, n := range every {
		claims = append(claims, n.claims(in.Actor)...)
		renamed = renamed || n.Username != in.New.Username
	}
	if renamed {
		if err := s.spreadName(ctx, now.Name()); err != nil {
			return false, err
		}
	}
	return true, s.releaseAll(ctx, unused(claims, now.User))
}

// claims returns the claims that an intent names.
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

func (s *Store) finishPost(ctx context.Context, entry blog.CommandID, in intent) (bool, error) {
	now, err := s.postTruth(ctx, in.Post.ID, s.oneSerial)
	switch {
	case blog.IsNotFound(err) && !now.deleted:
		return false, nil
	case blog.IsNotFound(err):
		return true, s.sweepPost(ctx, in.Post.ID, blog.DeletionStamp(s.clock, now.Stamp))
	case err != nil || in.Kind == kindDeletePost:
		return false, err
	}
	return in.Kind == kindCreatePost || now.by.has(in.Command), s.refreshPost(ctx, now.Post)
}

func (s *Store) finishComment(ctx context.Context, in intent) (done bool, err error) {
	w, err := s.wholeComment(ctx, blog.CommentKey{Post: in.Post.ID, Comment: *in.Comment})
	if err != nil || w.head.closed {
		return err == nil, err // with its post: that one's deletion removes its rows
	}
	gone := false
	switch in.Kind {
	case kindCreateComment:
		done = w.stands()
	case kindUpdateComment:
		done = !w.stands() || w.by.has(in.Command)
	case kindDeleteComment:
		done, gone = !w.stands(), !w.stands()
	}
	if !w.stands() && !gone {
		return done, nil
	}
	return done, s.refreshComment(ctx, *in.Post, w, *in.Author, gone)
}

func (s *Store) finishLike(ctx context.Context, in intent) (bool, error) {
	w, err := s.wholeClaim(ctx, blog.LikeKey{Post: in.Post.ID, User: in.Actor})
	switch {
	case err != nil || w.head.closed:
		return err == nil, err
	case !w.made():
		return in.Kind == kindUnlikePost, nil
	}
	return w.liked == (in.Kind == kindLikePost), s.refreshLike(ctx, *in.Post, in.Actor, w)
}

// The times after which an entry is looked at again whose command is not applied: its
// conditional write may come late, if only hardly ever so late.
var lookAgain = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}

func nextLook(looks int) time.Duration { return lookAgain[min(looks, len(lookAgain)-1)] }
