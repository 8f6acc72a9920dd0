package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/changelog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

// effects is all that a command has to write once its truth stands.
type effects struct {
	copies     []blog.Copy
	extra      []cql.Bound                     // what isn't a copy: tombstones of single cells
	named      *named                          // the rows among them that hold a username; nil: none
	afterReply func(ctx context.Context) error // what the command still owes; nil: nothing
	late       bool                            // a claim of the intent may come late
	untold     bool                            // the change log is told nothing: the truth was as it shall be
	made       []gap.Key                       // rows of lists that the command has made; a truth's too
	dead       []gap.Key                       // a truth's row that it has killed
}

// named are the rows of a post, a comment or a reaction that hold its user's name.
type named struct {
	cascade.Written
	name blog.Name
}

// ofPost is what follows from a post that stands.
func ofPost(p blog.Post, author blog.Name) effects {
	copies := blog.CopiesOfPost(p)
	return effects{copies: copies, made: gap.Keys(copies, false), named: &named{cascade.Post{PostRef: p.Ref()}, author}}
}

// ofComment is what follows from a comment that stands, and from its post's count.
func ofComment(c blog.Comment, stamp int64, counts []blog.Copy, author blog.Name) effects {
	rows, key := blog.CopiesOfComment(c, stamp), c.Key()
	return effects{
		copies: append(counts, rows...), made: append(gap.Keys(rows, false), gap.CommentKey(key)),
		named: &named{cascade.Comment{CommentKey: key, Path: c.Path}, author},
	}
}

// ofGoneComment is what follows from one that is gone. Its name is emptied by no conditional write, which goes at a time
// below a name's stamp.
func ofGoneComment(c blog.Comment, stamp int64, counts []blog.Copy) effects {
	copies := append(blog.DeletionsOfComment(c, stamp), counts...)
	return effects{copies: append(copies, blog.EmptyNameOfComment(c.Key(), stamp))}
}

// ofReaction is what follows from a reaction that stands, or was taken back, and from its parent's count.
func ofReaction(key blog.ReactionKey, parent blog.Parent, claim truth.Reaction, count blog.Count, user blog.Name) effects {
	r := key.Of.By(blog.Author{ID: user.User}, key.To, claim.At, claim.Stands)
	v := effects{copies: append(blog.CopiesOfReaction(key.Of, r, count.Stamp), blog.CopiesOfCount(key.Of.Table, parent, count)...)}
	if r.Stands { // also of a kind that no names stand beside: the account may be gone by now
		v.named = &named{cascade.Reaction{ReactionKey: key, At: r.At}, user}
	}
	return v
}

func (v effects) entries() []cql.Bound {
	entries := make([]cql.Bound, 0, len(v.copies)+len(v.extra)+4)
	copies := v.copies
	if v.named != nil {
		copies = append(copies[:len(copies):len(copies)], v.named.Names(v.named.name)...)
	}
	for _, c := range copies {
		entries = append(entries, tables.Bind(c))
	}
	return append(entries, v.extra...)
}

// recheckName writes the name once more where it is another by now.
func (s *Store) recheckName(ctx context.Context, v effects) error {
	if v.named == nil {
		return nil
	}
	now, err := s.truths.Users.AccountAgain(ctx, v.named.name.User)
	if err != nil || now.Stamp == v.named.name.Stamp {
		return err
	}
	return s.writeNamed(ctx, *v.named)
}

// complete is a command's third step: it writes the copies that follow from a truth that stands. It never fails, for
// the command has succeeded: copies that can't be written before the deadline are written after the reply.
//
// Then the change log is told; beside that afterReply is done, and the usernames that were copied are compared with
// their truth once more, for a rename that ran beside may have walked past the new rows before they were there; then
// the journal's row is marked done.
func (s *Store) complete(ctx context.Context, note *journal.Note, v effects) {
	late := s.writeCopies(ctx, v) != nil
	s.background.Run(ctx, func(ctx context.Context) {
		if err := s.completeLater(ctx, note, v, late); err != nil && err != cql.ErrHeld { // the server that does it marks it done
			s.log.Warn("a command's work after its reply is left to recovery", "command", note.Entry, "error", err)
		}
	})
}

