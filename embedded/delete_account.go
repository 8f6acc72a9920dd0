package embedded

import (
	"context"
	"errors"
	"fmt"
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
		s.erasures.begin(c.User, s.eraseWhole)
	}
	return err
}

func (tx *tx) deleteAccount(c blog.DeleteAccount) error {
	if c.Role != blog.Operator {
		if _, err := tx.actor(c.Actor); err != nil {
			return err
		}
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
	tx.putNew(erasedUsers, tx.cellKey(erasedUsers, truthCell, u.ID), tx.encode(0, c.Actor))
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

// written is a list of what an account wrote: the copies of its name beside one thing, and how that is deleted, on
// behalf of a user, or of an operator where that is zero.
type written struct {
	table  *table
	names  func(id blog.UUID, value string, name blog.Name) ([]blog.Copy, error)
	delete func(tx *tx, user, by blog.UserID, id blog.UUID, value string) error
}

var (
	authorPost    = readerOf[blog.Post](blog.AuthorPost)
	authorComment = readerOf[blog.Comment](blog.AuthorComment)
)

// writings has a way for each of [blog.OwnLists]: the program does not start without.
var writings []written

func init() {
	ways := map[blog.Table]written{
		blog.PostsByAuthor: {
			names: func(id blog.UUID, value string, name blog.Name) ([]blog.Copy, error) {
				p := blog.Post{ID: blog.PostID{UUID: id}, Author: name.Author()}
				_, err := authorPost.read(value, &p)
				return blog.NameOfPost(p.Ref(), name), err
			},
			delete: func(tx *tx, _, by blog.UserID, id blog.UUID, _ string) error {
				p, err := tx.post(blog.PostID{UUID: id}, "id")
				if err == nil {
					err = tx.deletePost(p, by)
				}
				return err
			},
		},
		blog.CommentsByAuthor: {
			names: func(id blog.UUID, value string, name blog.Name) ([]blog.Copy, error) {
				c := blog.Comment{ID: blog.CommentID{UUID: id}}
				_, err := authorComment.read(value, &c)
				return blog.NameOfComment(c.Key(), name), err
			},
			delete: func(tx *tx, _, by blog.UserID, id blog.UUID, value string) error {
				c := blog.Comment{ID: blog.CommentID{UUID: id}}
				_, err := authorComment.read(value, &c)
				if err == nil {
					_, err = tx.deleteComment(blog.DeleteComment{Actor: by, Role: blog.Operator, Key: c.Key()})
				}
				return err
			},
		},
	}
	for _, k := range blog.ReactionKinds {
		ways[k.ByUser] = written{
			names: func(id blog.UUID, value string, name blog.Name) ([]blog.Copy, error) {
				at, err := sole[time.Time](value)
				return blog.NameOfReaction(k, blog.PostID{UUID: id}, at, name), err
			},
			delete: func(tx *tx, user, by blog.UserID, id blog.UUID, _ string) error {
				r := reacting{of: k, by: by}
				if err := r.read(tx, blog.Name{User: user}, blog.PostID{UUID: id}); err != nil {
					return err
				}
				return r.make(tx)
			},
		}
	}
	for _, name := range blog.OwnLists() {
		way := ways[name]
		if way.delete == nil {
			panic(fmt.Sprintf("embedded: %s lists what users wrote, and neither a rename nor an erasure walks it: give it a way in delete_account.go", name))
		}
		way.table = tables[name]
		writings = append(writings, way)
	}
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
	by, err := tx.erasedBy(u.ID)
	if err != nil {
		return false, err
	}
	for ; e.list < len(writings); e.list, e.after = e.list+1, (blog.UUID{}) {
		list := writings[e.list]
		id, value, err := tx.nextOf(list.table, u.ID, e.after)
		if err != nil {
			return false, err
		}
		if id != (blog.UUID{}) {
			e.after = id
			return false, ifAbsent(list.delete(tx, u.ID, by, id, value), nil)
		}
	}
	return false, tx.forgetUser(u)
}

// erasedBy reads which user erases an account; zero: an operator.
func (tx *tx) erasedBy(user blog.UserID) (blog.UserID, error) {
	value, err := tx.get(erasedUsers, truthCell, user)
	if err != nil {
		return blog.UserID{}, err
	}
	return sole[blog.UserID](value)
}

// nextOf reads the first row of a user's list, or the first one behind an id; zero: there is none.
func (tx *tx) nextOf(t *table, user blog.UserID, after blog.UUID) (id blog.UUID, value string, err error) {
	snap, err := tx.snapshot(tx.ctx, t, user)
	if err != nil {
		return id, "", err
	}
	defer snap.close(&err)
	var behind span
	if after != (blog.UUID{}) {
		behind.lower = with(snap.at(blog.PostID{UUID: after}), pastCells)
	}
	for r := range snap.rows(behind, false) {
		return r.id(), r.cells[1], snap.err
	}
	return id, "", snap.err
}

// forgetUser deletes an account of which nothing else stands.
func (tx *tx) forgetUser(u blog.User) error {
	tx.putCopies(blog.ErasedNames(u.ID, blog.DeletionStamp(tx.clock, u.Stamp)))
	if err := tx.releaseNames(u, blog.User{}); err != nil {
		return err
	}
	tx.deleteRow(usersByID, u.ID)
	tx.deleteRow(erasedUsers, u.ID)
	return nil
}

// erasedAgain is how long after a look at erasures that were left the next one is.
const erasedAgain = 10 * time.Second

// erase goes on with an account's erasure to its end. Other commands come between its commits.
func (s *Store) erase(ctx context.Context, user blog.UserID) error {
	at := erasing{user: user}
	for {
		done, next := false, at
		err := s.command(ctx, func(tx *tx) (err error) {
			next = at
			done, err = tx.eraseOne(&next)
			return err
		})
		switch {
		case err == nil && done:
			return nil
		case err != nil:
			return err
		}
		at = next
		s.erasures.erased()
	}
}

// Maintain goes on with erasures of accounts that were left: by a process before this one, or because the store
// refused them for a while. Any other command is one atomic commit, so none is ever half done.
func (s *Store) Maintain(ctx context.Context) {
	for {
		if err := s.resumeErasures(ctx); err != nil && ctx.Err() == nil {
			s.health.log.Warn("accounts whose erasure was left can't be read; trying again", "error", err)
		}
		if pace.Wait(ctx, erasedAgain) != nil {
			return
		}
	}
}

// eraseWhole is erase, as long as the store is open.
func (s *Store) eraseWhole(user blog.UserID) error {
	if err := s.erase(context.Background(), user); !errors.Is(err, errClosed) {
		return err
	}
	return nil
}

// resumeErasures goes on with the erasures that a process before this one did not end.
func (s *Store) resumeErasures(ctx context.Context) error {
	return s.scan(ctx, erasedUsers, func(key, _ []byte) error {
		parsed, ok := erasedUsers.parse(key)
		if !ok {
			return errKey
		}
		s.erasures.begin(parsed.values[0].(blog.UserID), s.eraseWhole)
		return nil
	})
}
