package cluster

import (
	"log/slog"
	"slices"
	"strings"
)

// driverLog passes the driver's messages on. Failures are warnings: the program's log has those that repeat now and then.
type driverLog struct{ *slog.Logger }

var signsOfFailure = []string{"unable", "error", "fail", "not consistent"}

// Write is a method of [io.Writer], for a message each.
func (l driverLog) Write(message []byte) (int, error) {
	text := strings.TrimSpace(strings.TrimPrefix(string(message), "gocql: "))
	if slices.ContainsFunc(signsOfFailure, func(sign string) bool { return strings.Contains(text, sign) }) {
		l.Warn("Cassandra driver", "error", text)
	} else {
		l.Debug("Cassandra driver", "message", text)
	}
	return len(message), nil
}
