package kill

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// A node's keyspace is backed up by deploy/backup.sh, loses a table of truths, and has it again.
func TestRestore(t *testing.T) {
	t.Parallel()
	d := newDrill(t, 1, "1")
	d.cut("not all of node0 was copied", "backup", d.backup+"-cut")
	d.script("backup", d.backup)
	d.cut("node0 was not given all", "restore", d.backup)
	d.lacking("-Data.db")
	d.lacking("node0.info")
	d.lacking("SHA256SUMS")
	d.loseTable()
	harness.Want(t, 1, "lost truth", harness.On(d.config, "verify")...)
	d.restoreTable()
}

// Three nodes are backed up under eight writers, lose everything, and are restored: what had been acknowledged is there,
// and a repair that is not forced mends what the moments of the snapshot left apart. Then a table of truths is lost.
// BROADSHEET_SOAK_USERS says how large the blog is.
func TestSoakRestore(t *testing.T) {
	storetest.Soaks(t)
	users := os.Getenv("BROADSHEET_SOAK_USERS")
	if users == "" {
		users = "12"
	}
	d := newDrill(t, 3, users)
	d.loseEverything()
	d.loseTable() // verify would look at each row three times, for more than an hour
	d.restoreTable()
}

// drill is a cluster with a blog, and its backup.
type drill struct {
	t      *testing.T
	nodes  *cassandratest.Cluster
	config cassandra.Config
	env    []string // of deploy/backup.sh
	sick   string   // a file: while it is there no tar reads all
	backup string
	cursor string   // of the change feed, after the backup
	kept   []string // posts with a comment and a like that were acknowledged before the backup
}

func newDrill(t *testing.T, nodes int, users string) *drill {
	t.Helper()
	d := &drill{t: t, backup: filepath.Join(t.TempDir(), "backup")}
	d.nodes = cassandratest.Launch(t, cassandratest.Options{Nodes: nodes, JMX: true, JVM: []string{"-Dcassandra.unsafesystem=true"}})
	d.config = cassandra.Config{Config: cluster.Config{Hosts: d.nodes.Hosts(), Keyspace: "drill"}}
	d.reach(nodes)
	d.migrate()
	d.timed("seed", func() {
		t.Log(harness.Want(t, 0, "users", harness.On(d.config, "seed", "--users", users, "--concurrency", "128")...))
	})
	return d
}

