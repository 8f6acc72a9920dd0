package cassandra

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"

	"github.com/gocql/gocql"
)

var (
	insertIntent = cql.On(blog.Journal, `INSERT INTO journal (minute, shard, command_id, kind, intent) VALUES (?, ?, ?, ?, ?)`)
	markDone     = cql.On(blog.Journal, `UPDATE journal SET done = true WHERE minute = ? AND shard = ? AND command_id = ?`)
)

// journalShards is how many partitions share the intents of a minute.
const journalShards = 8

// The kinds of intents.
const (
	kindCreateUser    = "createUser"
	kindUpdateUser    = "updateUser"
	kindCreatePost    = "createPost"
	kindUpdatePost    = "updatePost"
	kindDeletePost    = "deletePost"
	kindCreateComment = "createComment"
	kindUpdateComment = "updateComment"
	kindDeleteComment = "deleteComment"
	kindLikePost      = "likePost"
	kindUnlikePost    = "unlikePost"
)

// intent is what a command writes down before it touches a truth: enough for
// anybody to finish or to clean up after it, without knowing anything else. It
// names each key that the truth no longer tells once the command is applied: the
// author of a deleted comment, the names before a rename. Fields that a kind does
// not need are absent.
type intent struct {
	Kind    string          `json:"-"`
	Command blog.CommandID  `json:"command"` // whose ids and claims these are
	Actor   blog.UserID     `json:"actor"`
	Subject string          `json:"subject,omitempty"`
	Old     []*names        `json:"old,omitempty"` // every state that the edit may have ended
	New     *names          `json:"new,omitempty"`
	Post    *blog.PostID    `json:"post,omitempty"`
	Comment *blog.CommentID `json:"comment,omitempty"`
	Author  *blog.UserID    `json:"author,omitempty"` // of the comment
}

// names are a user's unique keys, with the commands that claimed them.
type names struct {
	Shown         string         `json:"shown,omitempty"` // the username as it is shown; an earlier program kept its key only
	Username      string         `json:"username"`
	UsernameClaim blog.CommandID `json:"usernameClaim,omitzero"`
	Email         string         `json:"email,omitempty"`
	EmailClaim    blog.CommandID `json:"emailClaim,omitzero"`
}

// record writes a command's intent. Nothing of the command may be written before
// it is acknowledged.
//
// entry names the row; it is the command's own id, but for a command that is
// repeated under an idempotency key: that one may be hours old, and the row must
// stand where those of now are looked for.
func (s *Store) record(ctx context.Context, entry blog.CommandID, in intent) error {
	if in.Command.IsZero() {
		in.Command = entry
	}
	text, err := json.Marshal(in)
	if err != nil {
		return blog.Errorf(blog.Internal, "an intent can't be written as JSON")
	}
	minute, shard, key := journalKey(entry)
	return cql.Insist(ctx, func(ctx context.Context) error {
		return s.intents.Write(ctx, []cql.Bound{insertIntent.With(minute, shard, key, in.Kind, string(text)).Of(2, minute, shard, key)})
	})
}

// noted is an intent that was written to the journal.
type noted struct {
	store *Store
	in    intent
	entry blog.CommandID // its row
	since time.Time
}

// note is record, for a command whose truth may take several attempts to write.
func (s *Store) note(ctx context.Context, entry blog.CommandID, in intent) (*noted, error) {
	if in.Command.IsZero() {
		in.Command = entry
	}
	n := &noted{store: s, in: in, entry: entry, since: time.Now()}
	return n, s.record(ctx, entry, in)
}

// keep writes the intent once more, as a row of now, where much of the command's
// deadline has gone by since: recovery may be about to close the first row. It is called
// before each attempt at the truth. A machine that was suspended is told by the wall
// clock, one whose clock was set by the monotonic one.
func (n *noted) keep(ctx context.Context) error {
	if !n.old() {
		return nil
	}
	return n.again(ctx)
}

// old reports whether the intent's row is so old that it has to be written once more.
func (n *noted) old() bool {
	waited := max(time.Since(n.since), time.Now().Round(0).Sub(n.since.Round(0)), n.store.clock.Now().Sub(n.entry.Time()))
	return waited > cql.CommandDeadline/2
}

// before returns what a change does before each attempt: it keeps the intent, and proceeds,
// where that is not nil.
func (n *noted) before(proceed func(ctx context.Context, now counted.Header) error) func(counted.Header) func(context.Context) error {
	return func(now counted.Header) func(context.Context) error {
		if proceed == nil && !n.old() {
			return nil
		}
		return func(ctx context.Context) error {
			err := n.keep(ctx)
			if err == nil && proceed != nil {
				err = proceed(ctx, now)
			}
			return err
		}
	}
}

// again writes the intent once more. The row before is left to recovery, which closes it.
func (n *noted) again(ctx context.Context) error {
	n.entry, n.since = n.store.newCommand(), time.Now()
	return n.store.record(ctx, n.entry, n.in)
}

// noteBeside is note, for a command whose intent names nothing that it has yet to read:
// it writes it while it reads. Where it can't go on from what it read, nothing follows the
// intent.
func (s *Store) noteBeside(ctx context.Context, entry blog.CommandID, in intent, reads ...func() error) (n *noted, err error) {
	noting := func() error { n, err = s.note(ctx, entry, in); return nil }
	failed := cql.Concurrently(append(reads, noting)...)
	if failed != nil && err == nil {
		s.closeEntry(ctx, entry)
	}
	return n, cmp.Or(failed, err)
}

