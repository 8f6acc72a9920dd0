package cluster

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// driverLog passes the driver's messages on. A failure is a warning, but only now and then: while a node is away the
// driver says so several times a second.
type driverLog struct {
	log    *slog.Logger
	warned atomic.Int64 // when last, Unix seconds
}

const warnEvery = 10 // seconds

var signsOfFailure = []string{"unable", "error", "fail", "not consistent"}

// Write is a method of [io.Writer], for a message each.
func (l *driverLog) Write(message []byte) (int, error) {
	level, text := slog.LevelDebug, string(message)
	if slices.ContainsFunc(signsOfFailure, func(sign string) bool { return strings.Contains(text, sign) }) {
		now, last := time.Now().Unix(), l.warned.Load()
		if now-last >= warnEvery && l.warned.CompareAndSwap(last, now) {
			level = slog.LevelWarn
		}
	}
	l.log.Log(context.Background(), level, "Cassandra driver", "message", strings.TrimSpace(strings.TrimPrefix(text, "gocql: ")))
	return len(message), nil
}
