package cassandra

import (
	"cmp"
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/changelog"
	"broadsheet/cassandra/journal"
)

// tell tells the change log of a command, unless that is recovery's.
func (f *follower) tell(ctx context.Context, note *journal.Note) error {
	if note.Begun.IsZero() {
		return nil
	}
	return f.changes.Append(ctx, changelog.Entry{Change: changeOf(note.Intent), Command: note.Command, Begun: note.Begun})
}

// changeKinds has what a command does, by the kind of its intent. Of an edit of an account the intent says it.
var changeKinds = func() map[string]blog.ChangeKind {
	all := map[string]blog.ChangeKind{
		journal.CreateUser: blog.UserCreated, journal.EditUser: "", journal.DeleteAccount: blog.UserErased,
		journal.CreatePost: blog.PostCreated, journal.UpdatePost: blog.PostUpdated, journal.DeletePost: blog.PostDeleted,
		journal.CreateComment: blog.CommentCreated, journal.UpdateComment: blog.CommentUpdated, journal.DeleteComment: blog.CommentDeleted,
	}
	for _, k := range blog.ReactionKinds {
		all[k.GivenBy()], all[k.TakenBackBy()] = k.Given, k.TakenBack
	}
	return all
}()

// changeOf returns what a command did.
func changeOf(in journal.Intent) blog.Change {
	c := blog.Change{Kind: cmp.Or(in.Change, changeKinds[in.Kind]), Actor: in.Actor, Comments: in.Number}
	if in.User != nil {
		c.User = *in.User
	}
	if in.Post != nil {
		c.Post = *in.Post
	}
	if in.Comment != nil {
		c.Comment = *in.Comment
	}
	return c
}

// carriedOutBy returns the process that tells of a command if it can: of one that came again under
// its key, that of the first time, whose intent stands in the row of the command's own id.
func (s *Store) carriedOutBy(ctx context.Context, in journal.Intent) (blog.UUID, error) {
	if in.Entry == in.Command {
		return in.Server, nil
	}
	first, _, err := s.journal.Read(ctx, in.Command)
	return first.Server, err
}
