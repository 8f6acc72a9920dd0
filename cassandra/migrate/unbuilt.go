package migrate

import (
	"context"
	"slices"

	"broadsheet/blog"
)

// A table that a migration brings to a keyspace with data does not hold what stands there before
// it is built. Until then a checkpoint says so, which the end of the rebuild removes. A server of a
// program that does not know the migration writes the checkpoint again: the table lacks what that
// server writes.
const (
	anyUser       = `SELECT user_id FROM users_by_id LIMIT 1`
	insertUnbuilt = `INSERT INTO checkpoints (name, version, position) VALUES (?, 1, '{}') IF NOT EXISTS`
	selectUnbuilt = `SELECT version FROM checkpoints WHERE name = ?`
)

// UnbuiltName is that of the checkpoint of a table that is to be built.
func UnbuiltName(table blog.Table) string { return "unbuilt/" + string(table) }

// Table returns what a migration makes, if it makes a table: that is its name.
func (m Migration) Table() blog.Table { return blog.Table(m.Name) }

// later are the tables of copies that came after the first release.
var later = func() (tables []blog.Table) {
	checkpoints := false
	for _, m := range migrations() {
		if checkpoints && slices.Contains(blog.Rebuildable(), m.Table()) {
			tables = append(tables, m.Table())
		}
		checkpoints = checkpoints || m.Table() == blog.Checkpoints
	}
	return tables
}()

// markUnbuilt writes down that a table which a migration brought to a keyspace with data is to be built.
func (m *migrator) markUnbuilt(ctx context.Context, step Migration) error {
	return again(ctx, func() error {
		populated, err := exists(ctx, m.db().Ask(ctx, anyUser))
		if err == nil && populated {
			_, _, err = m.conditional(ctx, insertUnbuilt, UnbuiltName(step.Table()))
		}
		return err
	})
}

// Unbuilt returns the tables that are to be built.
func (r Record) Unbuilt(ctx context.Context) (tables []blog.Table, err error) {
	for _, table := range later {
		unbuilt, err := exists(ctx, r.db.Ask(ctx, selectUnbuilt, UnbuiltName(table)))
		if err != nil {
			return nil, err
		}
		if unbuilt {
			tables = append(tables, table)
		}
	}
	return tables, nil
}

// withUnbuilt says of each migration whether its table is to be built.
func (m *migrator) withUnbuilt(ctx context.Context, all []Migration) ([]Migration, error) {
	unbuilt, err := NewRecord(m.db(), m.config).Unbuilt(ctx)
	if notInSchema(err) { // that of checkpoints is not applied
		return all, nil
	}
	for i, step := range all {
		all[i].Unbuilt = slices.Contains(unbuilt, step.Table())
	}
	return all, err
}
