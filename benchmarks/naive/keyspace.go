package naive

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"io/fs"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"

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
	var scripts []string
	for _, path := range paths {
		text, err := schemaFiles.ReadFile(path)
		if err != nil {
			return err
		}
		scripts = append(scripts, string(text))
	}
	return migrate.CreateKeyspace(ctx, c.Config, scripts...)
}

// Keyspace is an open keyspace that [Create] has made.
type Keyspace struct {
	session  *gocql.Session
	observer blog.Observer
	clock    blog.Clock
	ids      *blog.IDs
}

// Open connects to the keyspace. Unavailable: no host answers.
func Open(ctx context.Context, c cassandra.Config, options blog.Options) (*Keyspace, error) {
	session, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if options.Clock == nil {
		options.Clock = blog.SystemClock{}
	}
	ids := cmp.Or(options.IDs, blog.NewIDs(options.Clock, rand.Reader))
	return &Keyspace{session: session, observer: options.Observer, clock: options.Clock, ids: ids}, nil
}

// V1 returns the version that copies nothing.
func (k *Keyspace) V1() *V1 { return &V1{k} }

// V2 returns the version with copies of names and counts.
func (k *Keyspace) V2() *V2 { return &V2{k} }

// Close disconnects.
func (k *Keyspace) Close() { k.session.Close() }
