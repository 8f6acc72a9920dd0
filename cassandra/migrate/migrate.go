package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// statementTimeout is how long a change of the schema may take on one node.
const statementTimeout = 2 * time.Minute

// Plan returns what Apply would do.
func Plan(ctx context.Context, c cluster.Config) ([]Migration, error) {
	all, err := Status(ctx, c)
	return pending(all), err
}

// Status returns every migration of this program, whether it was applied, and those of a newer program that serve this
// one. Invalid: the schema is too new for this program, or another's.
func Status(ctx context.Context, c cluster.Config) ([]Migration, error) {
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
	if m.recorded {
		if all, err = m.history(ctx); err == nil {
			all, err = m.withUnbuilt(ctx, all)
		}
	}
	return append([]Migration{first}, all...), err
}

// Apply creates the keyspace where it lacks and applies the migrations that lack, and calls progress, unless nil, after
// each. It may be stopped at any point and run again, and any number of servers may run it at once.
func Apply(ctx context.Context, c cluster.Config, progress func(Migration)) error {
	c.Timeout = max(c.Timeout, statementTimeout)
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
	if err == nil && len(pending(all)) > 0 {
		err = m.locked(ctx, m.applyPending)
	}
	if err != nil {
		return err
	}
	return m.settleWriters(ctx, true)
}

// migrator changes the schema. Two at once on different nodes could each create a table of the same name, and the nodes
// would disagree on which of the two it is, for ever. So all but one wait for a lock, beside the record in a table
// whose creation can't be locked; that table's id is fixed, so that two creations make the same one.
type migrator struct {
	config   cluster.Config
	nodes    cluster.Nodes
	replicas cluster.Replication // of the keyspace, as it is or will be
	anywhere *gocql.Session
	session  *gocql.Session // on the keyspace; nil while there is none
	recorded bool           // the record of migrations stands
	holder   gocql.UUID
	progress func(Migration)
}

func newMigrator(ctx context.Context, c cluster.Config) (*migrator, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c = c.WithDefaults()
	session, nodes, err := c.ConnectAnywhere(ctx)
	if err != nil {
		return nil, err
	}
	return &migrator{config: c, nodes: nodes, anywhere: session, holder: gocql.MustRandomUUID()}, nil
}

func (m *migrator) close() {
	m.anywhere.Close()
	if m.session != nil {
		m.session.Close()
	}
}

// keyspace returns migration 0: what it takes to have a keyspace and the record of migrations.
func (m *migrator) keyspace(ctx context.Context) (Migration, error) {
	first := Migration{Name: "keyspace"}
	replicas, err := keyspaceReplication(ctx, m.anywhere, m.config.Keyspace)
	absent := err == cql.ErrAbsent
	if absent {
		if replicas, err = cluster.ParseReplication(m.config.Replication); err == nil {
			replicas, err = replicas.In(m.nodes)
		}
		first.CQL = fmt.Sprintf("CREATE KEYSPACE IF NOT EXISTS %s WITH replication = %s;\n", m.config.Keyspace, replicas.CQL())
	}
	if err == nil {
		m.config, err = m.config.Resolve(m.nodes, replicas)
	}
	if err == nil && !absent {
		m.recorded, err = m.shows(ctx, selectTable)
	}
	if err != nil {
		return first, err
	}
	if m.replicas = replicas; absent {
		m.warn(ctx)
	}
	if m.recorded {
		if first.Applied, err = m.shows(ctx, selectServes); err == nil && !first.Applied {
			first.CQL = completeHistory(m.config.Keyspace)
		}
		return first, err
	}
	first.CQL += createHistory(m.config.Keyspace)
	return first, nil
}

// shows reports whether a statement on the system's tables finds something of the record.
func (m *migrator) shows(ctx context.Context, text string) (bool, error) {
	return exists(ctx, m.anywhere.Query(text, m.config.Keyspace, historyTable).WithContext(ctx).Consistency(gocql.One).Iter())
}

// create does what migration 0 takes.
func (m *migrator) create(ctx context.Context) error {
	first, err := m.keyspace(ctx)
	if err != nil || first.Applied {
		return err
	}
	for _, text := range statements(first.CQL) {
		if err := alter(ctx, m.anywhere, text); err != nil {
			return err
		}
	}
	m.progress(first)
	return nil
}

