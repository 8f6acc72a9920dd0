package load

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// outageLines is how many lines the log may have of an outage.
const outageLines = 200

// TestSoakOutageLog has a server lose its node for a minute, and in another one the node hang.
func TestSoakOutageLog(t *testing.T) {
	storetest.Soaks(t)
	cassandratest.OnNode(t)
	outages(t, time.Minute)
}

// TestOutageLog is TestSoakOutageLog in small.
func TestOutageLog(t *testing.T) {
	t.Parallel()
	outages(t, 2*time.Second)
}

// outages are asked 400 times a second for what the store has: the log has few lines, and they count every request.
func outages(t *testing.T, lasts time.Duration) {
	config := testkeyspace.New(t)
	proxy := faultproxy.Start(t, config.Hosts)
	line := proxy.Line(0)
	config.Hosts = proxy.Hosts()
	p := harness.LaunchProcess(t, harness.On(config, "--cassandra-timeout", "2s")...)
	p.As("ann", `mutation {createUser(input: {username: "ann"}) {user {id} userErrors {code}}}`, "").OK()
	for _, outage := range []struct {
		name       string
		begin, end func()
	}{
		{"no node", func() { line.Refuse(true); line.Cut() }, func() { line.Refuse(false) }},
		{"a node that hangs", func() { line.Stall(faultproxy.ToServer) }, line.Flow},
	} {
		p.Ready()
		before := len(p.Log.String())
		outage.begin()
		failed := askOften(p, lasts)
		outage.end()
		if failed == 0 {
			t.Errorf("%s: no request failed", outage.name)
		}
		log, counted := "", 0
		harness.EventuallyEvery(t, 100*time.Millisecond, "the log has counted all requests that failed", func() bool {
			p.As("ann", `{viewer {id}}`, "") // a count comes with the next line
			log = p.Log.String()[before:]
			counted = failures(log)
			return counted >= failed
		})
		lines := strings.Count(log, "\n") - strings.Count(log, "code=OK")
		t.Logf("%s for %v: %d requests failed, and the log has %d lines, which count %d", outage.name, lasts, failed, lines, counted)
		if lines > outageLines {
			t.Errorf("%s: the log has %d lines: %.10000s", outage.name, lines, log)
		}
	}
}

// askOften asks 400 times a second, and returns how many requests failed.
func askOften(p *harness.Process, during time.Duration) int {
	var asked sync.WaitGroup
	var failed atomic.Int64
	ticks := time.NewTicker(time.Second / 400)
	defer ticks.Stop()
	questions := []string{`{viewer {id}}`, `{feed {edges {cursor}}}`, `{user(username: "ann") {id}}`,
		`mutation {createPost(input: {title: "T", content: "C"}) {post {id} userErrors {code}}}`}
	end := time.After(during)
	for i := 0; ; i++ {
		select {
		case <-end:
			asked.Wait()
			return int(failed.Load())
		case <-ticks.C:
		}
		asked.Go(func() {
			a, err := p.Try(http.MethodPost, "/graphql", strings.NewReader(`{"query":`+harness.Quote(questions[i%len(questions)])+`}`),
				map[string]string{"Content-Type": "application/json", "Authorization": "Bearer ann"})
			if err != nil {
				p.T.Error(err)
			} else if a.Code() != "OK" {
				failed.Add(1)
			}
		})
	}
}

var failure = regexp.MustCompile(`level=WARN msg=request .*?(?: repeated=(\d+))?\n`)

// failures returns how many requests a log says have failed.
func failures(log string) (n int) {
	for _, found := range failure.FindAllStringSubmatch(log, -1) {
		if repeated, err := strconv.Atoi(found[1]); err == nil {
			n += repeated
		} else {
			n++
		}
	}
	return n
}
