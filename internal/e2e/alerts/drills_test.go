// Package alerts has what deploy/alerts.yml is for happen to real servers and nodes.
package alerts

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// drill is something that happens to a server, what fires at its end, what fires only later, and what mends it.
type drill struct {
	name         string
	begin        func()
	lasts        time.Duration
	fires, later []string
	end          func()
}

const (
	scrape = 30 * time.Second
	before = 90 * time.Second
	after  = 3 * time.Minute
	long   = 8 * time.Minute // what looks back for five minutes may wait as long
)

// drilled is a server under a load, which may be another process after a while.
type drilled struct {
	t       *testing.T
	process atomic.Pointer[harness.Process]
}

func serving(t *testing.T, args ...string) *drilled {
	d := &drilled{t: t}
	d.launch(args...)
	return d
}

func (d *drilled) launch(args ...string) {
	d.process.Store(harness.LaunchProcess(d.t, args...))
	d.process.Load().Ready()
}

func (d *drilled) url() string { return d.process.Load().URL }

// asked has the server read and written by one user until t ends, whether or not it answers.
func (d *drilled) asked() {
	client := &http.Client{Timeout: 5 * time.Second}
	for _, operation := range []string{
		`{ feed(first: 20) { edges { node { title } } } }`,
		`{ viewer { posts(first: 20) { edges { node { title } } } } }`,
		`mutation { createUser(input: {username: "author"}) { user { id } userErrors { code } } }`,
		`mutation { createPost(input: {title: "T", content: "c"}) { post { id } userErrors { code } } }`,
	} {
		go func() {
			for d.t.Context().Err() == nil {
				request, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.url()+"/graphql", strings.NewReader(`{"query":`+harness.Quote(operation)+`}`))
				if err != nil {
					return
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", "Bearer author")
				if response, err := client.Do(request); err == nil {
					_ = response.Body.Close()
				}
				time.Sleep(500 * time.Millisecond)
			}
		}()
	}
}

// through records drills, one after another, as they are while a server is scraped that often.
func (d *drilled) through(drills ...drill) (tests []string) {
	d.t.Helper()
	for _, drill := range drills {
		d.t.Logf("%s: begins", drill.name)
		r := record(d.t, drill.name, scrape, scraped(d.url))
		r.during(before)
		drill.begin()
		r.during(drill.lasts)
		r.want(firing, drill.fires...)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			drill.end()
		}()
		if len(drill.later) > 0 {
			r.during(long - after)
		}
		r.during(after)
		<-ended
		r.want(firing)
		r.want(fired, append(drill.fires, drill.later...)...)
		tests = append(tests, r.test())
	}
	return tests
}

// Each alert fires by its fault on real parts, and no other: what Prometheus would have seen is recorded, and given to
// promtool with the rules. BROADSHEET_SOAK_DRILLS is a file that keeps it.
func TestSoakAlerts(t *testing.T) {
	storetest.Soaks(t)
	tests := make(chan []string, 6)
	t.Run("drills", func(t *testing.T) {
		for name, drills := range map[string]func(t *testing.T) []string{
			"a server": aServer, "a disk": aDisk, "keys": keys, "checks": checks, "nodes": nodes, "clock": clock,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tests <- drills(t)
			})
		}
	})
	close(tests)
	var all []string
	for some := range tests {
		all = append(all, some...)
	}
	slices.Sort(all)
	file := cmp.Or(os.Getenv("BROADSHEET_SOAK_DRILLS"), filepath.Join(t.TempDir(), "drills_test.yml"))
	rules := filepath.Join(harness.Repository, "deploy/alerts.yml")
	if relative, err := filepath.Rel(filepath.Dir(file), rules); err == nil {
		rules = relative
	}
	text := "# Written by TestSoakAlerts: what each fault showed of a server, and the alerts that it has to give.\nrule_files: [" + rules +
		"]\nevaluation_interval: 30s\ntests:\n" + strings.Join(all, "")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", file).CombinedOutput()
	if t.Logf("%s", out); err != nil {
		t.Error(err)
	}
}

