package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/changelog"
	"broadsheet/cassandra/journal"
)

// telling returns what tells the change log of a command; nil where there is nothing to tell, or
// where that is recovery's.
func (f *follower) telling(note *journal.Note, v effects) func(ctx context.Context) error {
	if v.untold {
		return nil
	}
	entry := changelog.Entry{Change: changeOf(note.Intent, v.number), Command: note.Command, Begun: note.Begun}
	return func(ctx context.Context) error { return f.changes.Append(ctx, entry) }
}

var changeKinds = map[string]blog.ChangeKind{
	journal.CreateUser: blog.UserCreated, journal.UpdateUser: blog.UserUpdated,
	journal.CreatePost: blog.PostCreated, journal.UpdatePost: blog.PostUpdated, journal.DeletePost: blog.PostDeleted,
	journal.CreateComment: blog.CommentCreated, journal.UpdateComment: blog.CommentUpdated, journal.DeleteComment: blog.CommentDeleted,
	journal.SuspendUser: blog.UserSuspended, journal.RestoreUser: blog.UserRestored, journal.DeleteAccount: blog.UserErased,
	journal.VerifyEmail: blog.UserEmailVerified, journal.UnverifyEmail: blog.UserEmailUnverified,
	journal.RelinkUser: blog.UserRelinked, journal.PromoteUser: blog.UserPromoted, journal.DemoteUser: blog.UserDemoted,
}

func kindOfChange(in journal.Intent) blog.ChangeKind {
	switch of, given := blog.ReactionTo(in.Kind); {
	case of == nil:
		return changeKinds[in.Kind]
	case given:
		return of.Given
	default:
		return of.TakenBack
	}
}

// changeOf returns what a command did. number is that of a comment that it made.
func changeOf(in journal.Intent, number int) blog.Change {
	c := blog.Change{Kind: kindOfChange(in), Actor: in.Actor}
	if in.User != nil {
		c.User = *in.User
	}
	if in.Post != nil {
		c.Post = *in.Post
	}
	if in.Comment != nil {
		c.Comment = *in.Comment
	}
	if in.Kind == journal.CreateComment {
		c.Comments = number
	}
	return c
}

// carriedOutBy returns the process that tells of a command if it can: of one that came again under
// its key, that of the first time, whose intent stands in the row of the command's own id.
func (s *Store) carriedOutBy(ctx context.Context, in journal.Intent) (blog.UUID, error) {
	if in.Entry == in.Command {
		return in.Server, nil
	}
	first, err := s.journal.Read(ctx, in.Command)
	return first.Server, err
}

// applied reports whether a command that is finished had an effect, as far as its truth tells
// still, and for one that made a comment its number.
func (s *Store) applied(ctx context.Context, in journal.Intent) (number int, applied bool, err error) {
	switch in.Kind {
	case journal.CreateUser, journal.UpdateUser:
		now, err := s.truths.Users.Read(ctx, in.Actor, s.db.OneSerial)
		if blog.KindOf(err) == blog.Forbidden { // there is none
			return 0, false, nil
		}
		return 0, err == nil && (in.Kind == journal.CreateUser || now.By.Has(in.Command)), err
	case journal.SuspendUser, journal.RestoreUser, journal.PromoteUser, journal.DemoteUser, journal.VerifyEmail,
		journal.UnverifyEmail, journal.RelinkUser, journal.DeleteAccount:
		now, err := s.truths.Users.Read(ctx, *in.User, s.db.OneSerial)
		if blog.KindOf(err) == blog.Forbidden { // erased
			err = nil
		}
		return 0, err == nil && now.By.Has(in.Command), err
	case journal.CreatePost, journal.UpdatePost, journal.DeletePost:
		now, err := s.truths.Posts.Read(ctx, *in.Post, s.db.OneSerial)
		if blog.IsNotFound(err) {
			return 0, now.Deleted && in.Kind != journal.UpdatePost, nil
		}
		return 0, err == nil && (in.Kind == journal.CreatePost || now.By.Has(in.Command)), err
	}
	if of, given := blog.ReactionTo(in.Kind); of != nil {
		now, above, err := s.truths.Reactions[of].ReadSerial(ctx, blog.ReactionKey{Of: of, Post: *in.Post, User: in.Account()})
		return 0, err == nil && !above.Closed && now.Made() && now.Stands == given, err
	}
	return s.appliedToComment(ctx, in)
}

// appliedToComment is applied for a command on a comment.
func (s *Store) appliedToComment(ctx context.Context, in journal.Intent) (number int, applied bool, err error) {
	now, _, err := s.truths.Comments.ReadSerial(ctx, blog.CommentKey{Post: *in.Post, Comment: *in.Comment})
	switch {
	case err != nil:
	case in.Kind == journal.CreateComment:
		applied = now.Stands() || now.Deleted()
	case in.Kind == journal.UpdateComment:
		applied = now.By.Has(in.Command)
	default:
		applied = now.Deleted()
	}
	return now.Number, applied, err
}
