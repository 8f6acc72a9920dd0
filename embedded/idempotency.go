package embedded

import (
	"bytes"
	"cmp"
	"errors"
	"strings"
	"time"

	"broadsheet/blog"
)

// keysLive is for how long a key is kept. One that was used while the clock was ahead is kept for as much
// longer: it can't be distinguished from one of before a clock that is behind now, and a key that goes
// too early has its command carried out twice.
const keysLive = 24 * time.Hour

// outcome is what a command with an idempotency key came to.
type outcome struct {
	expires time.Time
	input   blog.InputHash
	id      blog.UUID   // what it created
	refusal *blog.Error // or why it did not
}

// once runs a command, which returns the id of what it created, unless its key was used: then it
// repeats the outcome, and again reads what was created as it is now.
func (tx *tx) once(key func() (blog.IdempotencyScope, blog.InputHash, bool), run func() (blog.UUID, error), again func(blog.UUID) error) error {
	scope, input, ok := key()
	if !ok {
		_, err := run()
		return err
	}
	used, known, err := tx.outcome(scope)
	if err != nil {
		return err
	}
	if known && tx.clock.Now().Before(used.expires) {
		switch {
		case used.input != input:
			return blog.ErrKeyReused()
		case used.refusal != nil:
			return used.refusal
		default:
			return again(used.id)
		}
	}
	o, err := tx.runKeyed(run)
	if err != nil {
		return err
	}
	if known {
		tx.forget(scope, used.expires)
	}
	if err := tx.forgetSome(); err != nil {
		return err
	}
	o.input, o.expires = input, tx.clock.Now().Add(keysLive)
	tx.remember(scope, o)
	return nil
}

// runKeyed runs a command. A refusal is an outcome, to be committed like another,
// without what was written on the way to it; a fault of the store is none.
func (tx *tx) runKeyed(run func() (blog.UUID, error)) (o outcome, err error) {
	o.id, err = run()
	if err == nil || fault(err) != nil || !errors.As(err, &o.refusal) {
		return o, err
	}
	tx.batch.Reset()
	tx.change, tx.refusal = nil, err
	return o, nil
}

// remember records an outcome, and in idempotency_expiry when it may go.
func (tx *tx) remember(scope blog.IdempotencyScope, o outcome) {
	refusal := cmp.Or(o.refusal, &blog.Error{Kind: -1})
	value := encode(0, int(o.expires.UnixMicro()), string(o.input[:]), string(o.id[:]), int(refusal.Kind), strings.Join(refusal.Field, "."), refusal.Message)
	tx.putNew(tx.cellKey(idempotencyKeys, truthCell, scope.Owner, scope.Mutation, scope.Key), value)
	expiry := idempotencyExpiry.cellKey(truthCell, o.expires, scope.Owner, scope.Mutation, scope.Key)
	tx.putNew(expiry, encode(0))
	if bytes.Compare(expiry, tx.oldest) < 0 { // the clock was set back
		tx.oldest = expiry
	}
}

func (tx *tx) outcome(scope blog.IdempotencyScope) (o outcome, known bool, err error) {
	value, err := tx.get(idempotencyKeys, truthCell, scope.Owner, scope.Mutation, scope.Key)
	if err != nil || value == "" {
		return o, false, err
	}
	f := decode(value)
	o.expires = time.UnixMicro(int64(field[int](f)))
	copy(o.input[:], field[string](f))
	copy(o.id[:], field[string](f))
	refusal := blog.Error{Kind: blog.Kind(field[int](f))}
	if path := field[string](f); path != "" {
		refusal.Field = strings.Split(path, ".")
	}
	refusal.Message = field[string](f)
	if refusal.Kind >= 0 {
		o.refusal = &refusal
	}
	return o, true, f.end()
}

func (tx *tx) forget(scope blog.IdempotencyScope, expired time.Time) {
	tx.deleteRow(idempotencyKeys, scope.Owner, scope.Mutation, scope.Key)
	tx.deleteRow(idempotencyExpiry, expired, scope.Owner, scope.Mutation, scope.Key)
}

// forgottenAtOnce bounds what one keyed command does for those before it; above one, so that a backlog shrinks.
const forgottenAtOnce = 4

// forgetSome removes the outcomes that expired first. It starts where the last one ended:
// before that lie the tombstones of those removed, which would be read again and again.
// What the command itself remembers is written after it, and so outlives it.
func (tx *tx) forgetSome() error {
	longAgo := tx.clock.Now().Add(-time.Millisecond) // keys hold whole milliseconds
	expired := 0
	return tx.scanFrom(tx.ctx, idempotencyExpiry, tx.oldestKey, func(key, _ []byte) error {
		parsed, ok := idempotencyExpiry.parse(key)
		if !ok {
			return errKey
		}
		tx.oldest = bytes.Clone(key)
		at := parsed.values[0].(time.Time)
		if expired == forgottenAtOnce || !at.Before(longAgo) {
			return errEnough
		}
		expired++
		tx.forget(blog.IdempotencyScope{Owner: parsed.values[1].(string), Mutation: parsed.values[2].(string), Key: parsed.values[3].(string)}, at)
		return nil
	})
}
