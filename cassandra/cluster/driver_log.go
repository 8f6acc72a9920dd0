package cluster

import (
	"context"
	"fmt"
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

func (l *driverLog) Print(v ...any)                 { l.write(fmt.Sprint(v...)) }
func (l *driverLog) Println(v ...any)               { l.write(fmt.Sprintln(v...)) }
func (l *driverLog) Printf(format string, v ...any) { l.write(fmt.Sprintf(format, v...)) }

func (l *driverLog) write(text string) {
	level := slog.LevelDebug
	if slices.ContainsFunc(signsOfFailure, func(sign string) bool { return strings.Contains(text, sign) }) {
		now, last := time.Now().Unix(), l.warned.Load()
		if now-last >= warnEvery && l.warned.CompareAndSwap(last, now) {
			level = slog.LevelWarn
		}
	}
	l.log.Log(context.Background(), level, "Cassandra driver", "message", strings.TrimSpace(strings.TrimPrefix(text, "gocql: ")))
}
