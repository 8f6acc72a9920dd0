package migrate

import (
	"context"
	"fmt"

	"broadsheet/blog"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
)

// KeyspaceExists reports whether the keyspace is there, with whatever tables.
func KeyspaceExists(ctx context.Context, c cluster.Config) (bool, error) {
	m, err := newMigrator(ctx, c)
	if err != nil {
		return false, err
	}
	defer m.close()
	_, err = keyspaceReplication(ctx, m.anywhere, m.config.Keyspace)
	if err == cql.ErrAbsent {
		return false, nil
	}
	return err == nil, err
}

// CreateKeyspace creates a keyspace that is no store's, and in it what scripts say.
// Invalid: it is there already.
func CreateKeyspace(ctx context.Context, c cluster.Config, scripts ...string) error {
	m, err := newMigrator(ctx, c)
	if err != nil {
		return err
	}
	defer m.close()
	if _, err := keyspaceReplication(ctx, m.anywhere, m.config.Keyspace); err != cql.ErrAbsent {
		if err == nil {
			err = blog.Errorf(blog.Invalid, "the keyspace %s is there already", m.config.Keyspace)
		}
		return err
	}
	wanted, err := m.wantedReplication()
	if err != nil {
		return err
	}
	if err := alter(ctx, m.anywhere, fmt.Sprintf("CREATE KEYSPACE %s WITH replication = %s", m.config.Keyspace, wanted.CQL())); err != nil {
		return err
	}
	if m.session, err = m.config.Connect(ctx); err != nil {
		return err
	}
	for _, script := range scripts {
		for _, text := range statements(script) {
			if err := alter(ctx, m.session, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// DropKeyspace drops the keyspace with all that it holds. Where there is none it does
// nothing.
func DropKeyspace(ctx context.Context, c cluster.Config) error {
	m, err := newMigrator(ctx, c)
	if err != nil {
		return err
	}
	defer m.close()
	return alter(ctx, m.anywhere, "DROP KEYSPACE IF EXISTS "+m.config.Keyspace) // Validate allows plain names only
}
