package service_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/internal/service"
)

// A step that fails, or panics, is told of and made again; after the last one Stop returns. A
// bubble of synctest fails where a goroutine is left.
func TestService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steps []time.Duration
		var log strings.Builder
		last := false
		began := time.Now()
		s := &service.Service{
			Every: time.Minute,
			Once: func(ctx context.Context) error {
				steps = append(steps, time.Since(began))
				switch len(steps) {
				case 1:
					return errors.New("fails")
				case 2:
					panic("boom")
				case 3:
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			},
			Log:   slog.New(slog.NewTextHandler(&log, nil)),
			Fails: "a step has failed",
			Last:  func() { last = true },
		}
		s.Start(t.Context())
		time.Sleep(10 * time.Minute)
		if last {
			t.Error("it ended by itself")
		}
		s.Stop()
		want := []time.Duration{0, time.Minute, 2 * time.Minute, 3 * time.Minute}
		told := strings.Count(log.String(), "a step has failed")
		if !slices.Equal(steps, want) || told != 2 || !last {
			t.Errorf("steps at %v, want %v; %d failures were told; the last step was followed: %v", steps, want, told, last)
		}
	})
}
