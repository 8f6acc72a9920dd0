package audit

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// writer looks up the name of a truth's author. If the account was erased while its own list lacked the row, there is
// none, and the truth is settled: nothing else ends it. A truth that a command has begun to delete is in
// flight.
func (s *streams) writer(ctx context.Context, table blog.Table, key []any, user blog.UserID) (blog.Name, error) {
	if user.IsZero() {
		return blog.Name{}, nil
	}
	name, err := s.names.of(ctx, user)
	if err != nil || !s.first || name.Username != "" {
		return name, err
	}
	return name, s.leftStanding(ctx, table, key)
}

// leftStanding settles a truth if it stands though its author was erased, and no command is at work below its post.
func (s *streams) leftStanding(ctx context.Context, table blog.Table, key []any) error {
	for round := range confirmations {
		if round > 0 {
			if err := pace.Wait(ctx, breath(round-1)); err != nil {
				return err
			}
		}
		unfinished, err := s.reader.Unfinished(ctx)
		if err != nil {
			return err
		}
		if left, err := leftOfErased(ctx, s.reader.Certain(), table, key); err != nil || !left {
			return err
		}
		if !unfinished.Posts[inKey[blog.PostID](key)] {
			return s.settle(ctx, Drift{
				Table: table, Kind: LeftErasure, Row: rowName(table, key), Key: key, Problem: "it stands, and its author's account was erased",
			})
		}
	}
	s.inFlight(table)
	return nil
}

// leftOfErased reports whether a truth exists whose author's account was erased.
func leftOfErased(ctx context.Context, t Truths, table blog.Table, key []any) (bool, error) {
	post := inKey[blog.PostID](key)
	if _, lives, err := living(ctx, t, post); err != nil || !lives {
		return false, err
	}
	r, err := trueRow(ctx, t, table, key...)
	if err != nil || !r.Stands() {
		return false, err
	}
	fate, err := FateOf(ctx, t, blog.UsersByID, r.Writer())
	return fate == Erased, err
}
