package cassandra

import (
	"context"
	"fmt"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// Connect opens a session of the driver on the keyspace, with the settings that a
// store's has. It is for packages below this one. Unavailable: no host answers.
func Connect(ctx context.Context, c Config) (*gocql.Session, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	cluster, err := c.withDefaults().cluster(c.Keyspace)
	if err != nil {
		return nil, err
	}
	return connect(ctx, cluster)
}

// KeyspaceStands reports whether the keyspace is there, with whatever tables.
func KeyspaceStands(ctx context.Context, c Config) (bool, error) {
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
func CreateKeyspace(ctx context.Context, c Config, scripts ...string) error {
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
	if err := alter(ctx, m.anywhere, fmt.Sprintf("CREATE KEYSPACE %s WITH replication = %s", m.config.Keyspace, wanted.cql())); err != nil {
		return err
	}
	if m.session, err = Connect(ctx, m.config); err != nil {
		return err
	}
	for _, script := range scripts {
		for _, cql := range statements(script) {
			if err := alter(ctx, m.session, cql); err != nil {
				return err
			}
		}
	}
	return nil
}

// DropKeyspace drops the keyspace with all that it holds. Where there is none it does
// nothing.
func DropKeyspace(ctx context.Context, c Config) error {
	m, err := newMigrator(ctx, c)
	if err != nil {
		return err
	}
	defer m.close()
	return alter(ctx, m.anywhere, "DROP KEYSPACE IF EXISTS "+m.config.Keyspace) // Validate allows plain names only
}
