package naive

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"

	"github.com/gocql/gocql"
)

//go:embed schema/*.cql
var schemaFiles embed.FS

// Create makes the keyspace with both versions' tables. Invalid: it is there already.
func Create(ctx context.Context, c cassandra.Config) error {
	paths, err := fs.Glob(schemaFiles, "schema/*.cql")
	if err != nil {
		return err
	}
	slices.Sort(paths)
	var tables []string
	for _, path := range paths {
		text, err := schemaFiles.ReadFile(path)
		if err != nil {
			return err
		}
		tables = append(tables, string(text))
	}
	return CreateKeyspace(ctx, c.Config, tables...)
}

// schemaTimeout is how long a change of the schema may take on one node, which may have others to make and little of a processor.
const schemaTimeout = 10 * time.Minute

// KeyspaceExists reports whether the keyspace is there, with whatever tables.
func KeyspaceExists(ctx context.Context, c cluster.Config) (exists bool, err error) {
	err = anywhere(ctx, c, func(session *gocql.Session, _ cluster.Nodes) error {
		found := session.Query("SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?", c.Keyspace).WithContext(ctx).Iter()
		exists = found.NumRows() > 0
		return found.Close()
	})
	return exists, err
}

// CreateKeyspace creates a keyspace that is no store's, and in it what scripts say. Invalid: it is there
// already.
func CreateKeyspace(ctx context.Context, c cluster.Config, scripts ...string) error {
	exists, err := KeyspaceExists(ctx, c)
	if err != nil {
		return err
	}
	if exists {
		return blog.Errorf(blog.Invalid, "the keyspace %s is there already", c.Keyspace)
	}
	err = anywhere(ctx, c, func(session *gocql.Session, nodes cluster.Nodes) error {
		replication, err := cluster.ParseReplication(c.WithDefaults().Replication)
		if err != nil {
			return err
		}
		if replication, err = replication.In(nodes); err != nil {
			return err
		}
		return alter(ctx, session, fmt.Sprintf("CREATE KEYSPACE %s WITH replication = %s", c.Keyspace, replication.CQL()))
	})
	if err != nil {
		return err
	}
	session, err := patient(c).Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, script := range scripts {
		for statement := range strings.SplitSeq(script, ";") {
			if statement = strings.TrimSpace(statement); statement == "" {
				continue
			}
			if err := alter(ctx, session, statement); err != nil {
				return err
			}
		}
	}
	return nil
}

// DropKeyspace drops the keyspace with all that it holds. Where there is none it does nothing.
func DropKeyspace(ctx context.Context, c cluster.Config) error {
	return anywhere(ctx, c, func(session *gocql.Session, _ cluster.Nodes) error {
		return alter(ctx, session, "DROP KEYSPACE IF EXISTS "+c.Keyspace) // Validate allows plain names only
	})
}

// patient returns the configuration of a session that changes the schema.
func patient(c cluster.Config) cluster.Config {
	c = c.WithDefaults()
	c.Timeout = max(c.Timeout, schemaTimeout)
	return c
}

// anywhere gives do a session without a keyspace, and the nodes of the cluster.
func anywhere(ctx context.Context, c cluster.Config, do func(session *gocql.Session, nodes cluster.Nodes) error) error {
	if err := c.Check(); err != nil {
		return err
	}
	session, nodes, err := patient(c).ConnectAnywhere(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	return do(session, nodes)
}

// alter makes a change of the schema, and waits until the nodes agree on it.
func alter(ctx context.Context, session *gocql.Session, change string) error {
	if err := session.Query(change).WithContext(ctx).Exec(); err != nil {
		return fmt.Errorf("%w in %s", err, change)
	}
	return session.AwaitSchemaAgreement(ctx)
}
