package cassandra

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

const (
	selectKeyspace = `SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?`
	selectTable    = `SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?`
	selectHistory  = `SELECT version, name, checksum, applied_at FROM schema_migrations WHERE history = 0`
	insertHistory  = `INSERT INTO schema_migrations (history, version, name, checksum, applied_at) VALUES (0, ?, ?, ?, ?) IF NOT EXISTS`
	takeLock       = `UPDATE schema_migrations USING TTL ? SET holder = ? WHERE history = 0 IF holder = null`
	renewLock      = `UPDATE schema_migrations USING TTL ? SET holder = ? WHERE history = 0 IF holder = ?`
	releaseLock    = `UPDATE schema_migrations SET holder = null WHERE history = 0 IF holder = ?`
)

const historyTable = "schema_migrations"

const (
	statementTimeout = 30 * time.Second
	agreementTimeout = 30 * time.Second

	// A lock whose holder died is free after this time: more than one statement
	// takes at the worst, with the driver's and our own wait for agreement.
	lockSeconds = 150
)

// Plan returns what Apply would do.
func Plan(ctx context.Context, c Config) ([]Migration, error) {
	all, err := Status(ctx, c)
	return pending(all), err
}

// Status returns every migration that this program knows, and whether it was
// applied. Invalid: the schema is newer than the program, or another's.
func Status(ctx context.Context, c Config) ([]Migration, error) {
	m, err := newMigrator(ctx, c)
	if err != nil {
		return nil, err
	}
	defer m.close()
	first, err := m.keyspace(ctx)
	if err != nil {
		return nil, err
	}
	all := migrations()
	if first.Applied {
		all, err = m.history(ctx)
	}
	return append([]Migration{first}, all...), err
}

// Apply creates the keyspace where it lacks and applies the migrations that lack,
// and calls progress, unless nil, after each. It may be stopped at any point and run
// again, and any number of servers may run it at once.
func Apply(ctx context.Context, c Config, progress func(Migration)) error {
	m, err := newMigrator(ctx, c)
	if err != nil {
		return err
	}
	defer m.close()
	m.progress = func(done Migration) {
		if done.Applied = true; progress != nil {
			progress(done)
		}
	}
	if err := m.create(ctx); err != nil {
		return err
	}
	all, err := m.history(ctx)
	if err != nil || len(pending(all)) == 0 {
		return err
	}
	return m.locked(ctx, m.applyPending)
}

// migrator changes the schema. Two that worked at once on different nodes could
// each create a table of the same name; the nodes would then disagree on which of
// the two it is, for ever. So all but one wait for a lock. It stands beside the
// record in a table of its own, whose creation can't be locked; there the identity
// is fixed beforehand, so that two creations make the same table.
type migrator struct {
	config      Config
	datacenters []string
	anywhere    *gocql.Session
	session     *gocql.Session // on the keyspace; nil while there is none
	holder      gocql.UUID
	progress    func(Migration)
}

func newMigrator(ctx context.Context, c Config) (*migrator, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	c.Timeout = max(c.Timeout, statementTimeout)
	session, datacenters, err := c.connectAnywhere(ctx)
	if err != nil {
		return nil, err
	}
	return &migrator{config: c, datacenters: datacenters, anywhere: session, holder: gocql.MustRandomUUID()}, nil
}

func (m *migrator) close() {
	m.anywhere.Close()
	if m.session != nil {
		m.session.Close()
	}
}

// keyspace returns migration 0: what it would take to have a keyspace and the
// record of migrations.
func (m *migrator) keyspace(ctx context.Context) (Migration, error) {
	first := Migration{Name: "keyspace"}
	found, err := keyspaceReplication(ctx, m.anywhere, m.config.Keyspace)
	switch {
	case err == errAbsent:
		wanted, err := m.wantedReplication()
		if err != nil {
			return first, err
		}
		first.CQL = fmt.Sprintf("CREATE KEYSPACE IF NOT EXISTS %s WITH replication = %s;\n", m.config.Keyspace, wanted.cql())
	case err != nil:
		return first, err
	default:
		if m.config, err = m.config.resolve(m.datacenters, found); err != nil {
			return first, err
		}
		if first.Applied, err = tableExists(ctx, m.anywhere, m.config.Keyspace, historyTable); err != nil || first.Applied {
			return first, err
		}
	}
	first.CQL += createHistory(m.config.Keyspace)
	return first, nil
}

func (m *migrator) wantedReplication() (replication, error) {
	wanted, err := parseReplication(m.config.Replication)
	if err != nil {
		return nil, err
	}
	if wanted, err = wanted.in(m.datacenters); err != nil {
		return nil, err
	}
	_, err = m.config.resolve(m.datacenters, wanted)
	return wanted, err
}

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

