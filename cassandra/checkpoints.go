package cassandra

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
	insertCheckpoint = cql.On(blog.Checkpoints, `INSERT INTO checkpoints (name, version, position) VALUES (?, ?, ?) IF NOT EXISTS`)
	updateCheckpoint = cql.On(blog.Checkpoints, `UPDATE checkpoints SET version = ?, position = ? WHERE name = ? IF version = ?`)
	scanCheckpoints  = cql.On(blog.Checkpoints, `SELECT name, WRITETIME(version) FROM checkpoints`)
	deleteCheckpoint = cql.On(blog.Checkpoints, `DELETE FROM checkpoints WHERE name = ? IF EXISTS`)
)

// checkpoint is how far some work has come. Version 0: it was never begun.
type checkpoint[P any] struct {
	name     string
	version  int64
	position P
}

// loadCheckpoint reads how far the work of a name has come.
func loadCheckpoint[P any](ctx context.Context, s *Store, name string) (checkpoint[P], error) {
	c := checkpoint[P]{name: name}
	var text string
	err := cql.AbsentIsZero(s.db.OneSerial(ctx, selectCheckpoint.With(name), &c.version, &text))
	if err == nil && c.version > 0 {
		if err = json.Unmarshal([]byte(text), &c.position); err != nil {
			err = &blog.Error{Kind: blog.Internal, Message: "a checkpoint can't be read", Err: err}
		}
	}
	return c, err
}

// save writes the position down. It reports false where another server has written one
// since this checkpoint was loaded or saved: that one's counts.
func (c *checkpoint[P]) save(ctx context.Context, s *Store, position P) (saved bool, err error) {
	text, err := json.Marshal(position)
	if err != nil {
		return false, &blog.Error{Kind: blog.Internal, Message: "a checkpoint can't be written", Err: err}
	}
	write := updateCheckpoint.With(c.version+1, string(text), c.name, c.version)
	if c.version == 0 {
		write = insertCheckpoint.With(c.name, 1, string(text))
	}
	if saved, _, err = s.db.CompareAndSet(ctx, write); saved {
		c.version, c.position = c.version+1, position
	}
	return saved, err
}

// forget removes the checkpoint of work that is done.
func (s *Store) forget(ctx context.Context, name string) error {
	_, _, err := s.db.CompareAndSet(ctx, deleteCheckpoint.With(name))
	return err
}

const (
	// forgetEvery is how often a server looks for checkpoints that lead nowhere.
	forgetEvery = time.Hour

	// forgottenAfter is how long a job's checkpoint outlives its last save. A job that
	// goes on saves after each page, and who would go on with another one finds it by its
	// command's entry in the journal, which has ended by then.
	forgottenAfter = journalTTL + time.Hour
)

// maintainCheckpoints removes what jobs left that nobody goes on with, until ctx ends.
func (s *Store) maintainCheckpoints(ctx context.Context) {
	for {
		err := blog.Safely(func() error { return s.forgetOldJobs(ctx) })
		if err != nil && ctx.Err() == nil {
			s.log.Warn("checkpoints of jobs that ended can't be removed; trying again later", "error", err)
		}
		if cql.Wait(ctx, forgetEvery) != nil {
			return
		}
	}
}

// forgetOldJobs removes the checkpoints of jobs that were saved too long ago for anybody to
// go on with: a server may have stopped for so long, between its job's beginning and its
// first save, that another had done all of it.
func (s *Store) forgetOldJobs(ctx context.Context) error {
	var old []string
	oldest := s.clocks.Now().Add(-forgottenAfter).UnixMicro()
	err := s.db.Scan(ctx, scanCheckpoints.With(), func(row gocql.Scanner) error {
		var name string
		var saved int64
		err := row.Scan(&name, &saved)
		if isJob(name) && saved < oldest {
			old = append(old, name)
		}
		return err
	})
	for _, name := range old {
		err = cmp.Or(err, s.forget(ctx, name))
	}
	return err
}
