package audit

import (
	"context"

	"broadsheet/blog"
)

// cachedNames is how many users' names are remembered.
const cachedNames = 1 << 14

// writer looks up the name of a truth's author. If the account was erased while its own list lacked the row, there is
// none, and the truth is suspect: nothing else ends it. What the account wrote keeps its name until it is deleted.
func (s *streams) writer(ctx context.Context, table blog.Table, key []any, user blog.UserID) (blog.Name, error) {
	if user.IsZero() {
		return blog.Name{}, nil
	}
	s.mu.Lock()
	name, known := s.names[user]
	s.mu.Unlock()
	if !known {
		u, err := trueUser(ctx, s.reader, user)
		if err != nil {
			return name, err
		}
		name = u.Name()
		s.mu.Lock()
		if len(s.names) >= cachedNames {
			clear(s.names)
		}
		s.names[user] = name
		s.mu.Unlock()
	}
	if !s.first || name.Username != "" {
		return name, nil
	}
	return name, s.leftErasure(ctx, table, key, "it stands, and its author's account was erased")
}

// leftErasure suspects an account whose erasure has begun, or a truth of an author whose account was erased.
func (v *verification) leftErasure(ctx context.Context, table blog.Table, key []any, problem string) error {
	d := Drift{Table: table, Key: key, Kind: LeftErasure, Problem: problem}
	return v.suspect(ctx, suspect{Drift: d, asked: true})
}

// leftOfErased reports whether an account's erasure has begun, or a truth stands whose author's account was erased.
func leftOfErased(ctx context.Context, t Truths, table blog.Table, key []any) (bool, error) {
	if table == blog.UsersByID {
		u, err := trueUser(ctx, t, key[0].(blog.UserID))
		return u.IsErased(), err
	}
	of, parent := table.Declaration().About, blog.UUID{}
	if of.Parent != nil {
		of = of.Parent
	}
	parent, _ = blog.IDOf(key[0])
	if _, lives, err := living(ctx, t, of, parent); err != nil || !lives {
		return false, err
	}
	r, err := trueRow(ctx, t, table, key...)
	if err != nil || !r.Stands() {
		return false, err
	}
	fate, err := FateOf(ctx, t, blog.UsersByID, r.Writer())
	return fate == Erased, err
}
