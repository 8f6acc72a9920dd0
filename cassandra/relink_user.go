package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/journal"
)

// RelinkUser claims the subject, writes it into the truth, and releases the one of before.
func (s *Store) RelinkUser(ctx context.Context, c blog.RelinkUser) (blog.User, error) {
	ctx, end, err := s.startValid(ctx, c.Validate)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	u, err := s.editUser(ctx, journal.Intent{Kind: journal.RelinkUser, User: &c.User}, c.After)
	return u, noSuchUser(err)
}
