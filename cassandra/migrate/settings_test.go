package migrate_test

import (
	"strings"
	"testing"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/testkeyspace"
)

// How a node merges a table's files, and what it keeps after it is gone, is chosen for each: in levels where pages read what
// commands rewrite, by time where rows expire, else by size; and for ten days, within which nodes are to be repaired, but of
// what expires. A coordinator asks a second replica for what is slower than nearly all, as a server does of coordinators.
func TestSettingsOfTables(t *testing.T) {
	t.Parallel()
	cassandratest.Real(t, "what a node says of its tables")
	c := shared.Config(t)
	type settings struct {
		merged    string
		kept, ttl int // seconds
	}
	const bySize, inLevels, byTime = "SizeTiered", "Unified L4", "TimeWindow"
	const threeHours, oneDay, threeDays, tenDays = 3 * 60 * 60, 24 * 60 * 60, 3 * 24 * 60 * 60, 10 * 24 * 60 * 60
	want := map[string]settings{
		"posts_by_id": {inLevels, tenDays, 0}, "posts_by_author": {inLevels, tenDays, 0}, "feed_by_bucket": {inLevels, tenDays, 0},
		"comments_by_post": {inLevels, tenDays, 0}, "like_claims": {inLevels, tenDays, 0}, "likes_by_post": {inLevels, tenDays, 0},
		"follow_claims": {inLevels, tenDays, 0}, "followers_by_user": {inLevels, tenDays, 0}, "home_by_user": {inLevels, tenDays, 0},
		"member_claims": {inLevels, tenDays, 0}, "members_by_group": {inLevels, tenDays, 0}, "posts_by_group": {inLevels, tenDays, 0},
		"comments_by_thread": {inLevels, tenDays, 0}, "newest_members_by_group": {inLevels, tenDays, 0},
		"journal": {byTime, threeHours, threeDays}, "changes_by_log": {byTime, threeHours, 0}, "idempotency_keys": {byTime, threeHours, oneDay},
		"change_logs": {bySize, threeHours, 0}, "change_log_ends": {bySize, threeHours, 0}, "change_claims": {bySize, threeHours, 0},
		"leases": {bySize, threeHours, 0},
	}
	rows := testkeyspace.Rows(t, c,
		"SELECT table_name, compaction, gc_grace_seconds, default_time_to_live, speculative_retry FROM system_schema.tables WHERE keyspace_name = '%s'")
	if len(rows) < len(want) {
		t.Fatalf("%d tables", len(rows))
	}
	for _, row := range rows {
		table, options := row["table_name"].(string), row["compaction"].(map[string]string)
		class := strings.TrimSuffix(options["class"][strings.LastIndex(options["class"], ".")+1:], "CompactionStrategy")
		got := settings{strings.TrimSpace(class + " " + options["scaling_parameters"]), row["gc_grace_seconds"].(int), row["default_time_to_live"].(int)}
		chosen, is := want[table]
		if !is {
			chosen = settings{bySize, tenDays, 0}
		}
		if got != chosen || row["speculative_retry"] != "99p" {
			t.Errorf("%s: %v and %v, want %v and 99p: a migration chooses it with its reason", table, got, row["speculative_retry"], chosen)
		}
	}
}
