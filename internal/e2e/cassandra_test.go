package e2e

import (
	"regexp"
	"strings"
	"testing"

	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/testkeyspace"
)

// The program on a new keyspace: what the embedded store's users see, and what only
// an operator of Cassandra does.
func TestOnCassandra(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	c := testkeyspace.Name(t)
	harness.Want(t, 1, "run `broadsheet migrate apply`, or serve with --migrate", harness.On(c, "--listen", "127.0.0.1:0")...)
	wantStatus(t, c, `0 +keyspace +no\n`, `6 +posts_by_author +no\n`)
	plan := harness.Want(t, 0, "", harness.On(c, "migrate", "plan")...)
	for _, cql := range []string{"-- 0: keyspace\nCREATE KEYSPACE", "\nUSE " + c.Keyspace + ";\n", "-- 6: posts_by_author\n", "CREATE TABLE IF NOT EXISTS posts_by_author ("} {
		if !strings.Contains(plan, cql) {
			t.Errorf("the plan lacks %q", cql)
		}
	}

	first := harness.Start(t, harness.On(c, "--migrate", "--demo")...).Ready()
	if log := first.Log.String(); !strings.Contains(log, "name=posts_by_author") || !strings.Contains(log, "each row is on one node only") {
		t.Errorf("the log says nothing of the migrations, or of the replication: %s", log)
	}
	demo := total(first)
	post := lifeOfAUser(first)
	second := harness.Start(t, harness.On(c, "--migrate", "--demo")...).Ready()
	wantLifeOfAUser(second, post)
	if posts := total(second); posts != demo+1 || demo < 180 {
		t.Errorf("%d posts, after the demo's %d and one", posts, demo)
	}
	if metrics := second.Get("/metrics").Text; !strings.Contains(metrics, `broadsheet_statements_total{kind="read",table="feed_by_bucket"} `) {
		t.Error("/metrics counts no statements")
	}
	for _, s := range []*harness.Server{first, second} {
		if code := s.Stop(); code != 0 {
			t.Errorf("exit code %d: %s", code, s.Log.String())
		}
	}
	t.Run("migrate", func(t *testing.T) { testMigrate(t, c) })
	t.Run("verify", func(t *testing.T) { testVerify(t, c) })
	harness.Want(t, 1, "there is no such user", harness.On(c, "user", "--email", "dana@example.org")...)
	harness.Want(t, 0, `"emailVerified": true`, harness.On(c, "user", "verify-email", "--username", "dana_2")...)
	harness.Want(t, 0, `"username": "Dana_2"`, harness.On(c, "user", "--email", "dana@example.org")...)
	harness.Want(t, 1, "the store holds data already", harness.On(c, "seed", "--users", "2")...)
}

func wantStatus(t *testing.T, c cassandra.Config, lines ...string) {
	t.Helper()
	status := harness.Want(t, 0, "VERSION", harness.On(c, "migrate", "status")...)
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
	harness.Want(t, 0, "-- The schema is current: nothing to do.\n", harness.On(c, "migrate", "plan")...)
	harness.Want(t, 0, "The schema is current. Migrations applied: 0\n", harness.On(c, "migrate", "apply")...)

	testkeyspace.Execute(t, c, "DELETE FROM %s.schema_migrations WHERE history = 0 AND version = 18 IF EXISTS")
	harness.Want(t, 1, "the schema lacks migration 18 (journal): run `broadsheet migrate apply`", harness.On(c, "--listen", "127.0.0.1:0")...)
	wantStatus(t, c, `18 +journal +no\n`, `The schema serves no program yet: run`)
	if plan := harness.Want(t, 0, "-- 18: journal\n", harness.On(c, "migrate", "plan")...); strings.Contains(plan, "posts_by_author") {
		t.Errorf("the plan has more than what lacks: %s", plan)
	}
	harness.Want(t, 0, "applied 18: journal\nThe schema is current. Migrations applied: 1\n", harness.On(c, "migrate", "apply")...)
	wantStatus(t, c, `18 +journal +`+date)
}

func testVerify(t *testing.T, c cassandra.Config) {
	harness.Want(t, 0, "likes_by_user", harness.On(c, "verify")...)
	testkeyspace.Execute(t, c, "TRUNCATE %s.likes_by_user")
	report := harness.Want(t, 1, "differ from their truth", harness.On(c, "verify")...)
	if !regexp.MustCompile(`(?m)^likes_by_user +\d+ +\d+ +[1-9]\d+\n    \d+ missing row\n    missing row: .*: `).MatchString(report) {
		t.Errorf("the report names no example: %s", report)
	}
}
