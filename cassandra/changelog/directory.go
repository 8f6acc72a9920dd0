package changelog

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// outlives is how much longer rows are kept than readers and recovery rely on them, and the directory than its logs.
const outlives = 24 * time.Hour

// stored is how long a change stands.
func (w *Writer) stored() time.Duration { return max(w.Keep, w.Asked) + outlives }

// listed is how long a log's row in the directory stands after it was renewed last.
func (w *Writer) listed() time.Duration { return w.stored() + outlives }

// listedLog is a row of the directory.
type listedLog struct {
	blog.ChangeLog
	server  blog.UUID     // whose process appends
	kept    time.Duration // for how long the row stands after it was renewed last
	closing bool          // its end is about to be fixed
}

// directory returns all logs.
func (w *Writer) directory(ctx context.Context) (logs []listedLog, err error) {
	err = w.DB.Scan(ctx, selectLogs.With(), func(row gocql.Scanner) error {
		log, err := scanLog(row)
		if !log.Seen.IsZero() { // else only its end is there still
			logs = append(logs, log)
		}
		return err
	})
	return logs, err
}

// listedLog returns a log. Its Seen is zero where it is not in the directory any more.
func (w *Writer) listedLog(ctx context.Context, id blog.LogID) (log listedLog, err error) {
	err = w.DB.Each(ctx, selectLog.With(cql.ID(id.UUID)), 1, func(row gocql.Scanner) error {
		log, err = scanLog(row)
		return err
	})
	log.ID = id
	return log, err
}

func scanLog(row gocql.Scanner) (log listedLog, err error) {
	var ended *int64
	var kept int
	err = row.Scan(cql.Into(&log.ID.UUID), cql.Into(&log.server), &log.Seen, &log.Last, &kept, &log.closing, &ended)
	log.kept = time.Duration(kept) * time.Second
	if ended != nil {
		log.Last, log.Ended = *ended, true
	}
	return log, err
}
