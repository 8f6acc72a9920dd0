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
	selectColumn   = `SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ? AND column_name = ?`
	selectHistory  = `SELECT version, name, checksum, applied_at, serves FROM schema_migrations WHERE history = 0`
	insertHistory  = `INSERT INTO schema_migrations (history, version, name, checksum, applied_at, serves) VALUES (0, ?, ?, ?, ?, ?) IF NOT EXISTS`

	// Of a record from before migrations said which programs they serve.
	selectSilentHistory = `SELECT version, name, checksum, applied_at FROM schema_migrations WHERE history = 0`
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
    serves     int, -- the oldest program that runs on the schema with it
    PRIMARY KEY ((history), version)
) WITH id = %s;
`, keyspace, historyTable, id)
}

// completeHistory returns the statement that a record needs that has no word yet on which
// programs the migrations serve.
func completeHistory(keyspace string) string {
	return fmt.Sprintf("ALTER TABLE %s.%s ADD IF NOT EXISTS serves int;\n", keyspace, historyTable)
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
		_, err := conditional(ctx, m.session, nil, insertHistory, step.Version, step.Name, step.checksum(), step.AppliedAt, step.Serves)
		return err
	})
}

func readHistory(ctx context.Context, session *gocql.Session) (map[int]appliedMigration, error) {
	applied, err := scanHistory(ctx, session, selectHistory, func(scanner gocql.Scanner, version **int, row *appliedMigration) error {
		return scanner.Scan(version, &row.name, &row.checksum, &row.at, &row.serves)
	})
	if !notInSchema(err) {
		return applied, convert(ctx, err)
	}
	applied, err = scanHistory(ctx, session, selectSilentHistory, func(scanner gocql.Scanner, version **int, row *appliedMigration) error {
		return scanner.Scan(version, &row.name, &row.checksum, &row.at)
	})
	if notInSchema(err) {
		return nil, &blog.Error{Kind: blog.Unavailable, Message: "a node does not know the schema yet", Err: err}
	}
	return applied, convert(ctx, err)
}

func scanHistory(ctx context.Context, session *gocql.Session, cql string, scan func(gocql.Scanner, **int, *appliedMigration) error) (map[int]appliedMigration, error) {
	applied := map[int]appliedMigration{}
	scanner := session.Query(cql).WithContext(ctx).Iter().Scanner()
	for scanner.Next() {
		var version *int
		var row appliedMigration
		if err := scan(scanner, &version, &row); err != nil {
			return nil, err
		}
		if version != nil { // null where only the lock stands
			applied[*version] = row
		}
	}
	return applied, scanner.Err()
}

// notInSchema reports whether a statement names what its node does not have.
func notInSchema(err error) bool {
	var refused gocql.RequestError
	return errors.As(err, &refused) && refused.Code() == gocql.ErrCodeInvalid
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

// historyIsComplete reports whether the record has all of its columns.
func historyIsComplete(ctx context.Context, session *gocql.Session, keyspace string) (bool, error) {
	column := "serves"
	err := session.Query(selectColumn, keyspace, historyTable, column).WithContext(ctx).Consistency(gocql.One).Scan(&column)
	return err == nil, convert(ctx, unless(err, gocql.ErrNotFound))
}

func tableExists(ctx context.Context, session *gocql.Session, keyspace, table string) (bool, error) {
	err := session.Query(selectTable, keyspace, table).WithContext(ctx).Consistency(gocql.One).Scan(&table)
	if err == gocql.ErrNotFound {
		return false, nil
	}
	return err == nil, convert(ctx, err)
}
