package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"

	"github.com/gocql/gocql"
)

var (
	insertIntent = cql.On(blog.Journal,
		`INSERT INTO journal (minute, shard, command_id, kind, intent) VALUES (?, ?, ?, ?, ?)`)
	markDone = cql.On(blog.Journal,
		`UPDATE journal SET done = true WHERE minute = ? AND shard = ? AND command_id = ?`)
)

// TTL is how long a row stands: default_time_to_live of the table.
const TTL = 3 * 24 * time.Hour

// shards is how many partitions share the intents of a minute.
const shards = 8

// Journal is that of a cluster, as one server writes it. It is safe for concurrent use.
type Journal struct {
	db         *cql.Session
	clock      blog.Clock // this server's own
	ids        *blog.IDs
	server     blog.UUID    // this one
	Rows       *cql.Batches // intents; the marks of those that are done, and the change log, go with them
	background *job.Background
	log        *slog.Logger
}

// rowSlots is how many batches of rows a process has under way at once, beyond which they gather.
const rowSlots = 2

// New returns the journal as a server writes it.
func New(db *cql.Session, clock blog.Clock, ids *blog.IDs, server blog.UUID, background *job.Background, log *slog.Logger) *Journal {
	return &Journal{
		db: db, clock: clock, ids: ids, server: server,
		Rows: db.Batches(rowSlots, log), background: background, log: log,
	}
}

// record writes a command's intent. entry names the row; it is the command's own id, but for one that is repeated
// under an idempotency key: that may be hours old, and the row must stand where those of now are looked for.
func (j *Journal) record(ctx context.Context, entry blog.CommandID, in Intent) error {
	text, err := json.Marshal(in)
	if err != nil {
		return blog.Errorf(blog.Internal, "an intent can't be written as JSON")
	}
	minute, shard, id := key(entry)
	return cql.Insist(ctx, func(ctx context.Context) error {
		return j.Rows.Write(ctx, []cql.Bound{insertIntent.With(minute, shard, id, in.stored(), string(text)).Of(2, minute, shard, id)})
	})
}

// Append writes a command's intent to a row of the journal, while reads read what the intent does not name. Nothing of
// the command may be written before it is acknowledged. Where the command can't go on from what it read, nothing
// follows the intent.
func (j *Journal) Append(ctx context.Context, entry blog.CommandID, in Intent, reads ...func() error) (n *Note, err error) {
	if in.Command.IsZero() {
		in.Command = entry
	}
	in.Server = j.server
	n = &Note{Intent: in, Entry: entry, journal: j, since: time.Now()}
	failed := cql.Concurrently(append(reads, func() error { err = j.record(ctx, entry, in); return nil })...)
	if failed != nil && err == nil {
		j.Abandon(ctx, entry)
	}
	return n, cmp.Or(failed, err)
}

// Complete marks a row as done: nothing is left of its command. The mark goes with the next intents, which nearly
// always are in the same partition.
func (j *Journal) Complete(ctx context.Context, entry blog.CommandID) error {
	minute, shard, id := key(entry)
	return j.Rows.WriteLater(ctx, []cql.Bound{markDone.With(minute, shard, id).Of(2, minute, shard, id)})
}

// LeaveUndone leaves the row of a command that succeeded to recovery: an attempt at one of its claims may come late,
// and is given back when recovery looks at the row.
func (j *Journal) LeaveUndone(ctx context.Context, n *Note) error {
	in := n.Intent
	in.MayCome = true
	return j.record(ctx, n.Entry, in)
}

// slice is for how long a server writes its intents to one shard.
const slice = 64 * time.Millisecond

// NewCommand returns an id for a command, which is that of its row in the journal too. The shard is in its last bits.
// Those that one server draws within a slice share it: what shares a batch is then one write of one partition. Servers
// take turns that differ.
func (j *Journal) NewCommand() blog.CommandID {
	command := j.ids.Command()
	slice := command.Time().UnixMilli()/slice.Milliseconds() + int64(j.server[15])
	command.UUID[15] = command.UUID[15]/shards*shards + byte(slice%shards)
	return command
}

func key(entry blog.CommandID) (minute time.Time, shard int, key gocql.UUID) {
	return entry.Time().Truncate(time.Minute), int(entry.UUID[15] % shards), cql.ID(entry.UUID)
}

// Abandon marks the row of a command that was refused, after the reply: nothing came of it.
func (j *Journal) Abandon(ctx context.Context, entry blog.CommandID) {
	j.background.Run(ctx, func(ctx context.Context) {
		if err := cql.Insist(ctx, func(ctx context.Context) error { return j.Complete(ctx, entry) }); err != nil {
			j.log.Error("a refused command's intent stays open", "entry", entry, "error", err)
		}
	})
}
