package cassandra

import (
	"context"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

// DeleteAccount writes the erasure into the truth that commands read of their actor, and takes the account
// off the tables that find it. All that it wrote is deleted after the reply, each post, comment and
// reaction as by a command of its own; then nothing but a placeholder is left of the truth, and only
// then its claims are given back:
//
//	truth     stands ──▶ erased_at ─────────────────────────────▶ placeholder
//	lists              │ post … comment … like … follower … names  │
//	claims             │ held                                      │ released
//	           reply ──┘
func (s *Store) DeleteAccount(ctx context.Context, c blog.DeleteAccount) error {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return err
	}
	defer end()
	if c.Role != blog.Operator {
		if _, err := s.truths.Users.Actor(ctx, c.Actor); err != nil {
			return err
		}
	}
	if err := c.Allowed(); err != nil {
		return err
	}
	now, err := s.truths.Users.Read(ctx, c.User, s.db.One)
	if err = noSuchUser(err); err == nil {
		err = c.Confirmed(now.User)
	}
	if err != nil {
		return err
	}
	ids := s.fresh()
	e := erasure{store: s, actor: c.Actor}
	e.UserEdit, err = s.truths.Users.Edit(ids.command, now.ID, now, func(u truth.User) (blog.User, bool, error) {
		if u.IsErased() {
			return u.User, false, nil
		}
		return u.Erased(s.clock), true, nil
	})
	if err == nil {
		err = s.run(ctx, ids, &e)
	}
	if err == nil {
		s.outwait()
	}
	return noSuchUser(err) // another may have erased it meanwhile
}

// erasure is one DeleteAccount under way. It changes nothing where the account's erasure had begun.
type erasure struct {
	truth.UserEdit
	store *Store
	actor blog.UserID // zero: an operator

	former []blog.FormerNames // that rows may still be found by
}

func (e *erasure) intent() journal.Intent {
	return journal.Intent{Kind: journal.DeleteAccount, Actor: e.actor, User: &e.Next.ID, Keys: journal.Keys{Held: heldBy(e.Next)}}
}

func heldBy(u blog.User) (held []journal.Held) {
	for _, k := range blog.UniqueKeys {
		if key := k.Of(u); key != "" {
			held = append(held, journal.Held{Claims: k.Claims, Key: key})
		}
	}
	return held
}

// apply brings the erasure into the truth, unless another did so meanwhile. Where the user has other claims by
// then, another intent names those.
func (e *erasure) apply(ctx context.Context, note *journal.Note) error {
	return e.Apply(ctx, func(ctx context.Context) (err error) {
		if e.former, err = e.store.formerNames(ctx, e.Now); err != nil {
			return err
		}
		err = note.KeepBoth(ctx, e.Now.By)
		if held := heldBy(e.Next); err == nil && !slices.Equal(held, note.Held) {
			note.Held = held
			err = note.Again(ctx)
		}
		return err
	})
}

// formerNames returns what the last edits of a user have ended: rows of that may be left to recovery.
func (s *Store) formerNames(ctx context.Context, u truth.User) (former []blog.FormerNames, err error) {
	left, err := s.journal.Left(ctx, u.By)
	for _, in := range left {
		former = append(former, in.Former()...)
	}
	return former, err
}

func (e *erasure) follow() effects {
	in := e.intent()
	return effects{copies: offKeys(e.Next, e.former), untold: !e.Changed, afterReply: func(ctx context.Context) error { return e.store.erase(ctx, in) }}
}

// offKeys takes an erased account off the tables that find it.
func offKeys(u blog.User, former []blog.FormerNames) []blog.Copy {
	copies, _ := blog.CopiesOfUser(u)
	return append(copies, blog.RetiredKeys(u, former...)...)
}

// finishErasure makes sure that an erasure which is not applied never will be, or does what is left of it.
func (s *Store) finishErasure(ctx context.Context, in journal.Intent, _ int) (was found, err error) {
	now, err := s.truths.Users.Read(ctx, *in.User, s.db.OneSerial)
	if err == nil && !now.IsErased() {
		now, err = s.truths.Users.Fence(ctx, *in.User)
	}
	was = found{done: true, applied: in.In(now.By)}
	switch {
	case blog.KindOf(err) == blog.Forbidden: // nothing is left of its truth
		err = nil
	case err == nil && !now.IsErased():
		return was, nil
	case err == nil:
		var former []blog.FormerNames
		if former, err = s.formerNames(ctx, now); err == nil {
			err = tables.Write(ctx, s.db, offKeys(now.User, former))
		}
	}
	if err == nil {
		err = s.erase(ctx, in)
	}
	return was, err
}

