package cluster

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

const selectSetting = `SELECT value FROM system_views.settings WHERE name = ?`

// WarnOfGuardrails warns of settings of the cluster that refuse deletions, which are stamped ahead of every clock. What
// the cluster won't show is left alone.
func WarnOfGuardrails(ctx context.Context, session *gocql.Session, log *slog.Logger) {
	for _, name := range []string{"maximum_timestamp_fail_threshold", "maximum_timestamp_warn_threshold"} {
		var value string
		if session.Query(selectSetting, name).WithContext(ctx).Scan(&value) != nil {
			continue
		}
		if limit, ok := settingDuration(value); ok && limit < blog.GoneForEver*time.Microsecond+blog.ClockSkew {
			log.Warn("a guardrail of the cluster stands in the way of deletions, which are stamped 19 hours ahead: raise it above 20h",
				"setting", name, "value", value)
		}
	}
}

// settingDuration reads a duration as Cassandra's configuration writes it, as in 2d.
func settingDuration(text string) (time.Duration, bool) {
	if days, inDays := strings.CutSuffix(text, "d"); inDays {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}