// backedUp returns flags of a store that has been backed up and verified.
func backedUp(t *testing.T, dir string) []string {
	flags := []string{"--data-dir", filepath.Join(dir, "data")}
	s := harness.LaunchProcess(t, flags...)
	s.Ready()
	lookAfter(t, dir)
	s.Terminate()
	return flags
}

// lookAfter is what an operator does each day, or week.
func lookAfter(t *testing.T, dir string) {
	t.Helper()
	harness.Want(t, 0, "", "backup", "--data-dir", filepath.Join(dir, "data"), filepath.Join(dir, "backup"))
	harness.Want(t, 0, "", "verify", "--data-dir", filepath.Join(dir, "data"))
}

func aServer(t *testing.T) []string {
	flags := backedUp(t, t.TempDir())
	d := serving(t, flags...)
	d.asked()
	return d.through(drill{
		name:  "a server is killed",
		begin: func() { d.process.Load().Kill() },
		lasts: 3 * time.Minute,
		fires: []string{"Gone"},
		end:   func() { d.launch(flags...) },
	})
}

func aDisk(t *testing.T) []string {
	disk := t.TempDir()
	run(t, "mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", disk)
	t.Cleanup(func() { run(t, "umount", "--lazy", disk) })
	d := serving(t, backedUp(t, disk)...)
	d.asked()
	full := filepath.Join(disk, "full")
	return d.through(drill{
		name:  "a disk is full",
		begin: func() { run(t, "fallocate", "--length", "200M", full) },
		lasts: 3 * time.Minute,
		fires: []string{"WritesRefused"},
		later: []string{"Fails"},
		end:   func() { run(t, "rm", full) },
	})
}

func run(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

func keys(t *testing.T) []string {
	dir := t.TempDir()
	harness.Want(t, 0, "", "token", "--new-key", dir, "--subject", "author")
	var away atomic.Bool
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		http.ServeFile(w, r, filepath.Join(dir, "jwks.json"))
	}))
	t.Cleanup(issuer.Close)
	d := serving(t, append(backedUp(t, t.TempDir()), "--auth", "jwt", "--jwks-url", issuer.URL, "--jwt-issuer", "broadsheet", "--jwt-audience", "broadsheet")...)
	return d.through(drill{
		name:  "an issuer is away",
		begin: func() { away.Store(true) },
		lasts: 25 * time.Minute,
		fires: []string{"KeysOld"},
		end:   func() { away.Store(false) },
	})
}

func checks(t *testing.T) []string {
	dir := t.TempDir()
	d := serving(t, "--data-dir", filepath.Join(dir, "data"))
	d.asked()
	return d.through(drill{
		name:  "no backup was made, and nothing verified",
		begin: func() {},
		lasts: time.Minute,
		fires: []string{"BackupOld", "VerifyOld"},
		end:   func() { lookAfter(t, dir) },
	})
}

func nodes(t *testing.T) []string {
	three := cassandratest.Launch(t, cassandratest.Options{Nodes: 3})
	config := cassandra.Config{Config: cluster.Config{Hosts: three.Hosts(), Keyspace: "drills"}}
	d := onCluster(t, config, "3")
	sick := three.Node(2)
	all := func(do func(*cassandratest.Node) error) func() {
		return func() {
			for i := range 3 {
				must(t, do(three.Node(i)))
			}
		}
	}
	var away []string
	for _, host := range three.Hosts() {
		away = append(away, "NodeAway "+host)
	}
	return d.through(
		drill{
			name:  "a node hangs",
			begin: func() { must(t, sick.Pause()) },
			lasts: 3 * time.Minute,
			fires: []string{"NodeAway " + sick.Host()},
			end:   func() { must(t, sick.Resume()) },
		},
		drill{
			name:  "a node is killed",
			begin: func() { must(t, sick.Kill()) },
			lasts: 3 * time.Minute,
			fires: []string{"NodeAway " + sick.Host()},
			end:   func() { must(t, sick.Restart(t.Context())) },
		},
		drill{
			name:  "all nodes hang",
			begin: all((*cassandratest.Node).Pause),
			lasts: 4 * time.Minute,
			fires: append(away, "NotReady", "RecoveryStopped"),
			later: []string{"Fails", "StoreFails"},
			end:   all((*cassandratest.Node).Resume),
		},
		drill{
			name:  "leases can't be written",
			begin: func() { testkeyspace.Execute(t, config, "DROP TABLE %s.leases") },
			lasts: 5 * time.Minute,
			fires: []string{"RecoveryStopped"},
			end: func() {
				testkeyspace.Execute(t, config, "CREATE TABLE %s.leases (name text, owner uuid, PRIMARY KEY ((name))) WITH gc_grace_seconds = 10800")
			},
		},
	)
}

