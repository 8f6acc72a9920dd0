package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest/testkeyspace"
	"broadsheet/internal/program"
	"broadsheet/internal/storetest"
)

// beProgram makes the tests' own binary the program, for tests that kill it.
const beProgram = "BE_BROADSHEET"

// actAsProgram is main in a process that ends with the tests that started it: they hold
// its standard input open.
func actAsProgram() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	program.Main(sdl)
}

// process is a program that serves in a process of its own.
type process struct {
	*server
	cmd  *exec.Cmd
	args []string
}

func launchProcess(t testing.TB, args ...string) *process {
	t.Helper()
	return launchWith(t, nil, args...)
}

// launchContained is launchProcess within the memory of a small container.
func launchContained(t testing.TB, args ...string) *process {
	t.Helper()
	return launchWith(t, []string{"GOMEMLIMIT=185MiB"}, args...)
}

// launchWith is launchProcess with more in its environment.
func launchWith(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	p := &process{args: args, server: &server{t: t, client: &http.Client{Timeout: soon}, ended: make(chan struct{})}}
	p.cmd = exec.Command(os.Args[0], append([]string{"--listen", "127.0.0.1:0", "--no-demo"}, args...)...)
	p.cmd.Env = append(append(os.Environ(), beProgram+"=1"), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.log
	alive, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { alive.Close() })
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait()
		p.code = p.cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(p.kill)
	eventually(t, "the address it listens on", func() bool {
		if found := listening.FindStringSubmatch(p.log.String()); found != nil {
			p.url = found[1]
		} else if p.hasEnded() {
			t.Fatalf("it ended with %d: %s", p.code, p.log.String())
		}
		return p.url != ""
	})
	p.ready()
	return p
}

// kill ends the process as a loss of power does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
	p.client.CloseIdleConnections()
}

// terminate tells the process to end, as a supervisor does.
func (p *process) terminate() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
}

// Whoever was told that a write succeeded finds it, whenever the server was killed, and
// every count is that of the rows.
func TestKill(t *testing.T) {
	t.Parallel()
	testKills(t, 5, 500*time.Millisecond)
}

// TestSoakKill kills the server 50 times, or as often as BROADSHEET_SOAK_KILLS says.
func TestSoakKill(t *testing.T) {
	testKills(t, soakKills(t), soakKillWithin)
}

// TestSoakKillRenames is TestSoakKill on Cassandra, of users of whom each second command is
// a rename: what the server left of those is one walk for each user.
func TestSoakKillRenames(t *testing.T) {
	kills := soakKills(t)
	c := testkeyspace.New(t)
	k := newKilling(t, 3, on(c)...)
	k.renaming = true
	last := k.run(kills, soakKillWithin)
	last = k.awaitClean(last, c)
	k.check(last)
	last.kill()
	k.judgeCassandra(c)
}

// soakKillWithin is about how long a server lives where there is time.
const soakKillWithin = 1500 * time.Millisecond

func soakKills(t *testing.T) int {
	t.Helper()
	if os.Getenv(soakEnv) == "" {
		t.Skipf("%s is not set: this takes minutes; `make soak` runs it", soakEnv)
	}
	kills := 50
	if set := os.Getenv(soakEnv + "_KILLS"); set != "" {
		var err error
		if kills, err = strconv.Atoi(set); err != nil {
			t.Fatal(err)
		}
	}
	return kills
}

func testKills(t *testing.T, kills int, within time.Duration) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		k := newKilling(t, 1, "--data-dir", dir)
		last := k.run(kills, within)
		k.check(last)
		last.kill() // the directory is one process's at a time
		want(t, 0, "", "verify", "--data-dir", dir)
		k.judgeEmbedded(dir)
	})
	t.Run("cassandra", func(t *testing.T) {
		t.Parallel()
		c := testkeyspace.New(t)
		k := newKilling(t, 3, on(c)...)
		last := k.run(kills, within)
		last = k.awaitClean(last, c)
		k.check(last)
		last.kill()
		k.judgeCassandra(c)
	})
}

// awaitClean waits until nothing shows any more of the servers that were killed.
func (k *killing) awaitClean(last *process, c cassandra.Config) *process {
	k.t.Helper()
	last = awaitClean(k.t, c, last)[0]
	k.t.Logf("verify was clean %v after the last start", time.Since(k.lastStart).Round(time.Second))
	return last
}

