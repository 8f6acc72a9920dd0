package embedded

import (
	"cmp"
	"context"
	"errors"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// erasedUsers names the accounts whose erasure has begun and not ended, with the user that erases each.
//
//	0x58 │ user → actor
var erasedUsers = newTable(&blog.Declaration{
	Table: "erased_users", Partition: blog.Columns{{Name: "user_id", Type: blog.TypeUser}},
	Embedded: blog.Embedded{Prefix: 0x58},
})

// DeleteAccount is a method of [blog.Commands]. An account may have written more than one commit holds: its truth says
// that it is erased, and each thing that it wrote is deleted by a commit of its own, after the reply;
// the last one deletes the truth, and the claims with it.
func (s *Store) DeleteAccount(ctx context.Context, c blog.DeleteAccount) error {
	s.erasures.hold(c.User)
	defer s.erasures.release(c.User)
	err := s.command(ctx, func(tx *tx) error { return tx.deleteAccount(c) })
	if err == nil || blog.KindOf(err) == blog.Timeout { // which may be committed
		s.eraseAside(c.User)
	}
	return err
}

func (tx *tx) deleteAccount(c blog.DeleteAccount) error {
	if _, err := tx.role(c.Actor, c.Role); err != nil {
		return err
	}
	if err := c.Allowed(); err != nil {
		return err
	}
	u, err := tx.anyUser(c.User)
	if err != nil {
		return ifAbsent(err, blog.ErrNoSuchUser())
	}
	if err := c.Confirmed(u); err != nil || u.IsErased() {
		return err
	}
	u = u.Erased(tx.clock)
	tx.putUser(u)
	tx.putNew(tx.cellKey(erasedUsers, truthCell, u.ID), tx.encode(0, c.Actor))
	tx.append(blog.Change{Kind: blog.UserErased, Actor: c.Actor, User: u.ID})
	return nil
}

// erasing is how far an erasure has come: nothing of the first lists of the account stands, nor of the next one
// up to a row.
type erasing struct {
	user  blog.UserID
	list  int
	after blog.UUID // zero: the beginning
}

// ownLists are the lists of what users wrote, or reacted to: a rename and an erasure walk them.
var ownLists = func() (all []*table) {
	for _, name := range blog.OwnLists() {
		all = append(all, tables[name])
	}
	return all
}()

var authorPost = readerOf[blog.Post](blog.AuthorPost) // without the copies beside it

// nameBeside returns the copies of a user's name beside what a row of one of its lists is about.
func nameBeside(t *table, r *row, name blog.Name) ([]blog.Copy, error) {
	switch about := t.name.Declaration().About; about {
	case blog.AboutPost:
		p := blog.Post{ID: blog.PostID{UUID: r.id()}, Author: name.Author()}
		_, err := authorPost.read(r.cells[truthCell], &p)
		return blog.NameOfPost(p.Ref(), name), err
	case blog.AboutComment:
		var c blog.Comment
		err := commentLists[blog.CommentsByAuthor].row(r, &c)
		return blog.NameOfComment(c, name), err
	default:
		var given blog.Reaction
		err := reactionLists[t.name].row(r, &given)
		return blog.NameOfReaction(about.Reaction, given.To(), given.At, name), err
	}
}

// deleteOwn deletes what a row of a user's list is about, on behalf of a user, or of an operator where that is zero.
func (tx *tx) deleteOwn(t *table, r *row, user, by blog.UserID) (err error) {
	switch about := t.name.Declaration().About; about {
	case blog.AboutPost:
		var p blog.Post
		if p, err = tx.post(blog.PostID{UUID: r.id()}, "id"); err == nil {
			err = tx.deletePost(p, by)
		}
	case blog.AboutComment:
		var c blog.Comment
		if err = commentLists[blog.CommentsByAuthor].row(r, &c); err == nil {
			_, err = tx.deleteComment(blog.DeleteComment{Actor: by, Role: blog.Operator, Key: c.Key()})
		}
	case blog.AboutGroup:
		var g blog.Group
		if g, _, err = tx.group(blog.GroupID{UUID: r.id()}); err == nil {
			err = tx.deleteGroup(g, by)
		}
	default:
		_, _, err = tx.react(about.Reaction, blog.Name{User: user}, r.id(), false, by)
	}
	return err
}

// eraseOne deletes the next thing that an erased account wrote, or where there is none the account. done: there is
// no such account.
func (tx *tx) eraseOne(e *erasing) (done bool, err error) {
	u, err := tx.anyUser(e.user)
	if blog.IsNotFound(err) || err == nil && !u.IsErased() {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	by, err := tx.owner(tx.ctx, erasedUsers, u.ID) // zero: an operator
	if err != nil {
		return false, err
	}
	for ; e.list < len(ownLists); e.list, e.after = e.list+1, (blog.UUID{}) {
		if found, err := tx.eraseNext(e, by); found || err != nil {
			return false, err
		}
	}
	return false, tx.forgetUser(u)
}

// eraseNext deletes the next thing of a list.
func (tx *tx) eraseNext(e *erasing, by blog.UserID) (found bool, err error) {
	t := ownLists[e.list]
	snap, err := tx.snapshot(tx.ctx, t, e.user)
	if err != nil {
		return false, err
	}
	defer snap.close(&err)
	var behind span
	if e.after != (blog.UUID{}) {
		behind.lower = with(snap.at(blog.PostID{UUID: e.after}), pastCells)
	}
	for r := range snap.rows(behind, false) {
		e.after = r.id()
		return true, ifAbsent(tx.deleteOwn(t, r, e.user, by), nil)
	}
	return false, snap.err
}

// forgetUser deletes an account of which nothing else stands, with its followers.
func (tx *tx) forgetUser(u blog.User) error {
	stamp := blog.DeletionStamp(tx.clock, u.Stamp)
	tx.putCopies(blog.ErasedNames(u.ID, stamp))
	if err := tx.deleteBelow(blog.AboutFollowed, u.ID.UUID, stamp); err != nil {
		return err
	}
	if err := tx.moveNames(u, blog.User{}); err != nil {
		return err
	}
	tx.deletePartition(tables[blog.HomeByUser], u.ID)
	tx.deleteRow(usersByID, u.ID)
	tx.deleteRow(erasedUsers, u.ID)
	return nil
}

// resumedAgain is how long after a look at what was left the next one is.
const resumedAgain = 10 // seconds

// Maintain goes on with erasures of accounts, and with posts on their way to homes, that were left: by a process before
// this one, or because the store refused them for a while. Any other command is one atomic commit, so none is ever half
// done.
func (s *Store) Maintain(ctx context.Context) {
	for second := 0; ; second++ {
		if second%resumedAgain == 0 {
			if err := s.resume(ctx); err != nil && ctx.Err() == nil {
				s.health.log.Warn("what was left to be done behind commands can't be read; trying again", "error", err)
			}
		}
		if pace.Wait(ctx, time.Second) != nil {
			return
		}
		_ = s.space.moved(s.health) // and no command or probe may ask
	}
}

// eraseWhole goes on with an account's erasure to its end, as long as the store is open. Other commands come
// between its commits.
func (s *Store) eraseWhole(user blog.UserID) error {
	at := erasing{user: user}
	for {
		done := false
		err := s.command(context.Background(), func(tx *tx) (err error) {
			done, err = tx.eraseOne(&at)
			return err
		})
		switch {
		case errors.Is(err, errClosed):
			return nil
		case err != nil || done:
			return err
		}
		s.erasures.done.Add(1)
	}
}

// eraseAside goes on with an account's erasure in the background.
func (s *Store) eraseAside(user blog.UserID) {
	aside(s, &s.erasures, user, "an account's erasure", s.eraseWhole)
}

// Resume is Settle for a process that does not call [Store.Maintain]: it goes on with what that would.
func (s *Store) Resume(ctx context.Context) error {
	if err := s.resume(ctx); err != nil {
		return err
	}
	return s.Settle(ctx)
}

// resume goes on with what a process before this one did not end.
func (s *Store) resume(ctx context.Context) error {
	return cmp.Or(resume(ctx, s, &s.erasures, erasedUsers, s.eraseAside), resume(ctx, s, &s.homes, homeWaits, s.publishAside))
}
