package kill

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// The last release's program and this one take turns at a store that is used meanwhile. No request fails, nothing
// that was acknowledged is lost, and neither program undoes what an operator did by the other one.
func TestUpgradeAndBack(t *testing.T) {
	t.Parallel()
	testUpgrades(t, 200)
}

// TestSoakUpgradeAndBack is TestUpgradeAndBack with more requests.
func TestSoakUpgradeAndBack(t *testing.T) {
	storetest.Soaks(t)
	testUpgrades(t, 10_000)
}

func testUpgrades(t *testing.T, requests int) {
	old := harness.Released(t)
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		u := newUpgrading(t, old, requests, "--data-dir", dir)
		u.takeTurns(old, this, old, this)
		u.judgeEmbedded(dir)
	})
	t.Run("cassandra", func(t *testing.T) {
		t.Parallel()
		cassandratest.OnNode(t)
		c := testkeyspace.Name(t)
		u := newUpgrading(t, old, requests, harness.On(c)...)
		last := awaitClean(t, c, u.roll())[0]
		u.check(last)
		last.Kill()
		u.judgeCassandra(c)
	})
}

// this is the program that these tests are of.
const this = harness.Program("")

// upgrading is a store at which programs of two releases take turns, and those who use it.
type upgrading struct {
	*killing
	old      harness.Program // the last release's
	requests int             // in each turn
	asked    atomic.Int64
	turns    int         // in which an operator changed accounts
	behind   atomic.Bool // the schema has more than the last release's program knows

	serving sync.Mutex
	up      []*harness.Process
}

func newUpgrading(t *testing.T, old harness.Program, requests int, args ...string) *upgrading {
	u := &upgrading{killing: newKilling(t, 0, args...), old: old, requests: requests}
	u.calm, u.older = true, true
	return u
}

// takeTurns has each program serve alone.
func (u *upgrading) takeTurns(programs ...harness.Program) {
	for i, program := range programs {
		if i > 1 && u.refuses(program) {
			continue
		}
		p := u.launch(program)
		over := u.use()
		u.mark(program, p)
		u.more()
		over()
		u.wantMarks(program)
		u.leave(p)
		u.want(program, "verify")
	}
}

// roll has the old servers replaced by new ones, those by old ones, and those by new ones, while they are used.
func (u *upgrading) roll() (last *harness.Process) {
	u.want(u.old, "migrate", "apply")
	before := u.launch(u.old)
	over := u.use()
	u.more()
	u.mark(u.old, before)
	u.want(this, "migrate", "apply")
	u.behind.Store(u.lastMigration(u.old) < u.lastMigration(this))
	u.more()
	after := u.launch(this)
	u.beside(this, after)
	u.leave(before)
	u.build(after)
	u.more()
	before = u.launch(u.old)
	u.beside(u.old, before)
	u.leave(after)
	u.more()
	u.wantMarks(u.old)
	last = u.launch(this)
	u.beside(this, last)
	u.leave(before)
	u.build(last)
	u.more()
	u.wantMarks(this)
	over()
	if u.behind.Load() {
		u.want(this, "verify", "--repair")
	}
	return last
}

// beside has a server that came be used beside the others.
func (u *upgrading) beside(program harness.Program, p *harness.Process) {
	u.more()
	u.mark(program, p)
	u.wantMarks(program)
}

// refuses reports whether a program refuses the store. It says then what to run.
func (u *upgrading) refuses(program harness.Program) bool {
	code, out, log := program.Command(u.t, append([]string{"verify"}, u.args...)...)
	if code == 0 {
		return false
	}
	if code != 1 || !strings.Contains(log, "was written by a newer broadsheet") {
		u.t.Errorf("the last release's program ends with %d: %s%s", code, out, log)
	}
	u.t.Logf("the last release's program refuses the store: %s", log)
	return true
}

// want runs a program to its end, which is to be a good one.
func (u *upgrading) want(program harness.Program, command ...string) (out string) {
	u.t.Helper()
	code, out, log := program.Command(u.t, append(command, u.args...)...)
	if code != 0 {
		u.t.Fatalf("%s %v ends with %d: %s%s", program, command, code, out, log)
	}
	return out
}

var ownMigration = regexp.MustCompile(`This program is (\d+)\.`)