func (s *Store) writeCopies(ctx context.Context, v effects) error {
	return cql.Insist(ctx, func(ctx context.Context) error {
		if err := s.copies.Write(ctx, v.entries()); err != nil {
			return err
		}
		return s.gaps.Uncover(ctx, s.gaps.Late(v.made))
	})
}

// completeLater is what a command does after its reply. late: the copies are not written yet.
func (s *Store) completeLater(ctx context.Context, note *journal.Note, v effects, late bool) error {
	var err error
	if late {
		err = job.Briefly(ctx, func(ctx context.Context) error { return s.writeCopies(ctx, v) })
	}
	if err == nil {
		err = cql.Concurrently(
			func() error { return s.afterReply(ctx, v) },
			func() error { return s.tell(ctx, note, v) },
		)
	}
	if err == nil {
		err = job.Briefly(ctx, func(ctx context.Context) error { return s.end(ctx, note, v) })
	}
	s.gaps.Count(append(gap.Keys(v.copies, true), v.dead...))
	return err
}

func (s *Store) afterReply(ctx context.Context, v effects) error {
	err := job.Briefly(ctx, func(ctx context.Context) error { return s.recheckName(ctx, v) }) // which a long job must not hold up
	if err == nil && v.afterReply != nil {
		err = cql.Insist(ctx, v.afterReply)
	}
	return err
}

// tell tells the change log of a command, unless it has changed nothing, or recovery tells.
func (s *Store) tell(ctx context.Context, note *journal.Note, v effects) error {
	if v.untold || note.Begun.IsZero() {
		return nil
	}
	told := changelog.Entry{Change: changeOf(note.Intent), Command: note.Command, Begun: note.Begun}
	return job.Briefly(ctx, func(ctx context.Context) error { return s.changes.Append(ctx, told) })
}

// end marks a command's row in the journal as done, or leaves it to recovery: where an attempt at a claim may come
// late, which that gives back, or where it has to find out which process told the change log.
func (s *Store) end(ctx context.Context, note *journal.Note, v effects) error {
	switch {
	case v.late:
		return s.journal.LeaveUndone(ctx, note)
	case note.Begun.IsZero():
		return nil
	}
	return s.journal.Complete(ctx, note.Entry)
}

// refresh writes what follows from a truth anew, where some of it may lag. The truth was read at the serial
// consistency, in one statement with the stamp that its copies go at, so no copy is newer than its row; and copies
// converge by their stamps, so it does no harm that the truth is changed meanwhile, or that another server does the
// same.
func (s *Store) refresh(ctx context.Context, v effects) error {
	if err := tables.Write(ctx, s.db, v.copies); err != nil {
		return err
	}
	if err := s.gaps.Uncover(ctx, s.gaps.Late(v.made)); err != nil || v.named == nil {
		return err
	}
	return s.writeNamed(ctx, *v.named)
}

// writeNamed writes the copies of a user's name. A rename may pass meanwhile without meeting rows that are not written
// yet, so the name is read again after they are. An erasure may pass in the same way: where the account is gone, what
// holds the name is deleted.
//
// Whether the rows are wanted is asked after the name was read: a command that takes the thing back later reads the
// name after that, and deletes above it.
func (s *Store) writeNamed(ctx context.Context, of named) error {
	var renames cql.Contest
	account, err := s.truths.Users.Account(ctx, of.name.User)
	for err == nil && !account.Gone() {
		if r, is := of.Written.(cascade.Reaction); is {
			if stands, err := s.truths.Reactions[r.Of].Stands(ctx, r.ReactionKey); err != nil || !stands {
				return err
			}
		}
		if err := tables.Write(ctx, s.db, of.Names(account.Name)); err != nil {
			return err
		}
		written := account.Stamp
		account, err = s.truths.Users.Account(ctx, of.name.User)
		if err != nil || account.Stamp == written {
			return err
		}
		err = renames.Pause(ctx)
	}
	if err != nil {
		return err
	}
	return of.Delete(ctx, s.deletions, of.name.User)
}
