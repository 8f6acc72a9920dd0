package cassandra

import (
	"context"

	"broadsheet/blog"
)

// What tests of this package need to reach inside.

// ErrHeld says that a job is done by another.
var ErrHeld = errHeld

// SpreadName runs the job of a rename.
func (s *Store) SpreadName(ctx context.Context, command blog.CommandID, user blog.UserID) error {
	return s.spreadName(ctx, command, user)
}

// SweepPost runs the job of a deletion.
func (s *Store) SweepPost(ctx context.Context, post blog.PostID) error { return s.sweepPost(ctx, post) }

// WriteCopies writes copies, as a batch that comes late does.
func (s *Store) WriteCopies(ctx context.Context, copies []blog.Copy) error {
	return s.writeCopies(ctx, copies)
}

// ReadJobsBy makes jobs read so many rows at once.
func (s *Store) ReadJobsBy(rows int) { s.jobPage = rows }

// Crash ends a store as the death of its process does: nothing more is written.
func (s *Store) Crash() {
	s.session.Close()
	s.background.cancel()
}
