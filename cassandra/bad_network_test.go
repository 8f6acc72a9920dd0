package cassandra_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// Two servers at once on the same posts and users. One's way to the cluster is slow,
// is cut, stalls, and loses every so many requests and answers; some requests arrive
// long after their command has ended. What was acknowledged is there, all is counted
// exactly, and every copy is right in the end.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	proxy := faultproxy.Start(t, config.Hosts)
	line := proxy.Line(0)
	behind := config
	behind.Hosts, behind.Timeout = proxy.Hosts(), 2*time.Second
	bad, good := testkeyspace.Open(t, behind, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})
	w := newWorkload(t, config, []*cassandra.Store{bad, good}, 8)
	w.start()
	part := storetest.SoakTimes(t, 100)

	line.Delay(faultproxy.ToNode, 5*time.Millisecond, 10*time.Millisecond)
	line.Delay(faultproxy.ToServer, 5*time.Millisecond, 10*time.Millisecond)
	t.Logf("slow: %d commands in %v", part, w.progress(part).Round(time.Millisecond))
	line.Delay(faultproxy.ToNode, 0, 0)
	line.Delay(faultproxy.ToServer, 0, 0)

	for range 5 {
		line.Cut()
		w.progress(part / 5)
	}

	proxy.SetRule(everySoMany(storetest.Seed(t)))
	for range 10 {
		w.progress(part / 5)
		proxy.Release()
	}
	proxy.SetRule(nil)
	proxy.Release()

	stalled := time.Now()
	line.Stall(faultproxy.ToServer)
	eventuallyFails(t, w, stalled)
	line.Flow()
	w.progress(part)

	w.stop()
	for _, server := range w.servers {
		w.check(server)
	}
}

// everySoMany is a rule by which some statements are lost, some answers, and some
// statements come late.
func everySoMany(seed uint64) faultproxy.Rule {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 0))
	return func(r faultproxy.Request) faultproxy.Fault {
		mu.Lock()
		defer mu.Unlock()
		switch n := random.IntN(200); {
		case !r.IsStatement():
			return faultproxy.None
		case n < 2:
			return faultproxy.Fail
		case n < 5:
			return faultproxy.LoseAnswer
		case n < 6:
			return faultproxy.Late
		default:
			return faultproxy.None
		}
	}
}

// eventuallyFails waits until a command has failed since a time.
func eventuallyFails(t *testing.T, w *workload, since time.Time) {
	t.Helper()
	hang := time.After(workloadPatience)
	for w.failuresAfter(since) == 0 {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-hang:
			t.Fatal("no command fails while the line stalls")
		}
	}
	t.Logf("the first command failed %v after the line stalled", time.Since(since).Round(time.Millisecond))
}