// applyPending applies what lacks; the caller holds the lock.
func (m *migrator) applyPending(ctx context.Context) error {
	all, err := m.history(ctx)
	if err != nil {
		return err
	}
	now := map[blog.Table]bool{} // what this run makes
	for _, step := range pending(all) {
		if err := m.applyAll(ctx, statements(step.CQL)); err != nil {
			return err
		}
		now[step.Table()] = true
		if slices.Contains(later, step.Table()) && !now[step.Table().Declaration().About.Table] { // else there is nothing that it could lack
			if err := m.markUnbuilt(ctx, step); err != nil {
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

// applyAll makes changes of the schema; the caller holds the lock.
func (m *migrator) applyAll(ctx context.Context, changes []string) error {
	for _, text := range changes {
		if err := m.renew(ctx); err != nil {
			return err
		}
		if err := alter(ctx, m.session, text); err != nil {
			return err
		}
	}
	return nil
}

// alter makes a change of the schema when all nodes agree on what it is, and waits until they agree again. It is never
// repeated at once: the first attempt may still be under way on another node.
func alter(ctx context.Context, session *gocql.Session, change string) error {
	if err := agree(ctx, session); err != nil {
		return err
	}
	if err := session.Query(change).WithContext(ctx).Exec(); err != nil {
		return cql.Convert(ctx, fmt.Errorf("%w in %s", err, change))
	}
	return agree(ctx, session)
}

func agree(ctx context.Context, session *gocql.Session) error {
	err := session.AwaitSchemaAgreement(ctx)
	if err == nil || ctx.Err() != nil {
		return cql.Convert(ctx, err)
	}
	return &blog.Error{Kind: blog.Unavailable, Message: "the nodes don't agree on the schema; once all are up, run it again, it goes on where it stopped", Err: err}
}

// Remake makes a table and the columns that were added to it later, where they lack. It holds the lock of migrations:
// two that made the table at once would make two of them.
func Remake(ctx context.Context, c cluster.Config, table blog.Table) error {
	return alone(ctx, c, func(ctx context.Context, m *migrator) error { return m.applyAll(ctx, tableHistory(table)) })
}

// Drop drops a table.
func Drop(ctx context.Context, c cluster.Config, table blog.Table) error {
	return alone(ctx, c, func(ctx context.Context, m *migrator) error {
		return m.applyAll(ctx, []string{"DROP TABLE IF EXISTS " + string(table)})
	})
}

// Retire has the schema serve no program any more that does not know a table.
func Retire(ctx context.Context, c cluster.Config, unknown blog.Table) error {
	return alone(ctx, c, func(ctx context.Context, m *migrator) error {
		for _, step := range migrations() {
			if step.Table() == unknown {
				_, _, err := m.conditional(ctx, updateServes, step.Version, step.Version)
				return err
			}
		}
		return blog.Errorf(blog.Internal, "no migration makes %s", unknown)
	})
}

// alone does work while it holds the lock of migrations.
func alone(ctx context.Context, c cluster.Config, work func(context.Context, *migrator) error) error {
	c.Timeout = max(c.Timeout, statementTimeout)
	m, err := newMigrator(ctx, c)
	if err != nil {
		return err
	}
	defer m.close()
	if _, err := m.keyspace(ctx); err != nil {
		return err
	}
	if _, err := m.history(ctx); err != nil {
		return err
	}
	return m.locked(ctx, func(ctx context.Context) error { return work(ctx, m) })
}

// warn logs what of the cluster is likely not as it should be.
func (m *migrator) warn(ctx context.Context) {
	tables := 1 // the record
	for _, step := range migrations() {
		tables += strings.Count(step.CQL, "CREATE TABLE ")
	}
	m.config.WarnOf(ctx, m.anywhere, m.replicas, tables)
}

// tableHistory returns the statements of all migrations that make or change a table.
func tableHistory(table blog.Table) (texts []string) {
	for _, m := range migrations() {
		for _, text := range statements(m.CQL) {
			if slices.Contains(strings.Fields(text), string(table)) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}
