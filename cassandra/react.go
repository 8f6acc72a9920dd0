package cassandra

import (
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

// React is a method of [blog.Floor]. It sets the claim of the actor on the parent and changes the count in one
// conditional batch. A claim is never removed and keeps its first time, so a reaction that is given, taken back and
// given again returns to the same row of every list: toggling makes no new rows and no new tombstones.
func (s *Store) React(ctx context.Context, of *blog.ReactionKind, actor blog.UserID, to blog.UUID, stands bool) (blog.Reaction, blog.Count, error) {
	claims := s.truths.Reactions[of]
	ctx, end, err := s.startOn(ctx, claims, to)
	if err != nil {
		return blog.Reaction{}, blog.Count{}, err
	}
	defer end()
	key := blog.ReactionKey{Of: of, To: to, User: actor}
	t := &toggle{ReactionKey: key, given: stands, store: s, claims: claims, first: blog.Millisecond(s.clock.Now())}
	if err := s.run(ctx, s.fresh(), t); err != nil {
		return blog.Reaction{}, blog.Count{}, err
	}
	return of.By(t.actor.Author(), to, t.claim.At, stands), t.now.OwnCount(), nil
}

// toggle is a reaction under way, which is given or taken back.
type toggle struct {
	blog.ReactionKey
	store  *Store
	claims *truth.Reactions
	given  bool         // what it shall be
	erased *blog.UserID // the account is gone, and this one erases it; zero: an operator

	actor  blog.Name
	parent blog.Parent
	claim  truth.Reaction // as read last, then as it was made
	header counted.Header // of the parent's claims, as of the claim that was read or later
	first  time.Time      // of the claim, if this command makes it
	now    counted.Outcome
	stood  bool // the claim was what it shall be
}

func (t *toggle) intent() journal.Intent {
	in := journal.Intent{Kind: t.Of.TakenBackBy(), Actor: t.User}
	switch r := t.Of.By(blog.Author{}, t.To, time.Time{}, false); t.Of.Parent {
	case blog.AboutPost:
		in.Post = &r.Post
	case blog.AboutFollowed:
		in.Followed = &r.Followed
	case blog.AboutGroup:
		in.Group = &r.Group
	}
	switch {
	case t.given:
		in.Kind = t.Of.GivenBy()
	case t.erased != nil && *t.erased != t.User:
		in.Actor, in.User = *t.erased, &t.User
	}
	return in
}

// reads are of what a reaction goes by. A claim that was made comes with the header in one statement; for the others
// the header is read beside it.
func (t *toggle) reads(ctx context.Context) []func() error {
	return []func() error{
		func() error { return t.readActor(ctx) },
		t.store.truths.ParentForChange(ctx, t.Of.Parent, t.To, &t.parent),
		t.claims.ReadMet(ctx, t.ReactionKey, t.given, &t.claim, &t.header),
		t.claims.HeaderNow(ctx, t.To, &t.now.Header),
	}
}

func (t *toggle) readActor(ctx context.Context) (err error) {
	read := t.store.truths.Users.Actor
	if t.erased != nil {
		read = t.store.authorName
	}
	t.actor, err = read(ctx, t.User)
	return err
}

func (t *toggle) apply(ctx context.Context, note *journal.Note) (err error) {
	if t.header.Version == 0 {
		t.header = t.now.Header
	}
	if t.stood = t.claim.Stands == t.given; t.stood {
		t.now, err = t.standing(ctx)
	} else {
		t.now, err = t.change(ctx, note)
	}
	if err == nil && t.stood && t.now.Closed {
		err = t.Of.Parent.ErrAbsent()
	}
	return err
}

// change sets the claim to what it shall be and was not.
func (t *toggle) change(ctx context.Context, note *journal.Note) (counted.Outcome, error) {
	c := counted.Change[truth.Reaction]{
		Row: t.User.UUID, Field: t.Of.Parent.Field(), Delta: -1, Floor: t.actor.Stamp, Seen: t.header,
		Before: note.Before(&t.claim.By, t.passDeletion), Entries: t.entries(note.Command), Reread: t.reread(note.Command),
	}
	if t.given {
		c.Delta, c.Floor = 1, 0
	}
	now, err := t.claims.Commit(ctx, t.To, c)
	if err != nil {
		return now, err
	}
	if t.claim.Stands = t.given; !t.claim.Made() {
		t.claim.At = t.first
	}
	return now, nil
}

// standing answers for a claim that is what it shall be.
func (t *toggle) standing(ctx context.Context) (now counted.Outcome, err error) {
	if !t.claim.Made() { // then no header came with it
		t.header, err = t.claims.Header(ctx, t.To)
	}
	return counted.Outcome{Header: t.header, Own: t.header.Rows}, err
}

// passDeletion raises the actor's stamp before a reaction is given again: its row was deleted as of the claims' stamp,
// and the copy of the username beside it must be written above that.
func (t *toggle) passDeletion(ctx context.Context, now counted.Header) error {
	if !t.given || !t.claim.Made() || t.actor.Stamp > now.Stamp {
		return nil
	}
	raised, err := t.store.truths.Users.RaiseStamp(ctx, t.User, now.Stamp)
	t.actor = raised.Name()
	return err
}

func (t *toggle) entries(command blog.CommandID) func(counted.Header) []cql.Bound {
	statements := tables.Reactions[t.Of]
	return func(counted.Header) []cql.Bound {
		to, user, by := cql.ID(t.To), cql.ID(t.User.UUID), t.claim.By.With(command)
		switch {
		case !t.given:
			return []cql.Bound{statements.TakeBack.With(by, to, user)}
		case t.claim.Made():
			return []cql.Bound{statements.Again.With(by, to, user)}
		default:
			return []cql.Bound{statements.First.With(t.first, by, to, user)}
		}
	}
}

// reread is told the claim as it is. Where it is what it shall be and the command did not make it so, the
// claim stood, as for a command that comes later.
func (t *toggle) reread(command blog.CommandID) func(truth.Reaction, bool) (bool, error) {
	return func(now truth.Reaction, _ bool) (stands bool, err error) {
		t.claim = now
		stands = t.claim.Stands == t.given
		t.stood = stands && !now.By.Has(command)
		return stands, nil
	}
}

// deleteAgain deletes the row of a reaction that was taken back once more if its user was renamed or erased
// meanwhile: the rename may have written the username above the deletion, into a row that is gone. So recovery does.
func (t *toggle) deleteAgain(ctx context.Context) error {
	name, err := t.store.truths.Users.AccountAgain(ctx, t.User)
	if err == nil && name.Stamp != t.actor.Stamp {
		_, err = t.store.finishReaction(ctx, t.intent(), 0)
	}
	return err
}

// follow is what follows also where the claim was what it shall be: the command that made it so may have ended before
// it wrote that. Writing it again does no harm: the header was read with the claim, so its stamp is not above that of
// a later change, nor above what such a change raises the user's to.
func (t *toggle) follow() effects {
	if !t.claim.Made() {
		return effects{untold: true} // of what was never given and never taken back
	}
	v := ofReaction(t.ReactionKey, t.parent, t.claim, t.now.Count(), t.actor)
	v.untold = t.stood
	switch {
	case !t.given:
		v.afterReply = t.deleteAgain
	case t.Of == blog.Follows && !t.stood:
		follow := t.Of.By(t.actor.Author(), t.To, t.claim.At, true)
		v.afterReply = func(ctx context.Context) error { return cascade.Gather(ctx, t.store.db, follow) }
	}
	return v
}
