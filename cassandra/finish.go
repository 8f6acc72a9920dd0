package cassandra

import (
	"cmp"
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

// found is what recovery found of a command that was left.
type found struct {
	done    bool // with the entry; else a conditional write may still come, and it is to be looked at again
	applied bool // the command had an effect
	number  int  // of a comment that it made
}

type kind struct {
	does blog.ChangeKind // empty: its intent says it

	// finish brings to its end what a command left that is not marked done: its server died, or gave up. It goes by
	// the truth alone, so any number of servers may do it at once, and while the command itself still runs. Whether
	// the command had an effect it knows by the marks that commands leave in their truths: what it did may have been
	// undone since, and what it was to do another may have done. looks is how often that was done before.
	finish func(s *Store, ctx context.Context, in journal.Intent, looks int) (found, error)
}

// kinds are those of commands, by what their intents call them.
var kinds = func() map[string]kind {
	all := map[string]kind{
		journal.CreateUser:    {blog.UserCreated, (*Store).finishCreateUser},
		journal.EditUser:      {"", (*Store).finishUserEdit},
		journal.DeleteAccount: {blog.UserErased, (*Store).finishErasure},
		journal.CreatePost:    {blog.PostCreated, (*Store).finishPost},
		journal.UpdatePost:    {blog.PostUpdated, (*Store).finishPost},
		journal.DeletePost:    {blog.PostDeleted, (*Store).finishPost},
		journal.CreateComment: {blog.CommentCreated, (*Store).finishComment},
		journal.UpdateComment: {blog.CommentUpdated, (*Store).finishComment},
		journal.DeleteComment: {blog.CommentDeleted, (*Store).finishComment},
		journal.CreateGroup:   {blog.GroupCreated, (*Store).finishGroup},
		journal.UpdateGroup:   {blog.GroupUpdated, (*Store).finishGroup},
		journal.DeleteGroup:   {blog.GroupDeleted, (*Store).finishGroup},
	}
	for _, k := range blog.ReactionKinds {
		all[k.GivenBy()] = kind{k.Given, (*Store).finishReaction}
		all[k.TakenBackBy()] = kind{k.TakenBack, (*Store).finishReaction}
	}
	return all
}()

// recover finishes a command that was left behind, and tells the change log of it, if it had an effect and its own
// process has not told. It is [journal.Finish].
func (s *Store) recover(ctx context.Context, in journal.Intent, looks int) (done bool, err error) {
	of, known := kinds[in.Kind]
	if !known { // of a newer program: left to it
		return false, nil
	}
	was, err := of.finish(s, ctx, in, looks)
	if err == nil && was.done && !was.applied { // its row may be gone since the intent was read, which has kept the mark
		in, _, err = s.journal.Read(ctx, in.Entry)
		was.applied = in.Applied
	}
	if err != nil || !was.done || !was.applied {
		return err == nil && was.done, err
	}
	first := in
	if in.Entry != in.Command { // it came again under its key, and the process of its first time may tell
		if first, _, err = s.journal.Read(ctx, in.Command); err != nil {
			return false, err
		}
	}
	in.Number = cmp.Or(in.Number, was.number)
	err = s.changes.Recover(ctx, changeOf(in), in.Command, first.Server)
	return err == nil, err
}

func changeOf(in journal.Intent) blog.Change {
	c := blog.Change{Kind: cmp.Or(in.Change, kinds[in.Kind].does), Actor: in.Actor, Comments: in.Number}
	if in.User != nil {
		c.User = *in.User
	}
	if in.Post != nil {
		c.Post = *in.Post
	}
	if in.Comment != nil {
		c.Comment = *in.Comment
	}
	if in.Followed != nil {
		c.Followed = *in.Followed
	}
	if in.Group != nil {
		c.Group = *in.Group
	}
	return c
}

// finishCreateUser gives the claims back of a user that was not created, or had other names by then. One that comes
// later still is given back at a later look.
func (s *Store) finishCreateUser(ctx context.Context, in journal.Intent, looks int) (was found, err error) {
	standing, err := s.truths.Users.Hold(ctx, in.Actor, in.Command, false)
	if err != nil {
		return was, err
	}
	claims := append(in.Claims(), truth.Claim{On: blog.BySubject, Key: in.Subject, User: in.Actor, Command: in.Command})
	if was.applied = standing != nil; was.applied {
		claims = unused(claims, *standing)
		copies, _ := blog.CopiesOfUser(*standing)
		err = tables.Write(ctx, s.db, copies)
	} else {
		was.applied, err = s.truths.Users.WasErased(ctx, in.Actor)
	}
	if err != nil {
		return was, err
	}
	was.done = looks > 1 || was.applied && !in.MayCome
	return was, s.truths.Claims.ReleaseAll(ctx, claims)
}

// finishUserEdit first makes sure that an edit which is not applied never will be, then does what follows from the
// user as it is. A claim that comes late, of an edit that was not applied or one whose answer was lost, is given back
// at a later look.
func (s *Store) finishUserEdit(ctx context.Context, in journal.Intent, looks int) (was found, err error) {
	now, err := s.truths.Users.Read(ctx, in.Account(), s.db.OneSerial)
	if err == nil && !in.In(now.By) {
		now, err = s.truths.Users.Fence(ctx, in.Account())
	}
	was.applied = in.In(now.By)
	was.done = looks > 1 || !in.MayCome && (was.applied || !in.Claiming())
	if now.Wiped() { // it has no names: the erasure met those that it had last
		err = tables.Write(ctx, s.db, blog.RetiredKeys(now.User, in.Former()...))
	}
	if now.Wiped() && err == nil || blog.KindOf(err) == blog.Forbidden {
		return was, s.truths.Claims.ReleaseAll(ctx, unused(in.Claims(), blog.User{}))
	}
	if err != nil {
		return was, err
	}
	follows := s.ofUserEdit(in, now.User)
	if err := tables.Write(ctx, s.db, follows.copies); err != nil {
		return was, err
	}
	return was, follows.afterReply(ctx)
}

// finishPost leaves the entry of a post open that was never made, and looks twice more: what would keep it from being
// made late would also keep a command with the same idempotency key from it. A writer that is later still writes its
// intent again.
func (s *Store) finishPost(ctx context.Context, in journal.Intent, looks int) (was found, err error) {
	now, err := s.truths.Posts.Read(ctx, *in.Post, s.db.OneSerial)
	if err == nil && in.Kind != journal.CreatePost && !in.In(now.By) {
		now, err = s.truths.Posts.Fence(ctx, *in.Post)
	}
	stood := err == nil || now.Deleted
	was = found{done: stood || looks > 1, applied: stood && in.Kind == journal.CreatePost || in.In(now.By)}
	switch {
	case err == nil:
		if err = cql.Concurrently(s.truths.Counts(ctx, &now.Post, true)...); err == nil {
			err = s.refresh(ctx, ofPost(now.Post, blog.Name{User: now.Author.ID}))
		}
		if err == nil && in.Kind == journal.CreatePost {
			err = cascade.Publish(ctx, s.db, s.jobs, now.Ref())
		}
	case blog.IsNotFound(err):
		err = nil // a deletion has an entry of its own, and goes above all that is late
		if now.Deleted && in.Kind == journal.DeletePost {
			err = s.sweeps.Post(ctx, *in.Post)
		}
	}
	return was, err
}

// finishGroup leaves the entry of a group open that was never made, as finishPost does. One that another command made is
// a refusal.
func (s *Store) finishGroup(ctx context.Context, in journal.Intent, looks int) (was found, err error) {
	now, err := s.truths.Groups.Read(ctx, *in.Group, s.db.OneSerial)
	if err == nil && in.Kind != journal.CreateGroup && !in.In(now.By) {
		now, err = s.truths.Groups.Fence(ctx, *in.Group)
	}
	was = found{done: err == nil || now.Deleted || looks > 1, applied: in.In(now.By)}
	switch {
	case err == nil:
		if err = tables.Write(ctx, s.db, blog.CopiesOfGroup(now.Group)); err == nil && in.Kind == journal.CreateGroup {
			err = s.unlessErased(ctx, now.Owner, now.ID)
		}
	case blog.IsNotFound(err):
		if err = nil; now.Deleted && in.Kind == journal.DeleteGroup {
			err = s.sweeps.Group(ctx, *in.Group)
		}
	}
	return was, err
}

// unlessErased deletes a group whose owner's account is gone.
func (s *Store) unlessErased(ctx context.Context, owner blog.UserID, group blog.GroupID) error {
	account, err := s.truths.Users.AccountAgain(ctx, owner)
	if err != nil || !account.Gone() {
		return err
	}
	return cql.Insist(ctx, func(ctx context.Context) error { return s.deletions.Group(ctx, owner, group) })
}

// finishComment, like the others, first makes sure that a change which is not applied never will be: it raises the
// version that an attempt may have gone by.
func (s *Store) finishComment(ctx context.Context, in journal.Intent, _ int) (was found, err error) {
	key := blog.CommentKey{Post: *in.Post, Comment: *in.Comment}
	c, above, err := s.truths.Comments.ReadSerial(ctx, key)
	if err == nil && !commentApplied(in, c) && !above.Closed {
		if err = s.truths.Comments.Fence(ctx, key.Post.UUID, 0); err == nil {
			c, above, err = s.truths.Comments.ReadSerial(ctx, key)
		}
	}
	if err != nil {
		return was, err
	}
	was = foundOfComment(in, c)
	if above.Closed {
		// The deletion of its post removes its rows, but does not find what stands below a comment that was deleted
		// before.
		c.Author.ID = *in.Author
		return was, tables.Write(ctx, s.db, blog.DeletionsOfComment(c.Comment, blog.DeletionStamp(s.clock, above.Stamp)))
	}
	post, err := s.truths.Posts.Ref(ctx, key.Post)
	if err == nil {
		err = s.refreshComment(ctx, post, c, above, *in.Author, in.Kind == journal.DeleteComment && !c.Stands())
	}
	return was, unlessGone(err) // the post never was, or its deletion takes down all that lists it
}

// refreshComment writes the post's count and a comment's rows, or where gone says that it was there and is no more,
// takes them down.
func (s *Store) refreshComment(ctx context.Context, ref blog.PostRef, c truth.Comment, above counted.Header, author blog.UserID, gone bool) error {
	v := effects{copies: blog.CopiesOfCount(blog.CommentsByPost, ref, above.Count())}
	switch {
	case c.Stands():
		v = ofComment(c.Comment, above.Stamp, v.copies, blog.Name{User: author})
	case gone:
		account, err := s.truths.Users.Account(ctx, author)
		if err != nil {
			return err
		}
		c.Author.ID = author
		v = ofGoneComment(c.Comment, blog.DeletionStamp(s.clock, above.Stamp, account.Stamp), v.copies)
	}
	return s.refresh(ctx, v)
}

// foundOfComment goes by the mark that its post's deletion kept, where that has taken the row away. Earlier
// programs left no mark of a deletion.
func foundOfComment(in journal.Intent, c truth.Comment) found {
	if in.Kind == journal.CreateComment && (in.Applied || c.Stands() || c.Deleted()) {
		return found{done: true, applied: true, number: c.Number}
	}
	unmarked := in.Kind == journal.DeleteComment && c.Deleted() && len(c.By.Recent) == 0
	return found{done: true, applied: unmarked || in.In(c.By)}
}

func commentApplied(in journal.Intent, c truth.Comment) bool {
	switch in.Kind {
	case journal.CreateComment:
		return c.Stands()
	case journal.DeleteComment:
		return !c.Stands()
	}
	return in.In(c.By)
}

// finishReaction makes sure, too, that the row of a reaction which was taken back is deleted above its user's name: a
// rename may have written that beside it.
func (s *Store) finishReaction(ctx context.Context, in journal.Intent, _ int) (was found, err error) {
	of, wanted := blog.ReactionTo(in.Kind)
	key, claims := blog.ReactionKey{Of: of, To: in.Parent(), User: in.Account()}, s.truths.Reactions[of]
	var renames cql.Contest
	for {
		name, err := s.truths.Users.Account(ctx, key.User)
		if err != nil {
			return was, err
		}
		claim, above, err := claims.ReadSerial(ctx, key)
		if err == nil && !above.Closed && (claim.Stands != wanted || !claim.Stands && above.Stamp <= name.Stamp) {
			if err = claims.Fence(ctx, key.To, name.Stamp); err == nil {
				claim, above, err = claims.ReadSerial(ctx, key)
			}
		}
		unmarked := claim.Made() && claim.Stands == wanted && len(claim.By.Recent) == 0 // by an earlier program
		was = found{done: err == nil, applied: in.In(claim.By) || unmarked}
		if err != nil || above.Closed {
			return was, err
		}
		parent, err := s.truths.Parent(ctx, of.Parent, key.To)
		if err == nil {
			// The name beside one that was given again is above its row's deletion: it was given only after the user's
			// stamp had been raised there.
			err = s.refresh(ctx, ofReaction(key, parent, claim, above.Count(), blog.Name{User: key.User}))
		}
		if err == nil && claim.Stands && of == blog.Follows {
			err = s.gatherAgain(ctx, key)
		}
		if err != nil || claim.Stands {
			return was, unlessGone(err)
		}
		now, err := s.truths.Users.Account(ctx, key.User)
		if err != nil || now.Stamp == name.Stamp {
			return was, err
		}
		if err := renames.Pause(ctx); err != nil {
			return was, err
		}
	}
}

// gatherAgain is [cascade.Gather], if the follow stands by now: that of an erased account was just taken back.
func (s *Store) gatherAgain(ctx context.Context, key blog.ReactionKey) error {
	stands, err := s.truths.Reactions[key.Of].Stands(ctx, key)
	if err != nil || !stands {
		return err
	}
	return cascade.Gather(ctx, s.db, key.Of.By(blog.Author{ID: key.User}, key.To, time.Time{}, true))
}
