package cassandratest

import (
	"context"
	"fmt"
	"time"
)

// pollInterval is small against a node's start and large against one attempt.
const pollInterval = 50 * time.Millisecond

// poll calls attempt until it returns nil, final returns an error, or ctx is
// done. Its error tells what the last attempt said.
func poll(ctx context.Context, attempt func(context.Context) error, final func() error) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if err := final(); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%w; last attempt: %w", context.Cause(ctx), err)
		}
	}
}
