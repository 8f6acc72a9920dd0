package cassandra

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

const (
	selectKeyspace = `SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?`
	selectTable    = `SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?`
	selectHistory  = `SELECT version, name, checksum, applied_at FROM schema_migrations WHERE history = 0`
	insertHistory  = `INSERT INTO schema_migrations (history, version, name, checksum, applied_at) VALUES (0, ?, ?, ?, ?) IF NOT EXISTS`
)

// historyTable is the record of the migrations that were applied.
const historyTable = "schema_migrations"

// createHistory returns the statement that creates the record. Its id follows from
// the keyspace's name.
func createHistory(keyspace string) string {
	sum := sha256.Sum256([]byte(historyTable + " of keyspace " + keyspace))
	id := gocql.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made by ourselves
	return fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s.%s (
    history    int, -- constant 0
    version    int,
    holder     uuid static, -- of the lock
    name       text,
    checksum   text,
    applied_at timestamp,
    PRIMARY KEY ((history), version)
) WITH id = %s;
`, keyspace, historyTable, id)
}

// history returns every migration with what the record says of it.
func (m *migrator) history(ctx context.Context) ([]Migration, error) {
	if m.session == nil {
		cluster, err := m.config.cluster(m.config.Keyspace)
		if err != nil {
			return nil, err
		}
		cluster.MaxWaitSchemaAgreement = agreementTimeout
		if m.session, err = connect(ctx, cluster); err != nil {
			return nil, err
		}
	}
	var applied map[int]appliedMigration
	err := again(ctx, func() (err error) {
		applied, err = readHistory(ctx, m.session)
		return err
	})
	if err != nil {
		return nil, err
	}
	return reconcile(migrations(), applied)
}

func (m *migrator) record(ctx context.Context, step Migration) error {
	return again(ctx, func() error {
		_, err := conditional(ctx, m.session, nil, insertHistory, step.Version, step.Name, step.checksum(), step.AppliedAt)
		return err
	})
}

func readHistory(ctx context.Context, session *gocql.Session) (map[int]appliedMigration, error) {
	applied := map[int]appliedMigration{}
	scanner := session.Query(selectHistory).WithContext(ctx).Iter().Scanner()
	for scanner.Next() {
		var version *int
		var row appliedMigration
		if err := scanner.Scan(&version, &row.name, &row.checksum, &row.at); err != nil {
			return nil, convert(ctx, err)
		}
		if version != nil { // null where only the lock stands
			applied[*version] = row
		}
	}
	err := scanner.Err()
	var refused gocql.RequestError
	if errors.As(err, &refused) && refused.Code() == gocql.ErrCodeInvalid {
		return nil, &blog.Error{Kind: blog.Unavailable, Message: "a node does not know the schema yet", Err: err}
	}
	return applied, convert(ctx, err)
}

// keyspaceReplication returns errAbsent where there is no such keyspace.
func keyspaceReplication(ctx context.Context, session *gocql.Session, keyspace string) (replication, error) {
	var option map[string]string
	err := session.Query(selectKeyspace, keyspace).WithContext(ctx).Consistency(gocql.One).Scan(&option)
	if err == gocql.ErrNotFound {
		return nil, errAbsent
	}
	return replicationFrom(option), convert(ctx, err)
}

func tableExists(ctx context.Context, session *gocql.Session, keyspace, table string) (bool, error) {
	err := session.Query(selectTable, keyspace, table).WithContext(ctx).Consistency(gocql.One).Scan(&table)
	if err == gocql.ErrNotFound {
		return false, nil
	}
	return err == nil, convert(ctx, err)
}
