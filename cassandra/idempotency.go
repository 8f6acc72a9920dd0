package cassandra

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	insertIdempotencyKey = cql.On(blog.IdempotencyKeys,
		`INSERT INTO idempotency_keys (owner, mutation, key, command_id, object_id, input_hash)`+
			` VALUES (?, ?, ?, ?, ?, ?) IF NOT EXISTS`)
	selectOutcome = cql.On(blog.IdempotencyKeys,
		`SELECT outcome FROM idempotency_keys WHERE owner = ? AND mutation = ? AND key = ?`)
	setOutcome = cql.On(blog.IdempotencyKeys,
		`UPDATE idempotency_keys USING TTL ? SET outcome = ? WHERE owner = ? AND mutation = ? AND key = ?`+
			` IF outcome = null`)
)

// keptFor is how long the outcome of a command with a key is kept: the table's default time to live.
const keptFor = 24 * time.Hour

// outcomeApplied is the outcome of a command that was not refused.
const outcomeApplied = "applied"

// attemptIDs are the ids that a command runs with. A repetition takes the first one's, so that it creates no second
// object.
type attemptIDs struct {
	command blog.CommandID
	entry   blog.CommandID // of the journal: one for each run
	object  blog.UUID
	begun   time.Time              // before the ids were drawn
	again   bool                   // others ran with these ids before, or do
	key     *blog.IdempotencyScope // nil: none
}

// concluded ends a command whose outcome was written meanwhile: what the other one created may be deleted already, and
// must not be created again.
type concluded struct{ outcome string }

func (concluded) Error() string { return "the command was run by somebody else" }

// creation is a command that may come with an idempotency key.
type creation[T any] interface {
	Idempotency() (blog.IdempotencyScope, blog.InputHash, bool)
	draw() blog.UUID                                        // a fresh id
	create(ctx context.Context, ids attemptIDs) (T, error)  // the command
	again(ctx context.Context, object blog.UUID) (T, error) // its result, read later
}

// once runs the command, or returns what became of it before.
func once[T any](ctx context.Context, s *Store, c creation[T]) (T, error) {
	fresh := s.fresh()
	fresh.object = c.draw()
	scope, hash, ok := c.Idempotency()
	if !ok {
		return c.create(ctx, fresh)
	}
	var none T
	ids, outcome, err := s.begin(ctx, scope, hash, fresh)
	if err != nil {
		return none, err
	}
	if outcome == "" {
		ids.key = &scope
		result, err := c.create(ctx, ids)
		var other concluded
		switch {
		case errors.As(err, &other):
			outcome = other.outcome
		case err == nil || refuses(err) && blog.KindOf(err) != blog.Suspended: // until it is restored
			var failed error
			if outcome, failed = s.conclude(ctx, scope, ids.command, err); failed != nil || err == nil && outcome == outcomeApplied {
				return result, failed
			}
		default:
			return result, err
		}
	}
	if outcome == outcomeApplied {
		return c.again(ctx, ids.object)
	}
	return none, decodeRefusal(outcome)
}

// unlessConcluded returns concluded where another that ran with the same ids has written the outcome.
func (s *Store) unlessConcluded(ctx context.Context, ids attemptIDs) error {
	if ids.key == nil {
		return nil
	}
	var outcome string
	err := cql.AbsentIsZero(s.db.One(ctx, selectOutcome.With(ids.key.Owner, ids.key.Mutation, ids.key.Key), &outcome))
	if err == nil && outcome != "" {
		return concluded{outcome}
	}
	return err
}

// begin takes the key. It returns the ids to run with, and the outcome if there is one already.
func (s *Store) begin(ctx context.Context, scope blog.IdempotencyScope, hash blog.InputHash, fresh attemptIDs) (ids attemptIDs, outcome string, err error) {
	err = cql.Insist(ctx, func(ctx context.Context) error {
		applied, current, err := s.db.CompareAndSet(ctx, insertIdempotencyKey.With(scope.Owner, scope.Mutation, scope.Key,
			cql.ID(fresh.command.UUID), cql.ID(fresh.object), hash[:]))
		if err != nil {
			return err
		}
		if ids = fresh; applied {
			return nil
		}
		if string(current["input_hash"].([]byte)) != string(hash[:]) {
			return blog.ErrKeyReused()
		}
		ids.command.UUID = blog.UUID(current["command_id"].(gocql.UUID))
		ids.object = blog.UUID(current["object_id"].(gocql.UUID))
		ids.again = ids.command != fresh.command // else it is this one's, whose answer was lost
		outcome = current["outcome"].(string)
		return nil
	})
	return ids, outcome, err
}

// conclude writes the outcome down, before the reply, and returns the one that counts: of two that ran with the same
// ids, the first to write it.
func (s *Store) conclude(ctx context.Context, scope blog.IdempotencyScope, command blog.CommandID, result error) (outcome string, err error) {
	outcome = encodeOutcome(result)
	left := max(int(command.Time().Add(keptFor).Sub(s.clock.Now()).Seconds()), 1)
	err = cql.Insist(ctx, func(ctx context.Context) error {
		applied, current, err := s.db.CompareAndSet(ctx, setOutcome.With(left, outcome, scope.Owner, scope.Mutation, scope.Key))
		if err == nil && !applied {
			outcome = current["outcome"].(string)
		}
		return err
	})
	return outcome, err
}

// refuses reports whether an error is the command's answer, and not a fault on the way to one. That an account is gone
// is a fault: it may leave something to recovery.
func refuses(err error) bool {
	return err != nil && !blog.IsFault(err) && !blog.IsNoAccount(err)
}

func encodeOutcome(result error) string {
	faults := blog.Each(result)
	if len(faults) == 0 {
		return outcomeApplied
	}
	text, err := json.Marshal(faults[0])
	if err != nil {
		panic("cassandra: a refusal can't be written as JSON: " + err.Error())
	}
	return string(text)
}

func decodeRefusal(outcome string) error {
	var refusal blog.Error
	if err := json.Unmarshal([]byte(outcome), &refusal); err != nil {
		return &blog.Error{Kind: blog.Internal, Message: "an outcome can't be read", Err: err}
	}
	return &refusal
}

// goneSince is err, or where it is NotFound the answer that the object was deleted.
func goneSince(what string, err error) error {
	if blog.IsNotFound(err) {
		return blog.ErrGoneSince(what)
	}
	return err
}
