package migrate

import (
	"context"
	"math/rand/v2"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/pace"
)

const (
	takeLock    = `UPDATE schema_migrations USING TTL ? SET holder = ? WHERE history = 0 IF holder = null`
	renewLock   = `UPDATE schema_migrations USING TTL ? SET holder = ? WHERE history = 0 IF holder = ?`
	releaseLock = `UPDATE schema_migrations SET holder = null WHERE history = 0 IF holder = ?`
)

// lockSeconds: a lock whose holder died is free after this time, which is more than
// one statement takes at the worst, with the driver's and our own wait for agreement.
const lockSeconds = 150

// locked runs work while this migrator holds the lock.
func (m *migrator) locked(ctx context.Context, work func(context.Context) error) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.config.Timeout)
		defer cancel()
		// Where this fails the lock frees itself, only later.
		_, _, _ = m.conditional(ctx, releaseLock, m.holder)
	}()
	return work(ctx)
}

const (
	pollPause = 500 * time.Millisecond // on average
	attempts  = 10
)

// lock waits for the lock. An attempt whose outcome is not known shows in the next.
func (m *migrator) lock(ctx context.Context) error {
	for waiting := false; ; waiting = true {
		free, current, err := m.conditional(ctx, takeLock, lockSeconds, m.holder)
		switch {
		case err == nil && (free || current["holder"] == m.holder):
			return nil
		case err != nil && blog.KindOf(err) != blog.Unavailable:
			return err
		case !waiting:
			m.config.Log.Info("waiting for another migration of the same keyspace to end", "error", err)
		}
		if err := pace.Wait(ctx, rand.N(2*pollPause)); err != nil {
			return cql.Convert(ctx, err)
		}
	}
}

func (m *migrator) renew(ctx context.Context) error {
	var held bool
	err := again(ctx, func() (err error) {
		held, _, err = m.conditional(ctx, renewLock, lockSeconds, m.holder, m.holder)
		return err
	})
	if err == nil && !held {
		err = blog.Errorf(blog.Unavailable, "the migration took so long that its lock ran out; run it again, it goes on where it stopped")
	}
	return err
}

// conditional makes a conditional write. Where it was refused, current is what the row holds.
func (m *migrator) conditional(
	ctx context.Context, text string, args ...any,
) (applied bool, current map[string]any, err error) {
	current = map[string]any{}
	applied, err = m.session.Query(text, args...).WithContext(ctx).MapScanCAS(current)
	return applied, current, cql.Convert(ctx, err)
}

// again repeats a step that did not get through, a few times. The step may have been done nevertheless.
func again(ctx context.Context, step func() error) error {
	for left := attempts; ; left-- {
		err := step()
		if err == nil || blog.KindOf(err) != blog.Unavailable || left == 0 || pace.Wait(ctx, rand.N(2*pollPause)) != nil {
			return err
		}
	}
}
