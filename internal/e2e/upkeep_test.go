package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"broadsheet/cassandra/migrate"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/testkeyspace"
)

// figure returns what a metric says, whose labels are given with its name; -1 where it says nothing.
func figure(s *harness.Server, name string) float64 {
	s.T.Helper()
	found := regexp.MustCompile(`(?m)^broadsheet_` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(s.Get("/metrics").Text)
	if found == nil {
		return -1
	}
	value, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		s.T.Fatal(err)
	}
	return value
}

// Where no server can take a part of the journal, its lag grows, and goes down again when one can.
func TestMetricsOfRecovery(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	proxy := faultproxy.Start(t, config.Hosts)
	config.Hosts = proxy.Hosts()
	s := harness.Start(t, harness.On(config)...).Ready()
	if version := figure(s, "schema_version"); version != float64(migrate.Known()) {
		t.Errorf("the schema is %v", version)
	}
	const create = `mutation { createUser(input: {username: "%s"}) { userErrors { code } } }`
	s.As("ann", fmt.Sprintf(create, "ann"), "").OK()
	s.As("bob", fmt.Sprintf(create, "ann"), "").Want("data.createUser.userErrors.0.code", "TAKEN")
	if refused := figure(s, `statement_refusals_total{table="username_claims"}`); refused < 1 {
		t.Errorf("%v claims were refused", refused)
	}
	held := func(parts float64) {
		t.Helper()
		harness.EventuallyEvery(t, 100*time.Millisecond, fmt.Sprint("the server holds ", parts), func() bool { return figure(s, "journal_parts_held") == parts })
	}
	held(8)
	proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
		if r.Writes("leases") {
			return faultproxy.Fail
		}
		return faultproxy.None
	})
	held(0)
	before := figure(s, "journal_lag_seconds")
	harness.EventuallyEvery(t, 100*time.Millisecond, "the lag grows", func() bool { return figure(s, "journal_lag_seconds") > before+8 }) // a pass is 5 s
	proxy.SetRule(nil)
	held(8)
	harness.EventuallyEvery(t, 100*time.Millisecond, "the lag is what it was", func() bool { return figure(s, "journal_lag_seconds") < before+8 })
}

// A server shows when verify last found all well, of whichever process it was.
func TestMetricOfVerify(t *testing.T) {
	t.Parallel()
	began := float64(time.Now().Unix())
	dir := filepath.Join(t.TempDir(), "data")
	embedded := harness.Start(t, "--data-dir", dir, "--no-demo").Ready()
	if at := figure(embedded, "verify_timestamp_seconds"); at != 0 {
		t.Errorf("a new store was verified at %v", at)
	}
	harness.Want(t, 0, "", "verify", "--data-dir", dir)
	if at := figure(embedded, "verify_timestamp_seconds"); at < began {
		t.Errorf("the embedded store was verified at %v", at)
	}
	config := testkeyspace.New(t)
	harness.Want(t, 0, "", harness.On(config, "verify")...)
	s := harness.Start(t, harness.On(config)...).Ready() // which looks at its start
	harness.Eventually(t, "a server knows", func() bool { return figure(s, "verify_timestamp_seconds") >= began })
}