// lastMigration returns the number by which a program is known.
func (u *upgrading) lastMigration(program harness.Program) string {
	found := ownMigration.FindStringSubmatch(u.want(program, "migrate", "status"))
	if found == nil {
		u.t.Fatal("migrate status does not say what the program is")
	}
	return found[1]
}

// build builds the tables that a server refuses, some at a time, as an operator does when no old server is up.
func (u *upgrading) build(p *harness.Process) {
	u.t.Helper()
	var tables []string
	at := func(i int) string { return p.Get("/readyz").At(fmt.Sprintf("unbuilt.%d", i)) }
	for table := at(0); table != "absent"; table = at(len(tables)) {
		tables = append(tables, table)
	}
	for some := range slices.Chunk(tables, 4) {
		var building sync.WaitGroup
		for _, table := range some {
			building.Go(func() {
				if code, out, log := this.Command(u.t, append([]string{"rebuild", table}, u.args...)...); code != 0 {
					u.t.Errorf("rebuild %s ends with %d: %s%s", table, code, out, log)
				}
			})
		}
		building.Wait()
		u.t.Logf("%s are built", some)
	}
	if left := at(0); left != "absent" {
		u.t.Errorf("%s is not built", left)
	}
}

func (u *upgrading) launch(program harness.Program) *harness.Process {
	u.t.Helper()
	p := program.Launch(u.t, append([]string{harness.Patient, "--drain-delay", "2s"}, u.args...)...)
	u.serving.Lock()
	defer u.serving.Unlock()
	u.up = append(u.up, p)
	return p
}

// leave ends a server, as a deployment does: whoever asks turns to others while it is still answering.
func (u *upgrading) leave(p *harness.Process) {
	u.t.Helper()
	u.serving.Lock()
	u.up = slices.DeleteFunc(slices.Clone(u.up), func(other *harness.Process) bool { return other == p })
	u.serving.Unlock()
	p.Terminate()
	if <-p.Ended; p.Code != 0 || strings.Contains(p.Log.String(), "panic") {
		u.t.Errorf("a server that was told to end ends with %d: %s", p.Code, p.Log.String())
	}
}

// use has all writers use any server that is up, until over is called.
func (u *upgrading) use() (over func()) {
	end := make(chan struct{})
	var using sync.WaitGroup
	for _, w := range u.writers {
		using.Go(func() {
			for u.once(w) {
				select {
				case <-end:
					return
				default:
				}
			}
		})
	}
	return func() {
		close(end)
		using.Wait()
	}
}

// once makes one request; four of five read. It reports false where there was no answer.
func (u *upgrading) once(w *killWriter) bool {
	u.serving.Lock()
	p := u.up[w.random.IntN(len(u.up))]
	u.serving.Unlock()
	u.asked.Add(1)
	if w.account && w.random.IntN(5) > 0 {
		return u.read(w, p)
	}
	return w.step(p)
}

// more waits until the requests of one more turn were made.
func (u *upgrading) more() {
	u.t.Helper()
	enough := u.asked.Load() + int64(u.requests)
	harness.Eventually(u.t, fmt.Sprintf("%d more requests", u.requests), func() bool {
		return u.asked.Load() >= enough || u.t.Failed()
	})
}

// read asks for something that the writer has written, and judges what is shown.
func (u *upgrading) read(w *killWriter, p *harness.Process) bool {
	switch draw := w.random.IntN(5); {
	case draw == 0 && len(w.posts) > 0:
		own := w.posts[w.random.IntN(len(w.posts))]
		a, ok := u.query(w, p, `{ post(id: "`+own.id+`") { content author { username } commentCount likeCount comments(first: 5) { totalCount } likes(first: 5) { totalCount } } }`)
		if ok {
			u.expect(own, gone(a.At("data.post.content")))
		}
		return ok
	case draw == 1:
		a, ok := u.query(w, p, `{ viewer { username likes(first: 100) { edges { node { post { id } } } pageInfo { hasNextPage } } } }`)
		if ok && a.At("data.viewer.likes.pageInfo.hasNextPage") == "false" {
			u.wantLikes(w, a.All("data.viewer.likes.edges", "node.post.id"))
		}
		return ok
	case draw == 2:
		a, ok := u.query(w, p, `{ viewer { username posts(first: 100) { edges { node { id } } pageInfo { hasNextPage } } } }`)
		if ok && a.At("data.viewer.posts.pageInfo.hasNextPage") == "false" {
			u.wantAll(w, "posts", w.posts, a.All("data.viewer.posts.edges", "node.id"))
		}
		return ok
	case draw == 3 && len(w.comments) > 0:
		return u.readComments(w, p, w.comments[w.random.IntN(len(w.comments))].post)
	}
	_, ok := u.query(w, p, `{ feed(first: 20) { edges { cursor node { title author { id username } viewerHasLiked comments(first: 5) { edges { node { content author { username } } } } } } pageInfo { hasNextPage } } }`)
	return ok
}

