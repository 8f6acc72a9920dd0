package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// CreateUser claims the subject, the name and the address, and then writes the user. A claim that is refused gives the
// others back.
func (s *Store) CreateUser(ctx context.Context, c blog.CreateUser) (blog.User, error) {
	ctx, end, err := s.startCommand(ctx, c.Validate)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	return once(ctx, s, &userCreation{CreateUser: c, store: s})
}

type userCreation struct {
	blog.CreateUser
	store   *Store
	user    blog.User // as it shall be
	ids     attemptIDs
	lost    bool      // an attempt at a claim may come late
	created blog.User // as it stands
}

func (c *userCreation) draw() blog.UUID { return c.store.ids.User().UUID }

func (c *userCreation) create(ctx context.Context, ids attemptIDs) (blog.User, error) {
	c.ids, c.user = ids, c.User(blog.UserID{UUID: ids.object}, c.store.clock)
	err := c.store.run(ctx, ids, c)
	return c.created, err
}

func (c *userCreation) again(ctx context.Context, object blog.UUID) (blog.User, error) {
	return c.Repeated(c.store.UserByID(ctx, blog.UserID{UUID: object}))
}

func (c *userCreation) intent() journal.Intent {
	return journal.Intent{Command: c.ids.command, Kind: journal.CreateUser, Actor: c.user.ID, Keys: journal.Keys{
		Subject: c.user.Subject, New: journal.NamesOf(c.user, newClaims(blog.User{}, c.user, c.ids.command)...),
	}}
}

func (c *userCreation) apply(ctx context.Context, note *journal.Note) (err error) {
	c.created, err = c.fill(ctx, note)
	if c.lost {
		err = cql.Unsure(err)
	}
	return err
}

func (c *userCreation) follow() effects {
	copies, _ := blog.CopiesOfUser(c.created)
	return effects{copies: copies, late: c.lost}
}

// fill takes the claims and writes the truth. Another that runs the same command, or that cleaned up after one that
// seemed dead, may have been first. Then the user that stands counts; over a placeholder all is done once more, with
// an intent of its own, for the first one may count as done.
func (c *userCreation) fill(ctx context.Context, note *journal.Note) (blog.User, error) {
	claims := newClaims(blog.User{}, c.user, c.ids.command)
	var before truth.Placeholder
	others := cql.Contest{Table: blog.UsersByID, Key: c.user.ID}
	for {
		if err := c.store.unlessConcluded(ctx, c.ids); err != nil {
			return blog.User{}, err
		}
		for i, claim := range claims {
			lost, err := c.store.truths.Claims.Take(ctx, claim)
			c.lost = c.lost || lost
			if err != nil {
				return c.refuse(ctx, claims[:i+1], err)
			}
		}
		c.user.Stamp = max(c.user.Stamp, before.Stamp+1)
		created, now, err := c.store.truths.Users.Fill(ctx, before, c.user, c.ids.command, note.Keep)
		switch {
		case err != nil || created.Username != "":
			return created, err
		case now.Final:
			return c.refuse(ctx, claims, blog.ByUsername.Taken())
		}
		if err := others.Refused(ctx, before); err != nil {
			return blog.User{}, err
		}
		before = now
		if err := note.Again(ctx); err != nil {
			return blog.User{}, err
		}
	}
}

// refuse ends a createUser one of whose claims is another's, and gives back those that it tried; that one too, for an
// earlier attempt at it whose answer was lost may come late. Where another may run the same command, that one may have
// found the names free: the refusal holds only once no command can create the user any more.
func (c *userCreation) refuse(ctx context.Context, tried []truth.Claim, refusal error) (blog.User, error) {
	if blog.KindOf(refusal) != blog.Taken {
		return blog.User{}, refusal
	}
	if c.ids.key != nil {
		standing, err := c.store.truths.Users.Hold(ctx, c.user.ID, c.ids.command, true)
		switch {
		case err != nil:
			return blog.User{}, err
		case standing != nil:
			return *standing, nil
		}
	}
	if err := c.store.truths.Claims.ReleaseAll(ctx, tried); err != nil {
		return blog.User{}, err
	}
	return blog.User{}, refusal
}