// recoverNow recovers what servers that were killed left behind, which those that live do after most of a
// minute: that is waited for where there is time. No server may live beside one whose clock is ahead, which
// ends their logs: each is killed, and another comes in its place.
func recoverNow(t *testing.T, c cassandra.Config, living []*process) []*process {
	t.Helper()
	if os.Getenv(soakEnv) != "" {
		return living
	}
	for _, p := range living {
		p.kill()
	}
	healer := testkeyspace.Open(t, c, blog.Options{Clock: ahead(time.Minute)})
	for range 2 { // what the first has done may have left something to a second
		if err := healer.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := healer.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range living {
		living[i] = launchProcess(t, p.args...)
	}
	return living
}

// awaitClean waits until verify finds no drift, and nothing in flight. living are servers that recover; it returns
// those that live afterwards.
func awaitClean(t *testing.T, c cassandra.Config, living ...*process) []*process {
	t.Helper()
	living = recoverNow(t, c, living)
	report := ""
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last report of verify:\n%s\na server's log:\n%s", report, living[0].log.String())
		}
	})
	eventuallyEvery(t, 500*time.Millisecond, "verify finds no drift, and nothing in flight", func() (clean bool) {
		code, found, _ := command(t, on(c, "verify")...)
		report = found
		return code == 0 && !unclean.MatchString(found)
	})
	return living
}

// unclean is a table of verify's report with rows in flight, or drifted.
var unclean = regexp.MustCompile(`(?m)^\w+ +\d+ +(?:[1-9]\d* +\d+|0 +[1-9])`)

const killWriters = 8

// killing is servers of which one is killed again and again, and those who write to them.
type killing struct {
	t        *testing.T
	servers  int // at once
	args     []string
	random   *rand.Rand
	renaming bool // each second command is a rename
	writers  []*killWriter
	acked    int
	renamed  int // times that this was acknowledged
	operated int // commands of operators

	lastStart time.Time

	mu    sync.Mutex
	posts []string // ids of posts that were acknowledged and never deleted
}

func newKilling(t *testing.T, servers int, args ...string) *killing {
	seed := storetest.Seed(t)
	k := &killing{t: t, servers: servers, args: args, random: rand.New(rand.NewPCG(seed, 0))}
	for i := range killWriters {
		w := &killWriter{killing: k, name: fmt.Sprintf("writer_%d", i), random: rand.New(rand.NewPCG(seed, uint64(i+1))), likes: map[string]possible{}}
		k.writers = append(k.writers, w)
	}
	return k
}

// run starts servers and kills one of them, each time within about a duration, and returns one that lives, behind
// which every command that may be repeated has had its answer.
func (k *killing) run(kills int, within time.Duration) *process {
	servers := make([]*process, k.servers)
	for range kills {
		for i, p := range servers {
			if p == nil {
				servers[i] = launchProcess(k.t, k.args...)
			}
		}
		over := make(chan struct{})
		var writing sync.WaitGroup
		for i, w := range k.writers {
			writing.Go(func() { w.write(servers[i%len(servers)], over) })
		}
		time.Sleep(within/8 + time.Duration(k.random.Int64N(int64(within))))
		victim := k.random.IntN(len(servers))
		servers[victim].kill()
		close(over)
		writing.Wait()
		servers[victim] = nil
		k.operate()
	}
	for _, p := range servers {
		if p != nil {
			p.kill()
		}
	}
	k.lastStart = time.Now()
	last := launchProcess(k.t, k.args...)
	for _, w := range k.writers {
		w.resolve(last)
		k.acked += w.acked
		k.renamed += w.renamed
	}
	k.t.Logf("%d kills; %d writes were acknowledged, %d of them renames", kills, k.acked, k.renamed)
	if k.acked < kills {
		k.t.Errorf("only %d writes were acknowledged", k.acked)
	}
	return last
}

// possible are the states that something may be in: those since the last one that was
// acknowledged. "" is gone.
type possible []string

func (p possible) acknowledged(state string) possible { return possible{state} }

func (p possible) perhaps(state string) possible { return append(slices.Clone(p), state) }

// written is a post or a comment, of one writer.
type written struct {
	id      string
	post    string // of a comment
	content possible
}

// killWriter writes, one command after the other, and remembers what it was told.
type killWriter struct {
	*killing
	name     string
	random   *rand.Rand
	n        int
	acked    int
	renamed  int
	account  bool
	names    possible
	posts    []*written
	comments []*written
	likes    map[string]possible // by post: "liked" or ""
	private  *written            // a post
	guests   []*guest            // of whom the last one may be there
	open     func(*process) bool // a keyed command without an answer; it reports whether there is one now
}

func (w *killWriter) write(p *process, over <-chan struct{}) {
	if !w.resolve(p) {
		return
	}
	for {
		select {
		case <-over:
			return
		default:
		}
		if !w.step(p) {
			return
		}
	}
}

// resolve repeats what has had no answer.
func (w *killWriter) resolve(p *process) bool {
	if w.open == nil {
		return true
	}
	if !w.open(p) {
		return false
	}
	w.open = nil
	return true
}

