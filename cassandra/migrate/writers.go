package migrate

import (
	"cmp"
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// Servers at LOCAL_SERIAL in two datacentres decide conditional writes apart. So a keyspace that has replicas in several
// says in a checkpoint how these are made: in which datacentre, or at SERIAL.
const (
	selectWriters = `SELECT position FROM checkpoints WHERE name = 'writers'`
	updateWriters = `UPDATE checkpoints SET version = 1, position = ? WHERE name = 'writers' IF position = ?`
	anyLease      = `SELECT name FROM leases LIMIT 1`
)

// errWriters returns an Invalid error where servers write that decide apart from those of this configuration.
func errWriters(noted, own string) error {
	if noted == "" || noted == own {
		return nil
	}
	return blog.Errorf(blog.Invalid, "conditional writes of the keyspace are made at %s; at %s they would be decided apart from those: "+
		"name that datacentre, or, where no server of it runs any more, run `broadsheet migrate failover`", noted, own)
}

// writers returns how conditional writes are made, empty where that is not noted: as each datacentre says, or, while one is
// away, this one.
func (m *migrator) writers(ctx context.Context) (noted string, err error) {
	for _, level := range []gocql.Consistency{gocql.EachQuorum, gocql.LocalQuorum} {
		if noted, err = readWriters(ctx, m.session.Query(selectWriters).WithContext(ctx).Consistency(level).Iter()); blog.KindOf(err) != blog.Unavailable {
			break
		}
	}
	return noted, err
}

func readWriters(ctx context.Context, read *gocql.Iter) (noted string, err error) {
	read.Scan(&noted)
	err = cql.Convert(ctx, read.Close())
	return noted, err
}

// noteWriters notes that conditional writes are made as this configuration says, and not as before.
func (m *migrator) noteWriters(ctx context.Context, before string, serial gocql.SerialConsistency, level gocql.Consistency) error {
	was := &before
	if before == "" {
		was = nil
	}
	_, err := m.session.Query(updateWriters, m.config.Writers(), was).WithContext(ctx).
		SerialConsistency(serial).Consistency(level).MapScanCAS(map[string]any{})
	return cql.Convert(ctx, err)
}

// settleWriters fails where conditional writes are made otherwise than this configuration says, or are not noted and are
// not to be noted by it.
func (m *migrator) settleWriters(ctx context.Context, note bool) error {
	if len(m.replicas) < 2 {
		return nil
	}
	if err := m.connect(ctx); err != nil {
		return err
	}
	noted, err := m.writers(ctx)
	if err == nil && noted == "" && note {
		err = m.noteWriters(ctx, "", gocql.Serial, gocql.EachQuorum)
	}
	if err == nil && noted == "" {
		noted, err = m.writers(ctx)
	}
	if err == nil && noted == "" {
		err = errOldSchema("the keyspace %s is in %d datacentres, and which one writes is not noted", m.config.Keyspace, len(m.replicas))
	}
	return cmp.Or(err, errWriters(noted, m.config.Writers()))
}

// Failover notes that conditional writes are made as a configuration says, and returns how they were before. lost says that
// a datacentre may be away: what was acknowledged there, and has not arrived here, is lost. Invalid: a server still runs,
// or there is one datacentre only. Unavailable: a datacentre does not answer.
func Failover(ctx context.Context, c cluster.Config, lost bool) (before string, err error) {
	m, err := newMigrator(ctx, c)
	if err != nil {
		return "", err
	}
	defer m.close()
	if _, err = m.keyspace(ctx); err == nil {
		err = m.connect(ctx)
	}
	if err == nil && len(m.replicas) < 2 {
		err = blog.Errorf(blog.Invalid, "the keyspace %s has replicas in one datacentre only", c.Keyspace)
	}
	if err != nil {
		return "", err
	}
	if before, err = m.writers(ctx); err != nil || before == m.config.Writers() {
		return before, err
	}
	running, err := exists(ctx, m.session.Query(anyLease).WithContext(ctx).Consistency(gocql.LocalQuorum).Iter())
	if err == nil && running {
		err = blog.Errorf(blog.Invalid, "a server ran within the last 20 s: stop all, in every datacentre, and run this again")
	}
	if err == nil {
		err = m.noteWriters(ctx, before, gocql.Serial, gocql.EachQuorum)
	}
	if blog.KindOf(err) == blog.Unavailable && lost {
		err = m.noteWriters(ctx, before, gocql.LocalSerial, gocql.LocalQuorum)
	} else if blog.KindOf(err) == blog.Unavailable {
		err = &blog.Error{Kind: blog.Unavailable, Message: "a datacentre does not answer: if it is lost, --lost goes on without it, and without what has not arrived here", Err: err}
	}
	if err != nil {
		return before, err
	}
	noted, err := m.writers(ctx)
	return before, cmp.Or(err, errWriters(noted, m.config.Writers()))
}
