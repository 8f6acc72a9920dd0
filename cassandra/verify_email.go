package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/journal"
)

// VerifyEmail edits an account as its owner would who has proved the address: that is claimed before the
// truth is written, or given back behind it.
func (s *Store) VerifyEmail(ctx context.Context, c blog.VerifyEmail) (blog.User, error) {
	ctx, end, err := s.startValid(ctx, c.Validate)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	in := journal.Intent{Kind: journal.UnverifyEmail, User: &c.User}
	if c.Verified {
		in.Kind = journal.VerifyEmail
	}
	u, err := s.editUser(ctx, in, c.After)
	return u, noSuchUser(err)
}
