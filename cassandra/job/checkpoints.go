package job

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	selectCheckpoint = cql.On(blog.Checkpoints, `SELECT version, position FROM checkpoints WHERE name = ?`)
	insertCheckpoint = cql.On(blog.Checkpoints,
		`INSERT INTO checkpoints (name, version, position) VALUES (?, ?, ?) IF NOT EXISTS`)
	updateCheckpoint = cql.On(blog.Checkpoints,
		`UPDATE checkpoints SET version = ?, position = ? WHERE name = ? IF version = ?`)
	scanCheckpoints  = cql.On(blog.Checkpoints, `SELECT name, WRITETIME(version) FROM checkpoints`)
	deleteCheckpoint = cql.On(blog.Checkpoints, `DELETE FROM checkpoints WHERE name = ? IF EXISTS`)
)

// Checkpoint is how far some work has come.
type Checkpoint[P any] struct {
	Position P
	db       *cql.Session
	name     string
	version  int64 // 0: the work was never begun
}

// Load reads how far the work of a name has come.
func Load[P any](ctx context.Context, db *cql.Session, name string) (Checkpoint[P], error) {
	c := Checkpoint[P]{db: db, name: name}
	var text string
	err := cql.AbsentIsZero(db.OneSerial(ctx, selectCheckpoint.With(name), &c.version, &text))
	if err == nil && c.version > 0 {
		if err = json.Unmarshal([]byte(text), &c.Position); err != nil {
			err = &blog.Error{Kind: blog.Internal, Message: "a checkpoint can't be read", Err: err}
		}
	}
	return c, err
}

// Begun reports whether the work was ever begun.
func (c Checkpoint[P]) Begun() bool { return c.version > 0 }

// Save writes the position down. It reports false where another server has written one since this checkpoint was
// loaded or saved: that one's counts.
func (c *Checkpoint[P]) Save(ctx context.Context, position P) (saved bool, err error) {
	text, err := json.Marshal(position)
	if err != nil {
		return false, &blog.Error{Kind: blog.Internal, Message: "a checkpoint can't be written", Err: err}
	}
	write := updateCheckpoint.With(c.version+1, string(text), c.name, c.version)
	if c.version == 0 {
		write = insertCheckpoint.With(c.name, 1, string(text))
	}
	if saved, _, err = c.db.CompareAndSet(ctx, write); saved {
		c.version, c.Position = c.version+1, position
	}
	return saved, err
}

// Forget removes the checkpoint of work that is done.
func Forget(ctx context.Context, db *cql.Session, name string) error {
	_, _, err := db.CompareAndSet(ctx, deleteCheckpoint.With(name))
	return err
}

// ForgetJobs removes the checkpoints of jobs that were saved before a time, too long ago for any server to go on with:
// a server may have stopped for so long, between its job's beginning and its first save, that another had done all of
// it.
func ForgetJobs(ctx context.Context, db *cql.Session, before time.Time) error {
	var old []string
	err := db.Scan(ctx, scanCheckpoints.With(), func(row gocql.Scanner) error {
		var name string
		var saved int64
		err := row.Scan(&name, &saved)
		if isJob(name) && saved < before.UnixMicro() {
			old = append(old, name)
		}
		return err
	})
	for _, name := range old {
		err = cmp.Or(err, Forget(ctx, db, name))
	}
	return err
}
