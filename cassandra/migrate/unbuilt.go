package migrate

import (
	"context"
	"regexp"
	"slices"

	"broadsheet/blog"
)

// A table that a migration brings to a keyspace with data does not hold what stands there before
// it is built. Until then a checkpoint says so, which the end of the rebuild removes.
const (
	anyUser       = `SELECT user_id FROM users_by_id LIMIT 1`
	insertUnbuilt = `INSERT INTO checkpoints (name, version, position) VALUES (?, 1, '{}') IF NOT EXISTS`
	selectUnbuilt = `SELECT version FROM checkpoints WHERE name = ?`
)

var createsTable = regexp.MustCompile(`^CREATE TABLE IF NOT EXISTS (\w+)`)

// UnbuiltName is that of the checkpoint of a table that is to be built.
func UnbuiltName(table blog.Table) string { return "unbuilt/" + string(table) }

// brings returns the tables of copies that a migration makes.
func (m Migration) brings() (tables []blog.Table) {
	for _, text := range statements(m.CQL) {
		if made := createsTable.FindStringSubmatch(text); made != nil && slices.Contains(blog.Rebuildable(), blog.Table(made[1])) {
			tables = append(tables, blog.Table(made[1]))
		}
	}
	return tables
}

// later are the tables of copies that came after the first release.
var later = func() (tables []blog.Table) {
	checkpoints := false
	for _, m := range migrations() {
		if checkpoints {
			tables = append(tables, m.brings()...)
		}
		checkpoints = checkpoints || m.Name == string(blog.Checkpoints)
	}
	return tables
}()

// markUnbuilt writes down that what a migration brought to a keyspace with data is to be built.
func (m *migrator) markUnbuilt(ctx context.Context, step Migration) error {
	for _, table := range step.brings() {
		if !slices.Contains(later, table) {
			continue
		}
		err := again(ctx, func() error {
			populated, err := exists(ctx, m.session.Query(anyUser))
			if err == nil && populated {
				_, _, err = m.conditional(ctx, insertUnbuilt, UnbuiltName(table))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Unbuilt returns the tables that are to be built.
func (r Record) Unbuilt(ctx context.Context) (tables []blog.Table, err error) {
	for _, table := range later {
		unbuilt, err := exists(ctx, r.session.Query(selectUnbuilt, UnbuiltName(table)))
		if err != nil {
			return nil, err
		}
		if unbuilt {
			tables = append(tables, table)
		}
	}
	return tables, nil
}

// withUnbuilt says of each migration which of its tables are to be built.
func (m *migrator) withUnbuilt(ctx context.Context, all []Migration) ([]Migration, error) {
	unbuilt, err := NewRecord(m.session).Unbuilt(ctx)
	if notInSchema(err) { // that of checkpoints is not applied
		return all, nil
	}
	for i := range all {
		for _, table := range all[i].brings() {
			if slices.Contains(unbuilt, table) {
				all[i].Unbuilt = append(all[i].Unbuilt, table)
			}
		}
	}
	return all, err
}
