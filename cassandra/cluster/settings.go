package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

const selectSetting = `SELECT value FROM system_views.settings WHERE name = ?`

// WarnOf logs what of a keyspace's replication and of a node's settings loses data, or refuses what this program, with so
// many tables, does. What a node does not show is left out: before Cassandra 4.1 most of it.
func (c Config) WarnOf(ctx context.Context, session *gocql.Session, replicas Replication, tables int) {
	setting := func(name string) (value string) {
		_ = session.Query(selectSetting, name).WithContext(ctx).Scan(&value)
		return value
	}
	if replicas.Least() == 1 {
		c.Log.Warn("each row is on one node only, and lost with its disk: a keyspace should have 3 replicas", "keyspace", c.Keyspace)
		if setting("commitlog_sync") == "periodic" {
			c.Log.Warn("with one replica, what was acknowledged in the last seconds is lost with a node's power: set commitlog_sync to group or batch")
		}
	}
	for _, name := range []string{"read_request_timeout", "write_request_timeout", "cas_contention_timeout"} {
		value := setting(name)
		if n, is := amount(value); is && n >= float64(c.Timeout) {
			c.Log.Warn("nodes may take longer for a statement than --cassandra-timeout: raise that above theirs", "setting", name, "value", value)
		}
	}
	const ahead = float64(blog.GoneForEver*time.Microsecond + blog.ClockSkew)
	for _, s := range []struct {
		name  string
		least float64
		of    string
	}{
		{"maximum_timestamp_fail_threshold", ahead, "deletions, which are stamped 19 hours ahead: raise it above 20h"},
		{"maximum_timestamp_warn_threshold", ahead, "deletions, which are stamped 19 hours ahead: raise it above 20h"},
		{"user_timestamps_enabled", 1, "every command: set it to true"},
		{"tables_fail_threshold", float64(tables), fmt.Sprintf("the schema, which has %d tables: raise it", tables)},
		{"batch_size_fail_threshold", 50 << 10, "large batches: raise it to 50KiB, the default"},
		{"column_value_size_fail_threshold", 128 << 10, "long posts: raise it to 128KiB"},
	} {
		value := setting(s.name)
		if n, is := amount(value); is && n < s.least {
			c.Log.Warn("a guardrail of the cluster stands in the way of "+s.of, "setting", s.name, "value", value)
		}
	}
}

// amount reads a number of a node's settings: a duration (2d, in nanoseconds), a size (50KiB, in bytes), or a truth.
func amount(text string) (float64, bool) {
	unit := strings.TrimLeft(text, "0123456789")
	n, err := strconv.ParseFloat("0"+strings.TrimSuffix(text, unit), 64)
	scale, known := units[unit]
	return n * scale, err == nil && known && text != ""
}

var units = map[string]float64{
	"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "false": 0,
	"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9,
}
