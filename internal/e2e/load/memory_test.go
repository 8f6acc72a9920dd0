package load

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// The memory that docs/operations.md has operators plan for, in bytes: of Cassandra, and with the embedded store's
// cache and memtables. Answers and bodies, which are bounded by limits of their own, are small here.
const (
	mostMemory         = 150<<20 + soakClients*24<<20/1000
	mostMemoryEmbedded = mostMemory + 16<<20 + 16<<20
)

// steadiness is how much more the median of the last third may be than that of the middle
// one: caches that fill up as the data grows, of 16,384 accounts, heads of posts, references
// to posts and rates of subjects each, take a few MB; and what the collector leaves differs by
// some tenth from one cycle to the next.
func steadiness(median uint64) uint64 { return median/10 + 8<<20 }

// TestSoakMemory has 64 connections ask for everything, for ten minutes or as long as
// BROADSHEET_SOAK_MEMORY says: what the server takes of memory is bounded, and stays what it
// is. The data grows meanwhile, by what is printed; the collector goes by GOGC and GOMEMLIMIT.
func TestSoakMemory(t *testing.T) {
	storetest.Soaks(t)
	during, err := time.ParseDuration(cmp.Or(os.Getenv(storetest.SoakEnv+"_MEMORY"), "10m"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("embedded", func(t *testing.T) {
		testMemory(t, mostMemoryEmbedded, during, "--data-dir", t.TempDir())
	})
	t.Run("cassandra", func(t *testing.T) {
		cassandratest.Real(t, "a load that lasts: a double keeps all that is ever written")
		testMemory(t, mostMemory, during, harness.On(testkeyspace.New(t))...)
	})
}

// TestMemory is TestSoakMemory in small. Its seconds are too few for memory to be steady.
func TestMemory(t *testing.T) {
	testMemory(t, mostMemoryEmbedded, 3*time.Second, "--data-dir", t.TempDir())
}

// settlesAfter is from when on memory is steady: caches have filled, and the collector has its pace.
const settlesAfter = time.Minute

func testMemory(t *testing.T, most uint64, during time.Duration, args ...string) {
	p := harness.LaunchProcess(t, append(args, "--demo", "--admin-listen", "127.0.0.1:0")...)
	idle := memoryOf(p)
	load := newMixedLoad(t, p)
	over := load.start()
	var samples []uint64
	every := time.NewTicker(max(during/300, 100*time.Millisecond))
	defer every.Stop()
	for began := time.Now(); time.Since(began) < during; <-every.C {
		samples = append(samples, memoryOf(p))
	}
	did := over()

	third := len(samples) / 3
	middle, last := median(samples[third:2*third]), median(samples[2*third:])
	t.Logf("memory (RSS) before: %d MiB; medians of the thirds: %d, %d, %d MiB; at most %d MiB, and %d are allowed",
		idle>>20, median(samples[:third])>>20, middle>>20, last>>20, slices.Max(samples)>>20, most>>20)
	t.Logf("the heap at the end: %s", heapOf(p))
	t.Logf("%d requests a second: %s", int(float64(did.n)/during.Seconds()), did)
	if during >= settlesAfter && last > middle+steadiness(middle) {
		t.Errorf("it grows: the last third has %d bytes more than the middle one, and %d are allowed", last-middle, steadiness(middle))
	}
	if highest := slices.Max(samples); highest > most {
		t.Errorf("it took %d bytes, and at most %d are allowed", highest, most)
	}
	p.As("", "{feed {edges {cursor}}}", "").OK()
}

// memory returns what the process takes of memory (RSS), in bytes.
func memoryOf(p *harness.Process) uint64 {
	p.T.Helper()
	if runtime.GOOS != "linux" {
		p.T.Skip("only /proc tells what a process takes of memory")
	}
	proc, err := procfs.NewProc(p.Cmd.Process.Pid)
	if err != nil {
		p.T.Fatal(err)
	}
	status, err := proc.NewStatus()
	if err != nil {
		p.T.Fatal(err)
	}
	return status.VmRSS
}

var heapLine = regexp.MustCompile(`(?m)^# (HeapAlloc|HeapInuse|HeapSys|HeapReleased|Stack|NumGC) = (\d+)`)

// heap tells what Go says of its heap, just collected. --admin-listen must be given.
func heapOf(p *harness.Process) string {
	p.T.Helper()
	var told []string
	for _, found := range heapLine.FindAllStringSubmatch(p.Operators().Get("/debug/pprof/heap?gc=1&debug=1").Text, -1) {
		n, _ := strconv.Atoi(found[2])
		if found[1] != "NumGC" {
			found[2] = fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
		}
		told = append(told, found[1]+" "+found[2])
	}
	return strings.Join(told, ", ")
}

func median(samples []uint64) uint64 {
	sorted := slices.Sorted(slices.Values(samples))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// outcomes counts requests by what they asked for and what came of them.
type outcomes struct {
	n    int
	kind map[string]int
}

func (o *outcomes) add(kind, code string) {
	o.n++
	o.kind[kind+" "+code]++
}

func (o outcomes) String() string {
	var lines []string
	for _, kind := range slices.Sorted(maps.Keys(o.kind)) {
		lines = append(lines, fmt.Sprintf("%s: %d", kind, o.kind[kind]))
	}
	return strings.Join(lines, ", ")
}
