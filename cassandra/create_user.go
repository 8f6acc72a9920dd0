package cassandra

import (
	"context"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// CreateUser claims the subject, the name and the address, each in its own table,
// and then writes the user. A claim that is refused gives the ones before it back.
func (s *Store) CreateUser(ctx context.Context, c blog.CreateUser) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	ctx, cancel := s.commandContext(ctx)
	defer cancel()
	return once(ctx, s, keyed[blog.User]{
		idempotency: c.Idempotency,
		object:      func() blog.UUID { return s.ids.User().UUID },
		run:         func(ctx context.Context, ids attemptIDs) (blog.User, error) { return s.createUser(ctx, c, ids) },
		again: func(ctx context.Context, object blog.UUID) (blog.User, error) {
			return s.UserByID(ctx, blog.UserID{UUID: object})
		},
	})
}

func (s *Store) createUser(ctx context.Context, c blog.CreateUser, ids attemptIDs) (blog.User, error) {
	u := blog.User{
		ID: blog.UserID{UUID: ids.object}, Subject: c.Subject, Username: c.Username, Email: c.Email,
		DisplayName: c.DisplayName, Bio: c.Bio, Version: 1, Stamp: blog.NextStamp(s.clock, 0),
	}
	err := s.record(ctx, ids.entry, intent{Command: ids.command, Kind: "createUser", Actor: u.ID, Subject: u.Subject, New: claimedNames(u, ids.command)})
	if err != nil {
		return blog.User{}, err
	}
	if err := s.takeAll(ctx, claimsOf(u, ids.command)); err != nil {
		s.giveUp(ctx, ids, err)
		return blog.User{}, err
	}
	if u, err = s.insertUser(ctx, u, ids.command); err != nil {
		return blog.User{}, err
	}
	s.publish(ctx, ids.entry, views{copies: blog.UserCopies(u)})
	return u, nil
}

// insertUser writes the truth. Whoever runs the same command at the same time
// may be first; then it is that one's row that counts.
func (s *Store) insertUser(ctx context.Context, u blog.User, command blog.CommandID) (blog.User, error) {
	err := s.insist(ctx, func(ctx context.Context) error {
		applied, current, err := s.compareAndSet(ctx, insertUser.with(id(u.ID.UUID), u.Subject, u.Username, u.Email,
			u.DisplayName, u.Bio, u.Version, u.Stamp, id(command.UUID)))
		switch {
		case err != nil || applied:
			return err
		case current["command_id"] == gocql.UUID(command.UUID) && current["username"] != "":
			u.Stamp = current["stamp"].(int64)
			return nil
		default:
			return errGivenUp
		}
	})
	return u, err
}

// errGivenUp says that somebody has decided, by a row in the user's place, that the
// command shall not happen.
var errGivenUp = blog.Errorf(blog.Timeout, "the account was not made in time; try again")

// claimsOf returns the claims that a new user needs.
func claimsOf(u blog.User, command blog.CommandID) []claim {
	claims := []claim{
		{subjectClaims, u.Subject, u.ID, command},
		{usernameClaims, blog.UsernameKey(u.Username), u.ID, command},
	}
	if u.Email != nil {
		claims = append(claims, claim{emailClaims, blog.EmailKey(*u.Email), u.ID, command})
	}
	return claims
}

// takeAll makes claims in order, and gives back what it took where one is refused;
// that one too, for an earlier attempt at it whose answer was lost may come late.
func (s *Store) takeAll(ctx context.Context, claims []claim) error {
	for i, c := range claims {
		err := s.take(ctx, c)
		if err == nil {
			continue
		}
		if blog.KindOf(err) == blog.Taken {
			if failed := s.releaseAll(ctx, claims[:i+1]); failed != nil {
				return failed
			}
		}
		return err
	}
	return nil
}

func claimedNames(u blog.User, command blog.CommandID) *names {
	n := &names{Username: blog.UsernameKey(u.Username), UsernameClaim: command}
	if u.Email != nil {
		n.Email, n.EmailClaim = blog.EmailKey(*u.Email), command
	}
	return n
}
