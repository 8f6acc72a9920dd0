package migrate

import (
	"context"
	"encoding/json"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// A table that a migration brings to a keyspace with data does not hold what stands there before
// it is built. Until then a checkpoint says so, which the end of the rebuild removes. A server of a
// program that does not know the migration writes the checkpoint again: the table lacks what that
// server writes.
const (
	anyUser        = `SELECT user_id FROM users_by_id LIMIT 1`
	insertUnbuilt  = `INSERT INTO checkpoints (name, version, position) VALUES (?, 1, '{}') IF NOT EXISTS`
	selectPosition = `SELECT position FROM checkpoints WHERE name = ?`
	selectUnbuilt  = `SELECT version FROM checkpoints WHERE name = ?`
)

// UnbuiltName is that of the checkpoint of a table that is to be built.
func UnbuiltName(table blog.Table) string { return "unbuilt/" + string(table) }

// RebuildName is that of the checkpoint of a rebuild.
func RebuildName(table blog.Table) string { return "rebuild/" + string(table) }

// MoveName is that of the checkpoint of a table whose key changes: package move.
func MoveName(table blog.Table) string { return "move/" + string(table) }

// Moved is what that checkpoint holds. Without it the phase is the first, "old".
type Moved struct {
	Phase string `json:"phase"`
}

// Table returns what a migration makes, if it makes a table: that is its name.
func (m Migration) Table() blog.Table { return blog.Table(m.Name) }

// later are the tables of copies that came after the first release. One that replaces another has phases instead: package move.
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

// phase returns how far a table has come with the change of its key.
func (m *migrator) phase(ctx context.Context, table blog.Table) (string, error) {
	var text string
	iter := m.db().Ask(ctx, selectPosition, MoveName(table))
	iter.Scan(&text)
	if err := iter.Close(); err != nil || text == "" {
		return "old", cql.Convert(ctx, err)
	}
	var at Moved
	err := json.Unmarshal([]byte(text), &at)
	return at.Phase, err
}

// withUnbuilt says of each migration whether its table is to be built, or how far it has taken the place of another.
func (m *migrator) withUnbuilt(ctx context.Context, all []Migration) ([]Migration, error) {
	unbuilt, err := NewRecord(m.db(), m.config).Unbuilt(ctx)
	if notInSchema(err) { // that of checkpoints is not applied
		return all, nil
	}
	for i, step := range all {
		all[i].Unbuilt = slices.Contains(unbuilt, step.Table())
		if d := step.Table().Declaration(); d != nil && d.Replaces != "" && err == nil {
			all[i].Phase, err = m.phase(ctx, d.Replaces)
		}
	}
	return all, err
}
