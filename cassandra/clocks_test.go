package cassandra_test

import (
	"testing"
	"time"

	"broadsheet/cassandra"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// offset is the machine's clock, wrong by so much.
type offset time.Duration

func (o offset) Now() time.Time { return time.Now().Add(time.Duration(o)) }

// Servers whose clocks are apart, on the same posts and the same users: what one was
// told the others show, and nothing is lost or counted twice.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	config.AccountAge = shortAge
	var servers []*cassandra.Store
	for _, wrong := range []time.Duration{-5 * time.Second, 0, 5 * time.Second} {
		servers = append(servers, besideNodes(t, config, offset(wrong)))
	}
	w := newWorkload(t, config, servers, 9)
	w.start()
	took := w.progress(storetest.SoakTimes(t, 600))
	w.stop()
	t.Logf("%.0f commands a second", float64(w.acknowledged())/took.Seconds())
	if n := w.failuresAfter(w.began); n > 0 {
		t.Errorf("%d commands failed: %s", n, w.failed(w.began))
	}
	for _, server := range servers {
		w.check(server)
	}
}