// reach writes what takes the place of ssh: a program that runs a command as on a node.
func (d *drill) reach(nodes int) {
	dir, names := d.t.TempDir(), ""
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		must(d.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(d.t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	for i := range nodes {
		name, node := fmt.Sprint("node", i), d.nodes.Node(i)
		names += name + " "
		write(name+"/nodetool", "exec '"+strings.Join(node.Nodetool(), "' '")+`' "$@"`)
		write(name+"/data", "echo '"+node.Data()+"'")
	}
	tar, err := exec.LookPath("tar")
	must(d.t, err)
	d.sick = filepath.Join(dir, "sick")
	write("bin/tar", fmt.Sprintf(`%s "$@" && { [ "$1" != cf ] || [ ! -e '%s' ]; }`, tar, d.sick))
	write("on", fmt.Sprintf(`PATH=%s/$1:$PATH CASSANDRA_DATA=$(%[1]s/$1/data) exec sh -c "$2"`, dir))
	d.env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "NODES="+strings.TrimSpace(names), "KEYSPACE="+d.config.Keyspace, "ON="+filepath.Join(dir, "on"), "TEXTFILES="+dir)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (d *drill) migrate() {
	d.timed("migrate apply", func() {
		harness.Want(d.t, 0, "", harness.On(d.config, "migrate", "apply", "--cassandra-replication", strconv.Itoa(len(d.nodes.Hosts())))...)
	})
}

// script runs deploy/backup.sh.
func (d *drill) script(args ...string) {
	d.t.Helper()
	d.timed("backup.sh "+args[0]+" "+strings.Join(args[min(2, len(args)):], " "), func() {
		if out, err := d.ran(args...); err != nil {
			d.t.Fatalf("backup.sh %v: %v\n%s", args, err, out)
		}
	})
}

func (d *drill) ran(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(d.t.Context(), "deploy/backup.sh", args...)
	cmd.Env = d.env
	return cmd.CombinedOutput()
}

// cut runs it while files are cut off, and wants it to say so and fail.
func (d *drill) cut(says string, args ...string) {
	d.t.Helper()
	must(d.t, os.WriteFile(d.sick, nil, 0o644))
	out, err := d.ran(args...)
	must(d.t, os.Remove(d.sick))
	if _, whole := os.Stat(filepath.Join(d.backup+"-cut", "SHA256SUMS")); err == nil || !strings.Contains(string(out), says) || whole == nil {
		d.t.Errorf("backup.sh %v: %v, a backup that is whole: %t\n%s", args, err, whole == nil, out)
	}
}

func (d *drill) timed(what string, do func()) {
	d.t.Helper()
	began := time.Now()
	do()
	d.t.Logf("%7.1f s  %s", time.Since(began).Seconds(), what)
}

// backUp makes the backup under eight writers.
func (d *drill) backUp() {
	server := harness.LaunchProcess(d.t, harness.On(d.config)...)
	var mu sync.Mutex
	var written []string
	var writing sync.WaitGroup
	over, end := context.WithCancel(d.t.Context())
	defer end()
	for i := range 8 {
		subject := fmt.Sprint("drill_", i)
		server.As(subject, fmt.Sprintf(`mutation { createUser(input: {username: %q}) { user { id } } }`, subject), "").OK()
		writing.Go(func() {
			for over.Err() == nil {
				post := server.As(subject, `mutation { createPost(input: {title: "T", content: "c"}) { post { id } } }`, "").OK().At("data.createPost.post.id")
				server.As(subject, fmt.Sprintf(`mutation { likePost(input: {postId: %[1]q}) { post { id } } createComment(input: {postId: %[1]q, content: "c"}) { post { id } } }`, post), "").OK()
				mu.Lock()
				written = append(written, post)
				mu.Unlock()
			}
		})
	}
	acknowledged := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return written
	}
	harness.Eventually(d.t, "something is written", func() bool { return len(acknowledged()) > 20 })
	d.kept = acknowledged()
	d.script("backup", d.backup)
	more := len(acknowledged())
	harness.Eventually(d.t, "more is written", func() bool { return len(acknowledged()) > more+8 })
	end()
	writing.Wait()
	d.cursor = d.feedNow()
	server.Kill()
	d.t.Logf("%d posts, each with a comment and a like, were acknowledged before the backup, %d during and after it", len(d.kept), len(acknowledged())-len(d.kept))
}

// feedNow returns a cursor of the change feed.
func (d *drill) feedNow() (cursor string) {
	var out harness.Output
	follower := program(d.t, &out, harness.On(d.config, "changes")...)
	first := regexp.MustCompile(`"cursor":"([^"]+)"`)
	harness.Eventually(d.t, "the change feed's cursor", func() bool { return first.MatchString(out.String()) })
	must(d.t, follower.Process.Kill())
	return first.FindStringSubmatch(out.String())[1]
}

func (d *drill) loseEverything() {
	d.backUp()
	d.timed("new nodes", func() {
		for i := range d.nodes.Hosts() {
			must(d.t, d.nodes.Node(i).Lose())
		}
		for i := range d.nodes.Hosts() {
			must(d.t, d.nodes.Node(i).Restart(d.t.Context()))
		}
	})
	d.migrate()
	d.script("restore", d.backup)
	server := harness.LaunchProcess(d.t, harness.On(d.config)...)
	d.mend("after the restore")
	for _, post := range d.kept {
		found := server.As("", fmt.Sprintf(`{ post(id: %q) { commentCount likeCount } }`, post), "").OK()
		found.Want("data.post.commentCount", "1")
		found.Want("data.post.likeCount", "1")
	}
	d.timed("the feed's cursor is expired", func() {
		harness.Want(d.t, 3, "", harness.On(d.config, "changes", "--after", d.cursor)...)
	})
	server.Kill()
}

var reportLine = regexp.MustCompile(`(?m)^(\w+) +(\d+) +(\d+) +(\d+)(?: +(\d+))?$`)

// mend repairs, without force, until verify finds nothing, and nothing that a server has yet to recover. The first of its
// repairs is killed once it has mended something, if it has not ended then, and goes on where it was.
func (d *drill) mend(when string) {
	d.t.Helper()
	file := filepath.Join(d.t.TempDir(), "checkpoint")
	repair := harness.On(d.config, "verify", "--repair", "--checkpoint", file)
	noted := func() int {
		text, _ := os.ReadFile(file)
		return strings.Count(string(text), `{"Mended":`)
	}
	d.timed("until the repair "+when+" is killed", func() {
		first := program(d.t, nil, repair...)
		ended := make(chan struct{})
		go func() {
			_ = first.Wait()
			close(ended)
		}()
		harness.Eventually(d.t, "something is mended, or all", func() bool {
			select {
			case <-ended:
				return true
			default:
				return noted() >= 100
			}
		})
		_ = first.Process.Kill()
		<-ended
	})
	d.t.Logf("%d were mended before it was killed", noted())
	harness.EventuallyEvery(d.t, time.Second, "verify finds nothing "+when, func() bool {
		began := time.Now()
		_, found, _ := harness.Command(d.t, repair...)
		took := time.Since(began).Seconds()
		var n [4]int // rows, in flight, drifted, repaired
		for _, line := range reportLine.FindAllStringSubmatch(found, -1) {
			for i, text := range line[2:] {
				in, _ := strconv.Atoi(text)
				n[i] += in
			}
		}
		d.t.Logf("%7.1f s  verify --repair %s: %d rows, %d in flight, %d drifted, %d repaired: %.0f rows and %.1f repairs a second",
			took, when, n[0], n[1], n[2], n[3], float64(n[0])/took, float64(n[3])/took)
		code, found, _ := harness.Command(d.t, harness.On(d.config, "verify")...)
		return code == 0 && !unclean.MatchString(found)
	})
}

func (d *drill) loseTable() { testkeyspace.Execute(d.t, d.config, "TRUNCATE %s.posts_by_id") }

// lacking fails unless a backup without one of its files is refused, and one in which that is another.
func (d *drill) lacking(file string) {
	d.t.Helper()
	var found string
	err := filepath.WalkDir(d.backup, func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, file) {
			found = name
		}
		return err
	})
	must(d.t, err)
	text, err := os.ReadFile(found)
	must(d.t, err)
	for _, damage := range []func() error{
		func() error { return os.Remove(found) },
		func() error {
			return os.WriteFile(found, append(text[:len(text)-1:len(text)-1], ^text[len(text)-1]), 0o600)
		},
	} {
		must(d.t, damage())
		if out, err := d.ran("restore", d.backup); err == nil || !strings.Contains(string(out), "is not whole, or damaged") {
			d.t.Errorf("%s: %v: %s", file, err, out)
		}
	}
	must(d.t, os.WriteFile(found, text, 0o600))
}

// restoreTable restores it alone.
func (d *drill) restoreTable() {
	d.script("restore", d.backup, "posts_by_id")
	d.mend("after the table's restore")
}