// readComments asks for what the writer has written below a post, by a list that is of one author.
func (u *upgrading) readComments(w *killWriter, p *harness.Process, post string) bool {
	a, ok := u.query(w, p, `{ viewer { id username } }`)
	if !ok {
		return false
	}
	a, ok = u.query(w, p, `{ comments(postId: "`+post+`", authorId: "`+a.At("data.viewer.id")+`", first: 100) { edges { node { id } } pageInfo { hasNextPage } } }`)
	if ok && a.At("data.comments.pageInfo.hasNextPage") == "false" {
		below := slices.DeleteFunc(slices.Clone(w.comments), func(c *written) bool { return c.post != post })
		u.wantAll(w, "comments", below, a.All("data.comments.edges", "node.id"))
	}
	return ok
}

// query reports false where there is no answer. What is refused, because it was not built yet, is one without data.
func (u *upgrading) query(w *killWriter, p *harness.Process, text string) (harness.Answer, bool) {
	body, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		u.t.Error(err)
	}
	a, err := p.Try(http.MethodPost, "/graphql", strings.NewReader(string(body)),
		map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + w.name})
	if u.silent(err) {
		return a, false
	}
	refused := u.behind.Load() && a.Code() == "UNAVAILABLE" && strings.Contains(a.Text, "is new and not built yet")
	if !refused && (a.Status != http.StatusOK || a.Code() != "OK") {
		u.t.Errorf("%s: %d %s", text, a.Status, a.Text)
	}
	if name := a.At("data.viewer.username"); name != "absent" && !slices.Contains(w.names, name) {
		u.t.Errorf("%s is called %q, want one of %q", w.name, name, w.names)
	}
	return a, true
}

// wantAll fails unless a whole list has all that a writer was told of, and nothing that is gone.
func (u *upgrading) wantAll(w *killWriter, what string, all []*written, listed []string) {
	for _, one := range all {
		known := len(one.content) == 1 // else it may be as it is or not
		if known && slices.Contains(listed, one.id) != (one.content[0] != "") {
			u.t.Errorf("%s's list of %d %s, of %d, has %s, which is %q: %v",
				w.name, len(listed), what, len(all), one.id, one.content, slices.Contains(listed, one.id))
		}
	}
}

// wantLikes fails unless a whole list has all that a writer likes, and nothing else.
func (u *upgrading) wantLikes(w *killWriter, listed []string) {
	for post, state := range w.likes {
		if len(state) == 1 && slices.Contains(listed, post) != (state[0] == "likePost") {
			u.t.Errorf("%s's list of %d likes has %s, which is %q: %v",
				w.name, len(listed), post, state, slices.Contains(listed, post))
		}
	}
}

const newPost = `mutation { createPost(input: {title: "T", content: "Text."}) { post { id } userErrors { code } } }`

// The commands of operators whose effects outlive programs.
var marks = []string{"suspend", "promote", "erase", "verify-email"}

func marked(mark string, turn int) string {
	return fmt.Sprintf("%s_%d", strings.ReplaceAll(mark, "-", "_"), turn)
}

// mark has an operator change accounts, by the program that is not the server's, where that one knows how to.
func (u *upgrading) mark(program harness.Program, p *harness.Process) {
	u.t.Helper()
	if u.turns++; u.turns == 1 {
		p.As("ordinary", `mutation { createUser(input: {username: "ordinary"}) { userErrors { message } } }`, "").OK()
	}
	other := u.old
	if program == u.old && u.turns > 1 {
		other = this
	}
	for _, mark := range marks {
		name := marked(mark, u.turns)
		p.As(name, `mutation { createUser(input: {username: "`+name+`", email: "`+name+`@example.org"}) { userErrors { message } } }`, "").OK()
		command := []string{"user", mark, "--username", name}
		if code, _, log := other.Command(u.t, append(command, u.args...)...); code != 0 {
			if !strings.Contains(log, "of another version") {
				u.t.Errorf("%s beside the other program's server: %d %s", command, code, log)
			}
			u.want(program, command...)
		}
	}
}

