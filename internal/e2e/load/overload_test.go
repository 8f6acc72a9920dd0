package load

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
)

// At twice the load that the server can bear it answers as many as ever and refuses the others at once, and when it is
// over it is over. It prints figures. Server and generator share the processors, of which a generator of twice the
// load takes more: what can be answered goes by what it leaves.
func TestOverload(t *testing.T) {
	testOverload(t, overload{bearable: time.Second, twice: 2 * time.Second})
}

// TestSoakOverload takes 30 s of twice the load. That the answers collapse is what it would notice: how many there are
// is printed, for a machine that does something else meanwhile, or is slower by then, gives others.
func TestSoakOverload(t *testing.T) {
	storetest.Soaks(t)
	testOverload(t, overload{bearable: 15 * time.Second, twice: 30 * time.Second, goodput: 0.5, recovery: 2 * time.Second})
}

type overload struct {
	bearable, twice time.Duration // how long each load lasts
	goodput         float64       // the least part of what the processors left can answer; 0: it is printed only
	recovery        time.Duration // the longest until latencies are as before; 0: it is printed only
}

// Connections of the closed loop, and of the open one: more than may be executed and wait.
const (
	closedLoop = 64
	openLoop   = 3072
)

func testOverload(t *testing.T, o overload) {
	p := harness.LaunchProcess(t, "--demo", "--data-dir", t.TempDir())
	g := newGenerator(t, p)
	g.closed(closedLoop, o.bearable/4) // warms up
	normal := g.closed(1, o.bearable/4).answered.percentile(99)

	bearable := g.closed(closedLoop, o.bearable)
	t.Logf("bearable, %d connections: %v", closedLoop, bearable)
	over := g.open(2*bearable.rate(), o.twice)
	t.Logf("twice that, %d connections: %v", openLoop, over)
	recovery := g.recovers(normal)
	goodput := over.rate() / bearable.rate() / (over.left() / bearable.left())
	t.Logf("goodput is %.0f %% of what is bearable, and %.0f %% of it on the processors that the generator leaves; latencies are as before, %v, %v after it",
		100*over.rate()/bearable.rate(), 100*goodput, normal, recovery.Round(time.Millisecond))

	if over.other > 0 || bearable.other > 0 || bearable.refused.n() > 0 {
		t.Errorf("answers that are neither 200 nor, in the overload, 503: %v, %v", bearable, over)
	}
	if over.refused.n() == 0 && over.unsent == 0 {
		t.Logf("there was no overload")
	}
	if goodput < o.goodput || o.recovery > 0 && recovery > o.recovery {
		t.Errorf("the goodput is below %.0f %%, or the recovery takes more than %v", 100*o.goodput, o.recovery)
	}
	p.As("alice", "{viewer {id}}", "").OK()
}

// generator asks a server, as one of its users, for the feed with comments, which no requests share: what is refused
// has to cost less than what is answered. It takes as little of the machine as it can.
type generator struct {
	t       *testing.T
	p       *harness.Process
	request []byte
}

func newGenerator(t *testing.T, p *harness.Process) *generator {
	body := `{"query":"query Feed {feed(first: 20) {edges {node {id title excerpt createdAt commentCount likeCount viewerHasLiked author {id username} comments(first: 5) {edges {node {content author {username}}}}}}}}"}`
	return &generator{t, p, fmt.Appendf(nil, "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer alice\r\nContent-Length: %d\r\n\r\n%s", len(body), body)}
}

// load is what came of requests in a time.
type load struct {
	took              time.Duration
	answered, refused latencies
	other             int // answers of other kinds, and none
	unsent            int // no connection was free
	generator, server time.Duration
}

func (l *load) rate() float64 { return float64(l.answered.n()) / l.took.Seconds() }

// left returns how many processors the generator left, half of one at least: of less nothing can be said, and few
// answers would do.
func (l *load) left() float64 {
	return max(float64(runtime.NumCPU())-l.generator.Seconds()/l.took.Seconds(), 0.5)
}

func (l *load) String() string {
	return fmt.Sprintf("%.0f/s answered (p50 %v, p99 %v), %.0f/s refused (p50 %v, p99 %v), %d else, %d unsent; CPU %.2f of a core in the generator, %.2f in the server",
		l.rate(), l.answered.percentile(50), l.answered.percentile(99),
		float64(l.refused.n())/l.took.Seconds(), l.refused.percentile(50), l.refused.percentile(99), l.other, l.unsent,
		l.generator.Seconds()/l.took.Seconds(), l.server.Seconds()/l.took.Seconds())
}

// latencies are those of one outcome.
type latencies []time.Duration

func (l latencies) n() int { return len(l) }