// wrongClock is preloaded into a node. What libfaketime does for it takes Java all processors.
const wrongClock = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static const volatile signed char *offset; // seconds

__attribute__((constructor)) static void begin(void) {
	offset = mmap(0, 1, PROT_READ, MAP_SHARED, open(getenv("CLOCK_OFFSET"), O_RDONLY), 0);
}

int clock_gettime(clockid_t id, struct timespec *now) {
	static int (*real)(clockid_t, struct timespec *);
	if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
	int failed = real(id, now);
	if (id == CLOCK_REALTIME && offset && offset != MAP_FAILED) now->tv_sec += *offset;
	return failed;
}
`

func clock(t *testing.T) []string {
	dir := t.TempDir()
	source, library, offset := filepath.Join(dir, "clock.c"), filepath.Join(dir, "clock.so"), filepath.Join(dir, "offset")
	file, err := os.Create(offset) // which nodes map
	must(t, err)
	t.Cleanup(func() { must(t, file.Close()) })
	set := func(seconds int8) {
		_, err := file.WriteAt([]byte{byte(seconds)}, 0)
		must(t, err)
	}
	set(0)
	must(t, os.WriteFile(source, []byte(wrongClock), 0o644))
	run(t, "gcc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl")
	one := cassandratest.Launch(t, cassandratest.Options{Env: []string{"LD_PRELOAD=" + library, "CLOCK_OFFSET=" + offset}})
	config := cassandra.Config{Config: cluster.Config{Hosts: one.Hosts(), Keyspace: "drills"}}
	return onCluster(t, config, "1").through(drill{
		name:  "the nodes' clocks are wrong",
		begin: func() { set(-30) },
		lasts: 5 * time.Minute,
		fires: []string{"ClockWrong", "RecoveryStopped", "WritesRefused"},
		later: []string{"Fails"},
		end:   func() { set(0) },
	})
}

// onCluster is a server on a cluster that was verified.
func onCluster(t *testing.T, config cassandra.Config, replicas string) *drilled {
	harness.Want(t, 0, "", harness.On(config, "migrate", "apply", "--cassandra-replication", replicas)...)
	harness.Want(t, 0, "", harness.On(config, "verify")...)
	d := serving(t, harness.On(config)...)
	d.asked()
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A drill in small: what is recorded of a server that is killed and comes back.
func TestRecording(t *testing.T) {
	t.Parallel()
	flags := []string{"--data-dir", t.TempDir()}
	d := serving(t, flags...)
	r := record(t, "a server is killed", 200*time.Millisecond, scraped(d.url))
	r.during(time.Second)
	d.process.Load().Kill()
	r.during(time.Second)
	r.want(firing, "Gone")
	d.launch(flags...)
	r.during(time.Second)
	for _, want := range []string{
		`{series: 'up{job="broadsheet",instance="a"}', values: '1x4 0x4 1x4'}`,
		`{series: 'broadsheet_ready{job="broadsheet",instance="a"}', values: '1x4 stale _x4 1x4'}`,
		"eval_time: 1.8s\n        exp_samples:\n          - {labels: '{alertname=\"BroadsheetGone\"}', value: 1}\n",
	} {
		if got := r.test(); !strings.Contains(got, want) {
			t.Errorf("%s\nlacks\n%s", got, want)
		}
	}
}