func (s *Store) erase(ctx context.Context, in journal.Intent) error {
	if err := cascade.Erase(ctx, s.jobs, s.deletions, *in.User, in.Actor); err != nil {
		return err
	}
	if err := s.sweeps.Followers(ctx, *in.User); err != nil {
		return err
	}
	if err := s.wipe(ctx, *in.User); err != nil {
		return err
	}
	for _, held := range in.Held {
		claim, err := s.truths.Claims.Held(ctx, held.Claims.UniqueKey(), held.Key, *in.User)
		if err == nil {
			err = s.truths.Claims.ReleaseAll(ctx, []truth.Claim{claim})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wipe leaves nothing of an erased account but a placeholder.
func (s *Store) wipe(ctx context.Context, user blog.UserID) error {
	return cql.Until(ctx, blog.UsersByID, user, cql.Patiently(func() (done bool, by any, err error) {
		now, err := s.truths.Users.Read(ctx, user, s.db.OneSerial)
		if blog.KindOf(err) == blog.Forbidden {
			return true, nil, nil
		}
		if err != nil {
			return true, nil, err
		}
		names := blog.ErasedNames(user, blog.DeletionStamp(s.clock, now.Stamp))
		if err := tables.Write(ctx, s.db, names); err != nil {
			return true, nil, err
		}
		if err := cascade.ClearHome(ctx, s.db, user, names[0].Stamp); err != nil {
			return true, nil, err
		}
		done, _, err = s.db.CompareAndSet(ctx, now.Wipe(s.clock, s.journal.NewCommand()))
		return done, now.Guard(), err
	}))
}

// deletions delete what an account wrote that is gone. What is gone already is no error.
type deletions struct{ *Store }

// Account goes on with an erasure that stands in the truth and that no intent tells of any more.
func (s deletions) Account(ctx context.Context, user blog.UserID) error {
	now, err := s.truths.Users.Read(ctx, user, s.db.OneSerial)
	if err != nil || !now.IsErased() {
		return err
	}
	return s.erase(ctx, journal.Intent{User: &user, Keys: journal.Keys{Held: heldBy(now.User)}})
}

// Post deletes a post whose author's account is gone. A deleted one stands in the author's list where its server died
// before it had written that: what remains of the deletion is done here, for the claims are given back behind it.
func (s deletions) Post(ctx context.Context, by blog.UserID, post blog.PostID) error {
	now, err := s.truths.Posts.Read(ctx, post, s.db.OneSerial)
	if err == nil {
		err = s.runWhole(ctx, &postDeletion{store: s.Store, actor: by, post: now, stamp: blog.DeletionStamp(s.clock, now.Stamp)})
	}
	return remains(err, now.Deleted, func() error { return s.sweeps.Post(ctx, post) })
}

// remains does what remains of a deletion that was left.
func remains(err error, deleted bool, sweep func() error) error {
	if !blog.IsNotFound(err) {
		return err
	}
	if !deleted {
		return nil
	}
	if err = sweep(); err == cql.ErrHeld { // another does what is left below it
		return nil
	}
	return err
}

// Comment deletes a comment whose author's account is gone, or does what remains of its deletion, as Post does.
func (s deletions) Comment(ctx context.Context, by blog.UserID, key blog.CommentKey) error {
	leave, err := s.truths.Comments.Enter(key.Post.UUID)
	if err != nil {
		return err
	}
	defer leave()
	before := commentBefore{kind: journal.DeleteComment, actor: blog.Name{User: by}}
	d := &commentDeletion{store: s.Store, commentBefore: before, erasing: true}
	if d.comment, d.header, err = s.truths.Comments.Read(ctx, key); err == nil {
		d.post, err = s.truths.Posts.Ref(ctx, key.Post)
	}
	if err == nil {
		err = s.runWhole(ctx, d)
	}
	author := d.comment.Author.ID
	if !blog.IsNotFound(err) || author.IsZero() {
		return unlessGone(err)
	}
	_, err = s.finishComment(ctx, journal.Intent{Kind: journal.DeleteComment, About: journal.About{Post: &key.Post, Comment: &key.Comment, Author: &author}}, 0)
	return err
}

// Group deletes a group whose owner's account is gone, or does what remains of its deletion, as Post does.
func (s deletions) Group(ctx context.Context, by blog.UserID, group blog.GroupID) error {
	now, err := s.truths.Groups.Read(ctx, group, s.db.OneSerial)
	if err == nil {
		err = s.runWhole(ctx, &groupDeletion{store: s.Store, actor: by, group: now})
	}
	return remains(err, now.Deleted, func() error { return s.sweeps.Group(ctx, group) })
}

// Reaction takes a reaction back whose user's account is gone.
func (s deletions) Reaction(ctx context.Context, by blog.UserID, key blog.ReactionKey) error {
	claims := s.truths.Reactions[key.Of]
	leave, err := claims.Enter(key.To)
	if err != nil {
		return err
	}
	defer leave()
	return unlessGone(s.runWhole(ctx, &toggle{ReactionKey: key, store: s.Store, claims: claims, erased: &by}))
}

// unlessGone makes no error of what does not exist any more.
func unlessGone(err error) error {
	if blog.IsNotFound(err) {
		return nil
	}
	return err
}