func (l latencies) percentile(p int) time.Duration {
	if len(l) == 0 {
		return 0
	}
	sorted := slices.Clone(l)
	slices.Sort(sorted)
	return sorted[min(len(sorted)*p/100, len(sorted)-1)].Round(100 * time.Microsecond)
}

// closed has so many clients that ask again as soon as they are answered.
func (g *generator) closed(clients int, during time.Duration) *load {
	var over atomic.Bool
	time.AfterFunc(during, func() { over.Store(true) })
	return g.measure(clients, func() (time.Time, bool) { return time.Now(), !over.Load() })
}

// open has requests arrive at a rate, whatever becomes of those before. A latency counts
// from when its request was due.
func (g *generator) open(rate float64, during time.Duration) *load {
	arrivals := make(chan time.Time, openLoop)
	unsent := 0
	var scheduling sync.WaitGroup
	scheduling.Go(func() {
		defer close(arrivals)
		ticks := time.NewTicker(time.Millisecond)
		defer ticks.Stop()
		began, sent := time.Now(), 0
		for now := range ticks.C {
			for ; float64(sent) < now.Sub(began).Seconds()*rate; sent++ {
				select {
				case arrivals <- now:
				default:
					unsent++
				}
			}
			if now.Sub(began) > during {
				return
			}
		}
	})
	l := g.measure(openLoop, func() (time.Time, bool) { due, ok := <-arrivals; return due, ok })
	scheduling.Wait()
	l.unsent = unsent
	return l
}

// measure has clients ask whenever next says so, each on a connection of its own.
func (g *generator) measure(clients int, next func() (due time.Time, more bool)) *load {
	conns := make([]*client, clients)
	for i := range conns {
		conns[i] = g.dial()
	}
	self, server, began := cpuOfSelf(g.t), cpuOf(g.t, g.p.Cmd.Process.Pid), time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	sum := &load{}
	for _, conn := range conns {
		all.Go(func() {
			defer conn.Close()
			one := conn.work(g.request, next)
			mu.Lock()
			defer mu.Unlock()
			sum.answered = append(sum.answered, one.answered...)
			sum.refused = append(sum.refused, one.refused...)
			sum.other += one.other
		})
	}
	all.Wait()
	sum.took = time.Since(began)
	sum.generator, sum.server = cpuOfSelf(g.t)-self, cpuOf(g.t, g.p.Cmd.Process.Pid)-server
	return sum
}

// recovers asks until ten answers in a row took no longer than normal, and returns how long
// that took.
func (g *generator) recovers(normal time.Duration) time.Duration {
	conn := g.dial()
	defer conn.Close()
	began := time.Now()
	for row, due := 0, began; row < 10 && time.Since(began) < harness.Soon; due = time.Now() {
		if status := conn.ask(g.request); status == http.StatusOK && time.Since(due) <= 2*normal {
			row++
			continue
		}
		row = 0
	}
	return time.Since(began)
}

// client is one connection.
type client struct {
	net.Conn
	r *bufio.Reader
}

func (g *generator) dial() *client {
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.p.URL, "http://"))
	if err != nil {
		g.t.Fatal(err)
	}
	return &client{conn, bufio.NewReaderSize(conn, 16<<10)}
}

func (c *client) work(request []byte, next func() (time.Time, bool)) (one load) {
	for {
		due, more := next()
		if !more {
			return one
		}
		switch c.ask(request) {
		case http.StatusOK:
			one.answered = append(one.answered, time.Since(due))
		case http.StatusServiceUnavailable:
			one.refused = append(one.refused, time.Since(due))
		default:
			one.other++
			return one
		}
	}
}

// ask returns the status of one answer, 0 where there is none. It reads what it must of
// HTTP, for net/http's client takes more of the machine than the server does.
func (c *client) ask(request []byte) (status int) {
	if _, err := c.Write(request); err != nil {
		return 0
	}
	length := 0
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return 0
		}
		if status == 0 && len(line) > 12 {
			status, _ = strconv.Atoi(string(line[9:12]))
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
		if len(line) == 2 {
			break
		}
	}
	if _, err := io.CopyN(io.Discard, c.r, int64(length)); err != nil {
		return 0
	}
	return status
}

// cpuOfSelf returns the CPU time that this process has taken.
func cpuOfSelf(t *testing.T) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// cpuOf returns that of another process; 0 where the system does not tell. See proc(5):
// hundredths of a second, in the 14th and 15th field.
func cpuOf(t *testing.T, pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Logf("the server's CPU time is not known: %v", err)
		return 0
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	fields := bytes.Fields(rest) // from the third
	user, uerr := strconv.Atoi(string(fields[11]))
	system, serr := strconv.Atoi(string(fields[12]))
	if uerr != nil || serr != nil {
		t.Fatal(uerr, serr)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