func (s *Store) done(ctx context.Context, entry blog.CommandID) error {
	minute, shard, key := journalKey(entry)
	return s.marks.Write(ctx, []cql.Bound{markDone.With(minute, shard, key).Of(2, minute, shard, key)})
}

// journalSlice is for how long a server writes its intents to one shard.
const journalSlice = 64 * time.Millisecond

// newCommand returns an id for a command, which is that of its row in the journal too. The
// shard is in its last bits. Those that one server draws within a slice share it: what
// shares a batch is then one write of one partition, and not one for each command.
// Servers take turns that differ.
func (s *Store) newCommand() blog.CommandID {
	command := s.ids.Command()
	slice := command.Time().UnixMilli()/journalSlice.Milliseconds() + int64(s.server[15])
	command.UUID[15] = command.UUID[15]/journalShards*journalShards + byte(slice%journalShards)
	return command
}

func journalKey(entry blog.CommandID) (minute time.Time, shard int, key gocql.UUID) {
	return entry.Time().Truncate(time.Minute), int(entry.UUID[15] % journalShards), cql.ID(entry.UUID)
}

// complete is a command's third step: it writes the copies that follow from a truth
// that stands. It never fails, for the command has succeeded: copies that can't be
// written before the deadline are written after the reply.
//
// After the reply afterReply is done; then the usernames
// that it copied are compared with their truth once more, for a rename that ran
// beside it may have walked past the new rows before they were there; then the
// journal's row is marked done.
func (s *Store) complete(ctx context.Context, command blog.CommandID, v effects) {
	writing := func(ctx context.Context) error {
		if err := s.copies.Write(ctx, v.entries()); err != nil {
			return err
		}
		return s.gaps.Uncover(ctx, s.gaps.Late(v.made))
	}
	late := cql.Insist(ctx, writing) != nil
	s.background.Run(ctx, func(ctx context.Context) {
		if !late {
			writing = nil
		}
		err := job.Briefly(ctx, writing)
		if err == nil && v.afterReply != nil {
			err = cql.Insist(ctx, v.afterReply)
		}
		if err == nil {
			err = job.Briefly(ctx, v.recheckName(s), func(ctx context.Context) error { return s.done(ctx, command) })
		}
		s.gaps.Count(append(gap.Keys(v.copies, true), v.dead...))
		if err != nil && err != cql.ErrHeld { // which is marked done by whoever does it
			s.log.Warn("a command's work after its reply is left to recovery", "command", command, "error", err)
		}
	})
}

// giveUp marks the intent of a command that was refused, after the reply: nothing
// came of it, and nobody has to look at it again. A command whose outcome is not
// known keeps its intent, and so does one that another may run with the same ids.
func (s *Store) giveUp(ctx context.Context, ids attemptIDs, err error) {
	if refuses(err) && ids.open == nil && !errors.Is(err, truth.ErrMayCome) {
		s.closeEntry(ctx, ids.entry)
	}
}

// giveUp is [Store.giveUp] for a command with an intent in the journal. While an outcome
// is not known, whoever leads the group may still be writing the intent again.
func (n *noted) giveUp(ctx context.Context, ids attemptIDs, err error) {
	if refuses(err) {
		ids.entry = n.entry
		n.store.giveUp(ctx, ids, err)
	}
}

func (s *Store) closeEntry(ctx context.Context, entry blog.CommandID) {
	s.background.Run(ctx, func(ctx context.Context) {
		if err := cql.Insist(ctx, func(ctx context.Context) error { return s.done(ctx, entry) }); err != nil {
			s.log.Error("a refused command's intent stays open", "entry", entry, "error", err)
		}
	})
}

// effects is all that a command has to write once its truth stands.
type effects struct {
	copies     []blog.Copy
	extra      []cql.Bound                             // what isn't a copy: tombstones of single cells
	name       blog.Name                               // the username among the copies; zero: none
	named      func(blog.Name) []blog.Copy             // the copies that hold it
	still      func(ctx context.Context) (bool, error) // whether they are wanted still; nil: for ever
	afterReply func(ctx context.Context) error         // what the command still owes; nil: nothing
	made       []gap.Key                               // rows of lists that the command has made; a truth's too
	dead       []gap.Key                               // a truth's row that it has killed
}

func (v effects) entries() []cql.Bound {
	entries := make([]cql.Bound, 0, len(v.copies)+len(v.extra)+4)
	copies := v.copies
	if v.named != nil {
		copies = append(copies[:len(copies):len(copies)], v.named(v.name)...)
	}
	for _, c := range copies {
		entries = append(entries, tables.Bind(c))
	}
	return append(entries, v.extra...)
}

func (v effects) recheckName(s *Store) func(context.Context) error {
	if v.named == nil {
		return nil
	}
	return func(ctx context.Context) error {
		now, err := s.truths.Users.NameAgain(ctx, v.name.User)
		if err != nil || now.Stamp == v.name.Stamp {
			return err
		}
		_, err = s.writeNamed(ctx, v.name.User, v.named, v.still)
		return err
	}
}
