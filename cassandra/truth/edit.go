package truth

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// Edit brings an edit of a truth that remembers its edits into it, and settles what became of
// an attempt: no outcome is guessed.
type Edit struct {
	Command blog.CommandID
	unsure  int         // the version that the first attempt whose answer was lost went by; 0: none
	others  cql.Contest // for the truth
}

// NewEdit returns a command's edit of the row of a table that has a key.
func NewEdit(command blog.CommandID, table blog.Table, key any) Edit {
	return Edit{Command: command, others: cql.Contest{Table: table, Key: key}}
}

// Attempt makes the edit under the guard of a version and stamp, and reports whether it was
// applied. Where that is not known, or it was refused, reread returns the truth as it is now,
// by a serial read. With the same version and stamp the same attempt may be made again, for
// only one of two under one guard can pass it. Otherwise an attempt whose answer was lost is
// in the truth's history or will never be applied.
func (e *Edit) Attempt(ctx context.Context, db *cql.Session, under Guard, write cql.Bound, reread func(context.Context) (History, int, error)) (applied bool, err error) {
	applied, _, err = db.CompareAndSet(ctx, write)
	lost := err != nil
	switch {
	case applied && !lost:
		return true, nil
	case lost && blog.KindOf(err) == blog.Internal:
		return false, err
	case lost:
		e.Lost(under.Version)
	}
	if err := e.others.Again(ctx, under, lost); err != nil {
		return false, err
	}
	var by History
	var version int
	err = cql.Insist(ctx, func(ctx context.Context) error {
		by, version, err = reread(ctx)
		return err
	})
	if err != nil {
		return false, err
	}
	return e.In(by, version)
}

// Lost says that the answer to an attempt which went by a version did not come.
func (e *Edit) Lost(version int) {
	if e.unsure == 0 {
		e.unsure = version
	}
}

// In reports whether the edit is in a truth, by its history as of a version. An attempt that
// was refused for certain is not.
func (e *Edit) In(by History, version int) (applied bool, err error) {
	switch {
	case e.unsure == 0:
		return false, nil
	case by.Has(e.Command):
		return true, nil
	case !by.tellsSince(e.unsure, version):
		return false, ErrUnknown
	}
	return false, nil
}

// Unsure reports whether the answer to an attempt was lost.
func (e *Edit) Unsure() bool { return e.unsure > 0 }
