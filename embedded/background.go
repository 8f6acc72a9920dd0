package embedded

import (
	"context"

	"broadsheet/blog"
)

// aside goes on with one in the background.
func aside[K ~struct{ blog.UUID }](s *Store, a *asides[K], of K, what string, whole func(K) error) {
	a.hold(of)
	go func() {
		defer a.release(of)
		if err := blog.SafelyLogged(s.health.log, func() error { return whole(of) }); err != nil {
			s.health.log.Warn(what+" is left for later", "id", struct{ blog.UUID }(of).UUID, "error", err)
		}
	}()
}

// resume goes on with those that a process before this one did not end, which a table names by its keys.
func resume[K ~struct{ blog.UUID }](ctx context.Context, s *Store, a *asides[K], left *table, goOn func(K)) error {
	underWay := a.around(func() {})
	return s.scan(ctx, left, func(key, _ []byte) error {
		parsed, ok := left.parse(key)
		if !ok {
			return errKey
		}
		if of := parsed.values[0].(K); !underWay[of] {
			goOn(of)
		}
		return nil
	})
}