// create does what migration 0 takes.
func (m *migrator) create(ctx context.Context) error {
	first, err := m.keyspace(ctx)
	if err != nil || first.Applied {
		return err
	}
	if m.config.Replication == "1" {
		m.config.Log.Warn("each row will be kept on one node only; for data that must not be lost create the keyspace with a replication of 3", "keyspace", m.config.Keyspace)
	}
	for _, cql := range statements(first.CQL) {
		if err := alter(ctx, m.anywhere, cql); err != nil {
			return err
		}
	}
	m.progress(first)
	return nil
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

// applyPending applies what lacks; the caller holds the lock.
func (m *migrator) applyPending(ctx context.Context) error {
	all, err := m.history(ctx)
	if err != nil {
		return err
	}
	for _, step := range pending(all) {
		for _, cql := range statements(step.CQL) {
			if err := m.renew(ctx); err != nil {
				return err
			}
			if err := alter(ctx, m.session, cql); err != nil {
				return err
			}
		}
		step.AppliedAt = blog.Millisecond(time.Now())
		if err := m.record(ctx, step); err != nil {
			return err
		}
		m.progress(step)
	}
	return nil
}

func (m *migrator) record(ctx context.Context, step Migration) error {
	return again(ctx, func() error {
		_, err := conditional(ctx, m.session, nil, insertHistory, step.Version, step.Name, step.checksum(), step.AppliedAt)
		return err
	})
}

// alter makes a change of the schema, when all nodes agree on what it is, and
// waits until they agree again. It is never repeated at once: the first attempt may
// still be under way on another node.
func alter(ctx context.Context, session *gocql.Session, cql string) error {
	if err := agree(ctx, session); err != nil {
		return err
	}
	if err := session.Query(cql).WithContext(ctx).Exec(); err != nil {
		return convert(ctx, fmt.Errorf("%w in %s", err, cql))
	}
	return agree(ctx, session)
}

func agree(ctx context.Context, session *gocql.Session) error {
	err := session.AwaitSchemaAgreement(ctx)
	if err == nil || ctx.Err() != nil {
		return convert(ctx, err)
	}
	return &blog.Error{Kind: blog.Unavailable, Message: "the nodes don't agree on the schema; once all are up, run it again, it goes on where it stopped", Err: err}
}

// locked runs work while this migrator holds the lock.
func (m *migrator) locked(ctx context.Context, work func(context.Context) error) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.config.Timeout)
		defer cancel()
		// Where this fails the lock frees itself, only later.
		_, _ = conditional(ctx, m.session, nil, releaseLock, m.holder)
	}()
	return work(ctx)
}

const (
	pollPause = 500 * time.Millisecond // on average
	attempts  = 10
)

// lock waits for the lock. An attempt whose outcome is not known shows in the next.
func (m *migrator) lock(ctx context.Context) error {
	for waiting := false; ; waiting = true {
		current := map[string]any{}
		free, err := conditional(ctx, m.session, current, takeLock, lockSeconds, m.holder)
		switch {
		case err == nil && (free || current["holder"] == m.holder):
			return nil
		case err != nil && blog.KindOf(err) != blog.Unavailable:
			return err
		case !waiting:
			m.config.Log.Info("waiting for another migration of the same keyspace to end", "error", err)
		}
		if err := wait(ctx, rand.N(2*pollPause)); err != nil {
			return convert(ctx, err)
		}
	}
}

func (m *migrator) renew(ctx context.Context) error {
	var held bool
	err := again(ctx, func() (err error) {
		held, err = conditional(ctx, m.session, nil, renewLock, lockSeconds, m.holder, m.holder)
		return err
	})
	if err == nil && !held {
		err = blog.Errorf(blog.Unavailable, "the migration took so long that its lock ran out; run it again, it goes on where it stopped")
	}
	return err
}

func conditional(ctx context.Context, session *gocql.Session, current map[string]any, cql string, args ...any) (applied bool, err error) {
	if current == nil {
		current = map[string]any{}
	}
	applied, err = session.Query(cql, args...).WithContext(ctx).MapScanCAS(current)
	return applied, convert(ctx, err)
}

// again repeats a step that did not get through, a few times. The step may have
// been done nevertheless and must not mind.
func again(ctx context.Context, step func() error) error {
	for left := attempts; ; left-- {
		err := step()
		if err == nil || blog.KindOf(err) != blog.Unavailable || left == 0 || wait(ctx, rand.N(2*pollPause)) != nil {
			return err
		}
	}
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
