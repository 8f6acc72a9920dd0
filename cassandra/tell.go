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
	journal.CreateUser: blog.UserCreated, journal.DeleteAccount: blog.UserErased,
	journal.CreatePost: blog.PostCreated, journal.UpdatePost: blog.PostUpdated, journal.DeletePost: blog.PostDeleted,
	journal.CreateComment: blog.CommentCreated, journal.UpdateComment: blog.CommentUpdated, journal.DeleteComment: blog.CommentDeleted,
}

func kindOfChange(in journal.Intent) blog.ChangeKind {
	switch of, given := blog.ReactionTo(in.Kind); {
	case in.Kind == journal.EditUser:
		return in.Change
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

// applied reports whether a command that is finished had an effect, and for one that made a comment
// its number. It goes by the marks that commands leave in their truths: what it did may have been
// undone since, and what it was to do another may have done.
func (s *Store) applied(ctx context.Context, in journal.Intent) (number int, applied bool, err error) {
	switch in.Kind {
	case journal.CreateUser, journal.EditUser, journal.DeleteAccount:
		now, err := s.truths.Users.Read(ctx, in.Account(), s.db.OneSerial)
		stood := err == nil || now.Wiped()
		if blog.KindOf(err) == blog.Forbidden { // erased, or never made
			err = nil
		}
		return 0, err == nil && (stood && in.Kind == journal.CreateUser || now.By.Has(in.Command)), err
	case journal.CreatePost, journal.UpdatePost, journal.DeletePost:
		now, err := s.truths.Posts.Read(ctx, *in.Post, s.db.OneSerial)
		stood := err == nil || now.Deleted
		if blog.IsNotFound(err) {
			err = nil
		}
		return 0, err == nil && (stood && in.Kind == journal.CreatePost || now.By.Has(in.Command)), err
	}
	if of, given := blog.ReactionTo(in.Kind); of != nil {
		now, above, err := s.truths.Reactions[of].ReadSerial(ctx, blog.ReactionKey{Of: of, Post: *in.Post, User: in.Account()})
		unmarked := now.Made() && now.Stands == given && len(now.By.Recent) == 0 // by an earlier program
		return 0, err == nil && !above.Closed && (now.By.Has(in.Command) || unmarked), err
	}
	now, _, err := s.truths.Comments.ReadSerial(ctx, blog.CommentKey{Post: *in.Post, Comment: *in.Comment})
	stood := now.Stands() || now.Deleted()
	// Earlier programs left no mark of a deletion.
	unmarked := in.Kind == journal.DeleteComment && now.Deleted() && len(now.By.Recent) == 0
	if in.Number > 0 { // its post was deleted since
		return in.Number, true, nil
	}
	return now.Number, err == nil && (stood && in.Kind == journal.CreateComment || now.By.Has(in.Command) || unmarked), err
}
