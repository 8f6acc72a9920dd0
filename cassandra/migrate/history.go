package migrate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

const (
	selectKeyspace = `SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?`
	selectTable    = `SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?`
	selectServes   = `SELECT column_name FROM system_schema.columns` +
		` WHERE keyspace_name = ? AND table_name = ? AND column_name = 'serves'`
	selectHistory = `SELECT version, name, checksum, applied_at, serves FROM schema_migrations WHERE history = 0`
	insertHistory = `INSERT INTO schema_migrations (history, version, name, checksum, applied_at, serves)` +
		` VALUES (0, ?, ?, ?, ?, ?) IF NOT EXISTS`

	updateServes = `UPDATE schema_migrations SET serves = ? WHERE history = 0 AND version = ? IF EXISTS`

	// Of a record from before migrations said which programs they serve.
	selectSilentHistory = `SELECT version, name, checksum, applied_at FROM schema_migrations WHERE history = 0`
)

// historyTable is the record of the migrations that were applied.
const historyTable = "schema_migrations"

// createHistory returns the statement that creates the record. Its id follows from the keyspace's name.
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

// completeHistory returns the statement for a record that does not say yet which programs migrations serve.
func completeHistory(keyspace string) string {
	return fmt.Sprintf("ALTER TABLE %s.%s ADD IF NOT EXISTS serves int;\n", keyspace, historyTable)
}

// history returns every migration with what the record says of it.
func (m *migrator) history(ctx context.Context) (all []Migration, err error) {
	if err = m.connect(ctx); err != nil {
		return nil, err
	}
	err = again(ctx, func() (err error) {
		all, err = readHistory(ctx, m.db())
		return err
	})
	return all, err
}

// connect opens the session on the keyspace. Its conditional writes are decided by all datacentres: two may migrate at once.
func (m *migrator) connect(ctx context.Context) (err error) {
	if m.session == nil {
		c := m.config
		c.SerialConsistency = "SERIAL"
		m.session, err = c.Connect(ctx)
	}
	return err
}

// db makes statements on the keyspace.
func (m *migrator) db() *cql.Session { return m.config.Session(m.session, nil) }

func (m *migrator) record(ctx context.Context, step Migration) error {
	return again(ctx, func() error {
		_, _, err := m.conditional(ctx, insertHistory, step.Version, step.Name, step.checksum(), step.AppliedAt, step.Serves)
		return err
	})
}

// readHistory returns every migration with what the record of a keyspace says of it. Invalid: the record is
// not one of this program's.
func readHistory(ctx context.Context, db *cql.Session) ([]Migration, error) {
	applied, err := scanHistory(ctx, db, selectHistory, 5)
	if notInSchema(err) {
		applied, err = scanHistory(ctx, db, selectSilentHistory, 4)
	}
	if notInSchema(err) {
		return nil, &blog.Error{Kind: blog.Unavailable, Message: "a node does not know the schema yet", Err: err}
	}
	if err != nil {
		return nil, cql.Convert(ctx, err)
	}
	return reconcile(migrations(), applied)
}

func scanHistory(ctx context.Context, db *cql.Session, text string, columns int) (map[int]appliedMigration, error) {
	applied := map[int]appliedMigration{}
	scanner := db.Ask(ctx, text).Scanner()
	for scanner.Next() {
		var version *int
		var row appliedMigration
		into := []any{&version, &row.name, &row.checksum, &row.at, &row.serves}
		if err := scanner.Scan(into[:columns]...); err != nil {
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
func keyspaceReplication(ctx context.Context, session *gocql.Session, keyspace string) (cluster.Replication, error) {
	var option map[string]string
	err := session.Query(selectKeyspace, keyspace).WithContext(ctx).Consistency(gocql.One).Scan(&option)
	if err == gocql.ErrNotFound {
		return nil, cql.ErrAbsent
	}
	return cluster.ReplicationFrom(option), cql.Convert(ctx, err)
}

// exists reports whether a read finds a row.
func exists(ctx context.Context, iter *gocql.Iter) (bool, error) {
	err := iter.Close()
	return iter.NumRows() > 0, cql.Convert(ctx, err)
}

// Record is what a keyspace says of its schema.
type Record struct {
	db      *cql.Session
	writers string // as they are of this program; empty: it does not write
}

// NewRecord returns the record of the keyspace that a session is on, for a program that writes as a configuration says.
func NewRecord(db *cql.Session, c cluster.Config) Record { return Record{db, c.Writers()} }

// Check returns the migrations that this program does not know. Invalid: it does not run on the schema.
func (r Record) Check(ctx context.Context) ([]Migration, error) {
	all, err := readHistory(ctx, r.db)
	if err != nil {
		return nil, err
	}
	if lack := pending(all); len(lack) > 0 {
		return nil, errOldSchema("the schema lacks migration %d (%s)", lack[0].Version, lack[0].Name)
	}
	noted, err := readWriters(ctx, r.db.Ask(ctx, selectWriters))
	return newer(all), cmp.Or(err, errWriters(noted, r.writers))
}

// Recheck is Check, of a schema that lacked nothing when it was checked first. Unavailable: the
// cluster does not answer, or this program does not run on the schema any more.
func (r Record) Recheck(ctx context.Context) ([]Migration, error) {
	newer, err := r.Check(ctx)
	switch {
	case blog.KindOf(err) == blog.Invalid:
		err = &blog.Error{Kind: blog.Unavailable, Message: err.Error(), Err: err}
	case err != nil:
		err = &blog.Error{Kind: blog.Unavailable, Message: "the Cassandra cluster does not answer", Err: err}
	}
	return newer, err
}

func errOldSchema(format string, args ...any) error {
	return blog.Errorf(blog.Invalid, "%s: run `broadsheet migrate apply`, or serve with --migrate", fmt.Sprintf(format, args...))
}

// Resolve asks the cluster for what the configuration leaves open. Invalid: the keyspace holds no schema, or can't serve.
func Resolve(ctx context.Context, c cluster.Config) (cluster.Config, error) {
	m, err := newMigrator(ctx, c)
	if err != nil {
		return c, err
	}
	defer m.close()
	if _, err := m.keyspace(ctx); err != nil {
		return c, err
	}
	if !m.recorded {
		return c, errOldSchema("the keyspace %s holds no schema", c.Keyspace)
	}
	m.warn(ctx)
	return m.config, m.settleWriters(ctx, false)
}