// step makes one command. It reports false where there was no answer.
func (w *killWriter) step(p *process) bool {
	if !w.account {
		return w.keyed(p, func(p *process, key string) bool {
			_, ok := w.mutate(p, `createUser(input: {username: "`+w.name+`", idempotencyKey: "`+key+`"}) { user { id } userErrors { message } }`)
			w.account, w.names = ok, possible{w.name}
			return ok
		})
	}
	w.n++
	content := fmt.Sprintf("%s %d", w.name, w.n)
	post := w.anyPost()
	switch draw := w.random.IntN(24); {
	case draw > 19 && post != "":
		return w.host(p)
	case post != "" && w.renaming && w.random.IntN(2) == 0:
		return w.rename(p)
	case draw < 2 || post == "":
		return w.keyed(p, func(p *process, key string) bool {
			made, ok := w.mutate(p, `createPost(input: {title: "T", content: "`+content+`", idempotencyKey: "`+key+`"}) { post { id } userErrors { message } }`)
			if ok {
				id := made.at("data.createPost.post.id")
				w.posts = append(w.posts, &written{id: id, content: possible{content}})
				w.killing.add(id)
			}
			return ok
		})
	case draw < 9:
		return w.keyed(p, func(p *process, key string) bool {
			made, ok := w.mutate(p, `createComment(input: {postId: "`+post+`", content: "`+content+`", idempotencyKey: "`+key+`"}) { comment { id } userErrors { message } }`)
			if ok {
				w.comments = append(w.comments, &written{id: made.at("data.createComment.comment.id"), post: post, content: possible{content}})
			}
			return ok
		})
	case draw < 15:
		return w.toggle(p, post)
	case draw < 17 && len(w.comments) > 0:
		c := w.comments[w.random.IntN(len(w.comments))]
		return w.change(p, c, content, `updateComment(input: {id: "`+c.id+`", content: "`+content+`"}) { comment { id } userErrors { message } }`)
	case draw < 18 && len(w.comments) > 0:
		c := w.comments[w.random.IntN(len(w.comments))]
		return w.change(p, c, "", `deleteComment(input: {id: "`+c.id+`"}) { deletedId userErrors { message } }`)
	case draw == 18:
		return w.rename(p)
	case len(w.posts) > 0 && w.random.IntN(2) == 0:
		own := w.posts[w.random.IntN(len(w.posts))]
		return w.change(p, own, content, `updatePost(input: {id: "`+own.id+`", content: "`+content+`"}) { post { id } userErrors { message } }`)
	}
	return w.deletePrivate(p, content)
}

// rename gives the writer another name, or its own in another case.
func (w *killWriter) rename(p *process) bool {
	name := fmt.Sprintf("%s_%d", w.name, w.n)
	before := w.names
	if last := before[len(before)-1]; w.random.IntN(2) == 0 {
		if name = strings.ToUpper(last); name == last {
			name = strings.ToLower(last)
		}
	}
	w.names = before.perhaps(name)
	_, ok := w.mutate(p, `updateUser(input: {username: "`+name+`"}) { user { id } userErrors { message } }`)
	if ok {
		w.names = before.acknowledged(name)
		w.renamed++
	}
	return ok
}

// deletePrivate makes a post that nobody else knows of, or deletes one.
func (w *killWriter) deletePrivate(p *process, content string) bool {
	if w.private == nil {
		return w.keyed(p, func(p *process, key string) bool {
			made, ok := w.mutate(p, `createPost(input: {title: "T", content: "`+content+`", idempotencyKey: "`+key+`"}) { post { id } userErrors { message } }`)
			if ok {
				w.private = &written{id: made.at("data.createPost.post.id"), content: possible{content}}
				w.posts = append(w.posts, w.private)
			}
			return ok
		})
	}
	of := w.private
	w.private = nil
	return w.change(p, of, "", `deletePost(input: {id: "`+of.id+`"}) { deletedId userErrors { message } }`)
}

// keyed makes a command that may be repeated until it has an answer.
func (w *killWriter) keyed(p *process, command func(p *process, key string) bool) bool {
	w.n++
	key := fmt.Sprintf("%s-%d", w.name, w.n)
	w.open = func(p *process) bool { return command(p, key) }
	return w.resolve(p)
}

func (w *killWriter) toggle(p *process, post string) bool {
	state, command := "liked", "likePost"
	if slices.Contains(w.likes[post], "liked") {
		state, command = "", "unlikePost"
	}
	before := w.likes[post]
	if before == nil {
		before = possible{""}
	}
	w.likes[post] = before.perhaps(state)
	_, ok := w.mutate(p, command+`(input: {postId: "`+post+`"}) { post { likeCount } userErrors { message } }`)
	if ok {
		w.likes[post] = before.acknowledged(state)
	}
	return ok
}

