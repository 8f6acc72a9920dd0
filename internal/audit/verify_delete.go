package audit

import (
	"context"
	"errors"

	"broadsheet/blog"
)

// Deletion is what a repair is about to delete in one table. [Verifying.Plan] gets it before
// anything is deleted.
//
// Many deletions are a sign that a truth is missing. So unless that is forced, nothing is deleted in any table if one of
// them is to lose more than a hundredth of its rows, and more than ten, nor copies whose subject no truth knows, which it
// may be restored from. A truth is never deleted because another is lost.
type Deletion struct {
	Table blog.Table
	Rows  int  // to be deleted
	Of    int  // rows of the table
	Left  bool // an older program has left them, that does not know the table: they are deleted however many they are
}

const (
	// deletedFreely is how many rows of a table are deleted unasked: a small store has to be mended, too.
	deletedFreely = 10
	// deletedOfRows is the share above it: one row of so many.
	deletedOfRows = 100
)

// Refused reports whether the deletion has to be forced.
func (d Deletion) Refused() bool {
	return !d.Left && d.Rows > max(deletedFreely, d.Of/deletedOfRows)
}

var (
	errTooManyDeletions = errors.New("more than a hundredth of a table's rows was to be deleted, so nothing is: see whether a truth is lost; if not, force it")
	errMeanwhile        = errors.New("it changed before it was to be deleted: repair again")
)

const cutOff = "the repair was cut off before its deletions: repair again"

// plan keeps a deletion for the end.
func (v *verification) plan(d Drift, full bool) {
	v.mu.Lock()
	v.toDelete[d.Table] += d.Deletes
	if d.Left = cutOff; !full {
		v.planned = append(v.planned, d)
	}
	v.mu.Unlock()
	if full {
		d.Left = tooMuch
		v.drifted(d)
	}
}

// deletions returns what is planned, table by table.
func (v *verification) deletions() (plan []Deletion, refused bool) {
	for _, table := range v.tables {
		if rows := v.toDelete[table]; rows > 0 {
			d := Deletion{table, rows, v.reports[table].Rows, table == v.lacking}
			plan, refused = append(plan, d), refused || d.Refused()
		}
	}
	return plan, refused && !v.Force
}

// delete reports what is to be deleted, and does it unless that is too much.
func (v *verification) delete(ctx context.Context) error {
	plan, refused := v.deletions()
	if len(plan) == 0 {
		return nil
	}
	if v.Plan != nil {
		v.Plan(plan)
	}
	return atOnce(ctx, len(v.planned), v.Concurrency, func(ctx context.Context, i int) error {
		d, err := &v.planned[i], errTooManyDeletions
		if !refused {
			err = v.deleteOne(ctx, *d)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if d.Left = ""; err != nil {
			d.Left = err.Error()
			return nil
		}
		v.drifted(*d)
		return nil
	})
}

// deleteOne looks once more, for much may have happened since, and deletes. An error says that it is something
// else by now.
func (v *verification) deleteOne(ctx context.Context, d Drift) error {
	now, err := look(ctx, v.reader, v.reader.Certain(), suspect{Drift: d})
	switch {
	case err != nil || now.right():
		return err
	case now.Kind != d.Kind:
		return errMeanwhile
	}
	return v.mend(ctx, d)
}
