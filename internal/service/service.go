// Package service runs what is never done: one step again and again, in the background.
package service

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// Service makes a step, pauses, and makes it again, from Start to Stop.
type Service struct {
	Once  func(context.Context) error // a step; tests call it by itself
	Every time.Duration               // the pause after it
	Log   *slog.Logger                // has a step's error, or panic
	Fails string                      // what it then says
	Last  func()                      // is called after the last step; nil: nothing

	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Start begins the service, which ends with ctx or with [Service.Stop].
func (s *Service) Start(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	s.running.Go(func() {
		if s.Last != nil {
			defer s.Last()
		}
		for ctx.Err() == nil {
			if err := blog.Safely(func() error { return s.Once(ctx) }); err != nil && ctx.Err() == nil {
				s.Log.Warn(s.Fails, "error", err)
			}
			_ = pace.Wait(ctx, s.Every) // ctx is looked at next
		}
	})
}

// Stop ends a service that was started, and returns when its last step has ended.
func (s *Service) Stop() {
	s.cancel()
	s.running.Wait()
}