// change makes an edit or a deletion. What may be gone is left alone.
func (w *killWriter) change(p *process, of *written, content, command string) bool {
	if slices.Contains(of.content, "") {
		return true
	}
	before := of.content
	of.content = before.perhaps(content)
	_, ok := w.mutate(p, command)
	if ok {
		of.content = before.acknowledged(content)
	}
	return ok
}

// mutate reports whether the command was acknowledged. A refusal is a fault of the
// server's: everybody writes what may be written.
func (w *killWriter) mutate(p *process, command string) (answer, bool) {
	body, err := json.Marshal(map[string]string{"query": "mutation { " + command + " }"})
	if err != nil {
		w.t.Error(err)
	}
	a, err := p.try(http.MethodPost, "/graphql", strings.NewReader(string(body)),
		map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + w.name})
	switch {
	case err != nil:
		return a, false // killed
	case a.code() == "UNAVAILABLE", a.code() == "TIMEOUT":
		return a, false
	case a.status != http.StatusOK || a.code() != "OK" || !strings.Contains(a.text, `"userErrors":[]`):
		w.t.Errorf("%s: %d %s", command, a.status, a.text)
		return a, false
	}
	w.acked++
	return a, true
}

func (k *killing) add(post string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.posts = append(k.posts, post)
}

// anyPost returns one of the last posts, so that writers meet.
func (w *killWriter) anyPost() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.killing.posts) == 0 {
		return ""
	}
	last := w.killing.posts[max(0, len(w.killing.posts)-5):]
	return last[w.random.IntN(len(last))]
}

// check compares what is there with what was acknowledged.
func (k *killing) check(p *process) {
	rows := map[string]map[string]string{} // of comments, by post and id
	likes := map[string][]string{}         // names, by post
	for _, post := range k.posts {
		rows[post], likes[post] = k.below(p, post)
	}
	for _, w := range k.writers {
		name := p.as(w.name, `{ viewer { username } }`, "").ok().at("data.viewer.username")
		if !slices.Contains(w.names, name) {
			k.t.Errorf("%s is called %q, want one of %q", w.name, name, w.names)
		}
		for _, post := range w.posts {
			k.expect(post, gone(p.as("", `{ post(id: "`+post.id+`") { content } }`, "").ok().at("data.post.content")))
		}
		for _, comment := range w.comments {
			k.expect(comment, rows[comment.post][comment.id])
			delete(rows[comment.post], comment.id)
		}
		for post, state := range w.likes {
			now := ""
			if slices.Contains(likes[post], name) {
				now = "liked"
			}
			if !slices.Contains(state, now) {
				k.t.Errorf("%s's like of %s is %q, want one of %q", w.name, post, now, state)
			}
		}
	}
	for post, more := range rows {
		maps.DeleteFunc(more, func(_, content string) bool { return strings.HasPrefix(content, "guest's ") })
		if len(more) > 0 {
			k.t.Errorf("post %s has comments that nobody wrote: %v", post, more)
		}
	}
}

// gone is "" where a path of a response that is gone holds nothing.
func gone(text string) string {
	if text == "absent" || text == "null" {
		return ""
	}
	return text
}

func (k *killing) expect(w *written, content string) {
	if !slices.Contains(w.content, content) {
		k.t.Errorf("%s is %q, want one of %q", w.id, content, w.content)
	}
}

// below reads a post's comments and likes, and compares each count with them.
func (k *killing) below(p *process, post string) (comments map[string]string, likes []string) {
	comments = map[string]string{}
	for after := ""; ; {
		page := p.as("", `query($id: ID!, $after: String) { comments(postId: $id, first: 100, after: $after) { totalCount edges { node { id content } } pageInfo { hasNextPage endCursor } } }`,
			`{"id": "`+post+`", "after": `+nullOr(after)+`}`).ok()
		ids, contents := page.all("data.comments.edges", "node.id"), page.all("data.comments.edges", "node.content")
		for i, id := range ids {
			comments[id] = contents[i]
		}
		if page.at("data.comments.pageInfo.hasNextPage") == "false" {
			counts := p.as("", `{ post(id: "`+post+`") { commentCount likeCount likes(first: 100) { totalCount edges { node { user { username } } } } } }`, "").ok()
			likes = counts.all("data.post.likes.edges", "node.user.username")
			counts.want("data.post.commentCount", strconv.Itoa(len(comments)))
			page.want("data.comments.totalCount", strconv.Itoa(len(comments)))
			counts.want("data.post.likeCount", strconv.Itoa(len(likes)))
			counts.want("data.post.likes.totalCount", strconv.Itoa(len(likes)))
			return comments, likes
		}
		after = page.at("data.comments.pageInfo.endCursor")
	}
}
