package e2e

import (
	"regexp"
	"strings"
	"testing"

	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/cassandratest/testkeyspace"
)

// on returns a command line for a keyspace.
func on(c cassandra.Config, args ...string) []string {
	return append(args, "--store", "cassandra", "--cassandra-hosts", strings.Join(c.Hosts, ","), "--cassandra-keyspace", c.Keyspace)
}

// The program on a new keyspace: what the embedded store's users see, and what only
// an operator of Cassandra does.
func TestOnCassandra(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	c := testkeyspace.Name(t)
	want(t, 1, "run `broadsheet migrate apply`, or serve with --migrate", on(c, "--listen", "127.0.0.1:0")...)
	wantStatus(t, c, `0 +keyspace +no\n`, `6 +posts_by_author +no\n`)
	plan := want(t, 0, "", on(c, "migrate", "plan")...)
	for _, cql := range []string{"-- 0: keyspace\nCREATE KEYSPACE", "\nUSE " + c.Keyspace + ";\n", "-- 6: posts_by_author\n", "CREATE TABLE IF NOT EXISTS posts_by_author ("} {
		if !strings.Contains(plan, cql) {
			t.Errorf("the plan lacks %q", cql)
		}
	}

	first := start(t, on(c, "--migrate", "--demo")...).ready()
	if log := first.log.String(); !strings.Contains(log, "name=posts_by_author") || !strings.Contains(log, "kept on one node only") {
		t.Errorf("the log says nothing of the migrations, or of the replication: %s", log)
	}
	demo := total(first)
	post := lifeOfAUser(first)
	second := start(t, on(c, "--migrate", "--demo")...).ready()
	wantLifeOfAUser(second, post)
	if posts := total(second); posts != demo+1 || demo < 180 {
		t.Errorf("%d posts, after the demo's %d and one", posts, demo)
	}
	if metrics := second.get("/metrics").text; !strings.Contains(metrics, `broadsheet_statements_total{kind="read",table="feed_by_bucket"} `) {
		t.Error("/metrics counts no statements")
	}
	for _, s := range []*server{first, second} {
		if code := s.stop(); code != 0 {
			t.Errorf("exit code %d: %s", code, s.log.String())
		}
	}
	t.Run("migrate", func(t *testing.T) { testMigrate(t, c) })
	t.Run("verify", func(t *testing.T) { testVerify(t, c) })
	want(t, 1, "there is no such user", on(c, "user", "--email", "dana@example.org")...)
	want(t, 0, `"emailVerified": true`, on(c, "user", "verify-email", "--username", "dana_2")...)
	want(t, 0, `"username": "Dana_2"`, on(c, "user", "--email", "dana@example.org")...)
	want(t, 1, "the store holds data already", on(c, "seed", "--users", "2")...)
}

func wantStatus(t *testing.T, c cassandra.Config, lines ...string) {
	t.Helper()
	status := want(t, 0, "VERSION", on(c, "migrate", "status")...)
	for _, line := range lines {
		if !regexp.MustCompile(`\n` + line).MatchString(status) {
			t.Errorf("the status lacks %q:\n%s", line, status)
		}
	}
}

// testMigrate upgrades a schema that is one migration behind.
func testMigrate(t *testing.T, c cassandra.Config) {
	const date = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n`
	wantStatus(t, c, `6 +posts_by_author +`+date, `18 +journal +`+date, `The schema serves programs whose last migration is (\d+|\d+ to \d+)\. This program is \d+\.`)
	want(t, 0, "-- The schema is current: nothing to do.\n", on(c, "migrate", "plan")...)
	want(t, 0, "The schema is current. Migrations applied: 0\n", on(c, "migrate", "apply")...)

	testkeyspace.Execute(t, c, "DELETE FROM %s.schema_migrations WHERE history = 0 AND version = 18 IF EXISTS")
	want(t, 1, "the schema lacks migration 18 (journal): run `broadsheet migrate apply`", on(c, "--listen", "127.0.0.1:0")...)
	wantStatus(t, c, `18 +journal +no\n`, `The schema serves no program yet: run`)
	if plan := want(t, 0, "-- 18: journal\n", on(c, "migrate", "plan")...); strings.Contains(plan, "posts_by_author") {
		t.Errorf("the plan has more than what lacks: %s", plan)
	}
	want(t, 0, "applied 18: journal\nThe schema is current. Migrations applied: 1\n", on(c, "migrate", "apply")...)
	wantStatus(t, c, `18 +journal +`+date)
}

func testVerify(t *testing.T, c cassandra.Config) {
	want(t, 0, "likes_by_user", on(c, "verify")...)
	testkeyspace.Execute(t, c, "TRUNCATE %s.likes_by_user")
	report := want(t, 1, "differ from their truth", on(c, "verify")...)
	if !regexp.MustCompile(`(?m)^likes_by_user +\d+ +\d+ +[1-9]\d+\n    \d+ missing row\n    missing row: .*: `).MatchString(report) {
		t.Errorf("the report names no example: %s", report)
	}
}