// wantMarks fails unless each server that is up goes by all that operators did.
func (u *upgrading) wantMarks(program harness.Program) {
	u.t.Helper()
	u.serving.Lock()
	up := u.up
	u.serving.Unlock()
	for _, p := range up {
		post := p.As("ordinary", newPost, "").OK().At("data.createPost.post.id")
		for turn := 1; turn <= u.turns; turn++ {
			u.wantMarked(p, turn, post)
		}
		p.As("ordinary", `mutation { deletePost(input: {id: "`+post+`"}) { deletedId userErrors { message } } }`, "").OK()
	}
	for turn := 1; turn <= u.turns; turn++ {
		name := marked("verify-email", turn)
		if out := u.want(program, "user", "--email", name+"@example.org"); !strings.Contains(out, `"username": "`+name+`"`) {
			u.t.Errorf("by the address that was verified in turn %d: %s", turn, out)
		}
	}
}

func (u *upgrading) wantMarked(p *harness.Process, turn int, post string) {
	u.t.Helper()
	p.As(marked("suspend", turn), newPost, "").Want("data.createPost.userErrors.0.code", "SUSPENDED")
	p.As("", `{ user(username: "`+marked("erase", turn)+`") { id } }`, "").OK().Want("data.user", "null")
	comment := p.As("ordinary", `mutation { createComment(input: {postId: "`+post+`", content: "Text."}) { comment { id } userErrors { message } } }`, "").OK().At("data.createComment.comment.id")
	p.As(marked("promote", turn), `mutation { deleteComment(input: {id: "`+comment+`"}) { deletedId userErrors { message } } }`, "").OK().Want("data.deleteComment.deletedId", comment)
}

// beforeFormats is the revision of a program that cuts what it does not know, such as suspensions, off the values that
// it rewrites.
const beforeFormats = "038f9ed7a5e0ce253e3898c7d91087b6adfb1e33"

// TestSoakProgramOfBeforeFormats has its own directory and its own keyspace refuse it, once this program, which serves
// all that was there, has opened them.
func TestSoakProgramOfBeforeFormats(t *testing.T) {
	storetest.Soaks(t)
	before := harness.Build(t, beforeFormats)
	t.Run("embedded", func(t *testing.T) {
		testRefused(t, before, "was written by a newer broadsheet", "--data-dir", t.TempDir())
	})
	t.Run("cassandra", func(t *testing.T) {
		cassandratest.OnNode(t)
		testRefused(t, before, "newer broadsheet", harness.On(testkeyspace.Name(t), "--migrate")...)
	})
}

func testRefused(t *testing.T, before harness.Program, says string, args ...string) {
	first := before.Launch(t, args...)
	first.As("ann", `mutation { createUser(input: {username: "ann"}) { userErrors { message } } }`, "").OK()
	post := first.As("ann", newPost, "").OK().At("data.createPost.post.id")
	first.Terminate()
	<-first.Ended
	serves := func() *harness.Process {
		p := harness.LaunchProcess(t, args...)
		p.As("", `{ post(id: "`+post+`") { content author { username } } }`, "").OK().Want("data.post.content", "Text.")
		return p
	}
	store := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--migrate" })
	second := serves()
	harness.Want(t, 0, `"suspended": true`, append([]string{"user", "suspend", "--username", "ann"}, store...)...)
	second.Terminate()
	<-second.Ended
	for _, command := range [][]string{append([]string{"verify"}, store...), append([]string{"--listen", "127.0.0.1:0"}, args...)} {
		if code, out, log := before.Command(t, command...); code != 1 || !strings.Contains(log, says) {
			t.Errorf("%s ends with %d: %s%s", command, code, out, log)
		}
	}
	serves().As("ann", newPost, "").Want("data.createPost.userErrors.0.code", "SUSPENDED")
	harness.Want(t, 0, "", append([]string{"verify"}, store...)...)
}
