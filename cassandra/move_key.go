package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/move"
	"broadsheet/internal/audit"
)

// MoveKey changes the key of a table, as [move.Mover.To] does.
func (s *Store) MoveKey(ctx context.Context, table blog.Table, to move.Phase, how audit.Verifying, reached func(move.Phase)) error {
	mover := s.mover
	mover.Audit = how
	return mover.To(ctx, table, to, reached)
}
