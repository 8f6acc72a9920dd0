package migrate_test

import (
	"testing"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/testkeyspace"
)

// What a node keeps after it is gone is chosen for each table that expires; the others keep Cassandra's ten
// days, within which nodes are to be repaired.
func TestSettingsOfTables(t *testing.T) {
	t.Parallel()
	cassandratest.Real(t, "what a node says of its tables")
	c := shared.Config(t)
	const threeHours, tenDays = 3 * 60 * 60, 10 * 24 * 60 * 60
	expiring := map[string]bool{
		"journal": true, "changes_by_log": true, "change_logs": true, "change_log_ends": true, "change_claims": true,
		"idempotency_keys": true, "leases": true,
	}
	rows := testkeyspace.Rows(t, c,
		"SELECT table_name, gc_grace_seconds FROM system_schema.tables WHERE keyspace_name = '%s'")
	if len(rows) < len(expiring) {
		t.Fatalf("%d tables", len(rows))
	}
	for _, row := range rows {
		table, grace, want := row["table_name"].(string), row["gc_grace_seconds"].(int), tenDays
		if expiring[table] {
			want = threeHours
		}
		if grace != want {
			t.Errorf("%s: gc_grace_seconds is %d, want %d: a migration chooses it with its reason", table, grace, want)
		}
	}
}
