package kill

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

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
	k := newKilling(t, 3, harness.On(c)...)
	k.renaming = true
	last := k.run(kills, soakKillWithin)
	last = k.awaitClean(last, c)
	k.check(last)
	last.Kill()
	k.judgeCassandra(c)
}

// Thirty clients join groups and leave them, and publish in them, while servers are killed: all lists and counts are as
// was acknowledged.
func TestKillMembers(t *testing.T) {
	t.Parallel()
	c := testkeyspace.New(t)
	k := newKillingOf(t, 30, 3, harness.On(c)...)
	k.joining = true
	last := k.run(2, soakKillWithin)
	last = k.awaitClean(last, c)
	k.check(last)
	last.Kill()
	k.judgeCassandra(c)
}

// soakKillWithin is about how long a server lives where there is time.
const soakKillWithin = 1500 * time.Millisecond

func soakKills(t *testing.T) int {
	t.Helper()
	storetest.Soaks(t)
	kills := 50
	if set := os.Getenv(storetest.SoakEnv + "_KILLS"); set != "" {
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
		last.Kill() // the directory is one process's at a time
		harness.Want(t, 0, "", "verify", "--data-dir", dir)
		k.judgeEmbedded(dir)
	})
	t.Run("cassandra", func(t *testing.T) {
		t.Parallel()
		c := testkeyspace.New(t)
		k := newKilling(t, 3, harness.On(c)...)
		last := k.run(kills, within)
		last = k.awaitClean(last, c)
		k.check(last)
		last.Kill()
		k.judgeCassandra(c)
	})
}

// awaitClean waits until nothing shows any more of the servers that were killed.
func (k *killing) awaitClean(last *harness.Process, c cassandra.Config) *harness.Process {
	k.t.Helper()
	last = awaitClean(k.t, c, last)[0]
	k.t.Logf("verify was clean %v after the last start", time.Since(k.lastStart).Round(time.Second))
	return last
}

// recoverNow recovers what servers that were killed left behind, which those that live do after most of a
// minute: that is waited for where there is time. No server may live beside one whose clock is ahead, which
// ends their logs: each is killed, and another comes in its place.
func recoverNow(t *testing.T, c cassandra.Config, living []*harness.Process) []*harness.Process {
	t.Helper()
	if os.Getenv(storetest.SoakEnv) != "" {
		return living
	}
	for _, p := range living {
		p.Kill()
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
		living[i] = harness.LaunchProcess(t, p.Args...)
	}
	return living
}

// awaitClean waits until verify finds no drift, and nothing in flight. living are servers that recover; it returns
// those that live afterwards.
func awaitClean(t *testing.T, c cassandra.Config, living ...*harness.Process) []*harness.Process {
	t.Helper()
	living = recoverNow(t, c, living)
	report := ""
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last report of verify:\n%s\na server's log:\n%s", report, living[0].Log.String())
		}
	})
	harness.EventuallyEvery(t, 500*time.Millisecond, "verify finds no drift, and nothing in flight", func() (clean bool) {
		code, found, _ := harness.Command(t, harness.On(c, "verify")...)
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
	calm     bool // no server is killed: each request is answered
	joining  bool // nearly each command is of groups
	older    bool // some servers are the last release's
	writers  []*killWriter
	acked    int
	renamed  int // times that this was acknowledged
	operated int // commands of operators

	lastStart time.Time

	mu     sync.Mutex
	posts  []string // ids of posts that were acknowledged and never deleted
	users  []string // ids of writers' accounts
	groups []string // ids of writers' groups
}

func newKilling(t *testing.T, servers int, args ...string) *killing {
	return newKillingOf(t, killWriters, servers, args...)
}

// newKillingOf is newKilling, of so many writers.
func newKillingOf(t *testing.T, writers, servers int, args ...string) *killing {
	seed := storetest.Seed(t)
	k := &killing{t: t, servers: servers, args: args, random: rand.New(rand.NewPCG(seed, 0))}
	for i := range writers {
		w := &killWriter{killing: k, name: fmt.Sprintf("writer_%d", i), random: rand.New(rand.NewPCG(seed, uint64(i+1))), likes: map[string]possible{}, follows: map[string]possible{}, memberships: map[string]possible{}}
		k.writers = append(k.writers, w)
	}
	return k
}

// run starts servers and kills one of them, each time within about a duration, and returns one that lives, behind
// which every command that may be repeated has had its answer.
func (k *killing) run(kills int, within time.Duration) *harness.Process {
	servers := make([]*harness.Process, k.servers)
	for range kills {
		for i, p := range servers {
			if p == nil {
				servers[i] = harness.LaunchProcess(k.t, k.args...)
			}
		}
		over := make(chan struct{})
		var writing sync.WaitGroup
		for i, w := range k.writers {
			writing.Go(func() { w.write(servers[i%len(servers)], over) })
		}
		time.Sleep(within/8 + time.Duration(k.random.Int64N(int64(within))))
		victim := k.random.IntN(len(servers))
		servers[victim].Kill()
		close(over)
		writing.Wait()
		servers[victim] = nil
		k.operate()
	}
	for _, p := range servers {
		if p != nil {
			p.Kill()
		}
	}
	k.lastStart = time.Now()
	last := harness.LaunchProcess(k.t, k.args...)
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
	name        string
	random      *rand.Rand
	n           int
	acked       int
	renamed     int
	account     bool
	names       possible
	posts       []*written
	comments    []*written
	likes       map[string]possible         // by post: "likePost" or ""
	id          string                      // of the account
	follows     map[string]possible         // by account: "followUser" or ""
	group       string                      // of the writer's
	memberships map[string]possible         // by group: "joinGroup" or ""
	private     *written                    // a post
	guests      []*guest                    // of whom the last one may be there
	open        func(*harness.Process) bool // a keyed command without an answer; it reports whether there is one now
}

func (w *killWriter) write(p *harness.Process, over <-chan struct{}) {
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
func (w *killWriter) resolve(p *harness.Process) bool {
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
func (w *killWriter) step(p *harness.Process) bool {
	if !w.account {
		return w.keyed(p, func(p *harness.Process, key string) bool {
			made, ok := w.mutate(p, `createUser(input: {username: "`+w.name+`", idempotencyKey: "`+key+`"}) { user { id } userErrors { message } }`)
			if w.account, w.names = ok, (possible{w.name}); ok {
				w.id = made.At("data.createUser.user.id")
				w.killing.join(w.id)
			}
			return ok
		})
	}
	w.n++
	content := fmt.Sprintf("%s %d", w.name, w.n)
	post := w.anyPost()
	switch draw := w.random.IntN(28); {
	case draw > 23 && w.older: // which knows no follows and no groups
		return true
	case draw > 25 || w.joining:
		return w.meet(p, content)
	case draw > 23:
		return w.follow(p)
	case draw > 19 && post != "":
		return w.host(p)
	case post != "" && w.renaming && w.random.IntN(2) == 0:
		return w.rename(p)
	case draw < 2 || post == "":
		return w.publish(p, content, "")
	case draw < 9:
		return w.keyed(p, func(p *harness.Process, key string) bool {
			made, ok := w.mutate(p, `createComment(input: {postId: "`+post+`", content: "`+content+`", idempotencyKey: "`+key+`"}) { comment { id } userErrors { message } }`)
			if ok {
				w.comments = append(w.comments, &written{id: made.At("data.createComment.comment.id"), post: post, content: possible{content}})
			}
			return ok
		})
	case draw < 15:
		return w.toggle(p, w.likes, post, "likePost", "unlikePost", "postId", "post")
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
func (w *killWriter) rename(p *harness.Process) bool {
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
func (w *killWriter) deletePrivate(p *harness.Process, content string) bool {
	if w.private == nil {
		return w.keyed(p, func(p *harness.Process, key string) bool {
			made, ok := w.mutate(p, `createPost(input: {title: "T", content: "`+content+`", idempotencyKey: "`+key+`"}) { post { id } userErrors { message } }`)
			if ok {
				w.private = &written{id: made.At("data.createPost.post.id"), content: possible{content}}
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
func (w *killWriter) keyed(p *harness.Process, command func(p *harness.Process, key string) bool) bool {
	w.n++
	key := fmt.Sprintf("%s-%d", w.name, w.n)
	w.open = func(p *harness.Process) bool { return command(p, key) }
	return w.resolve(p)
}

// toggle gives a reaction to something, or takes it back where it may be given.
func (w *killWriter) toggle(p *harness.Process, given map[string]possible, to, give, takeBack, field, payload string) bool {
	state, command := give, give
	if slices.Contains(given[to], give) {
		state, command = "", takeBack
	}
	before := given[to]
	if before == nil {
		before = possible{""}
	}
	given[to] = before.perhaps(state)
	_, ok := w.mutate(p, command+`(input: {`+field+`: "`+to+`"}) { `+payload+` { id } userErrors { message } }`)
	if ok {
		given[to] = before.acknowledged(state)
	}
	return ok
}

func (w *killWriter) follow(p *harness.Process) bool {
	id := w.oneOf(&w.killing.users)
	return id == w.id || w.toggle(p, w.follows, id, "followUser", "unfollowUser", "userId", "user")
}

// meet makes a group, publishes in one that the writer is in, joins one, or leaves it.
func (w *killWriter) meet(p *harness.Process, content string) bool {
	if w.group == "" {
		return w.keyed(p, func(p *harness.Process, key string) bool {
			made, ok := w.mutate(p, `createGroup(input: {name: "`+w.name+`", title: "T", idempotencyKey: "`+key+`"}) { group { id } userErrors { message } }`)
			if ok {
				w.group = made.At("data.createGroup.group.id")
				w.memberships[w.group] = possible{"joinGroup"}
				w.killing.found(w.group)
			}
			return ok
		})
	}
	group := w.oneOf(&w.killing.groups)
	if slices.Equal(w.memberships[group], possible{"joinGroup"}) && w.random.IntN(3) == 0 {
		return w.publish(p, content, `, groupId: "`+group+`"`)
	}
	return w.toggle(p, w.memberships, group, "joinGroup", "leaveGroup", "groupId", "group")
}

// publish makes a post, which belongs to a group where that is in the input.
func (w *killWriter) publish(p *harness.Process, content, input string) bool {
	return w.keyed(p, func(p *harness.Process, key string) bool {
		made, ok := w.mutate(p, `createPost(input: {title: "T", content: "`+content+`"`+input+`, idempotencyKey: "`+key+`"}) { post { id } userErrors { message } }`)
		if ok {
			id := made.At("data.createPost.post.id")
			w.posts = append(w.posts, &written{id: id, content: possible{content}})
			w.killing.add(id)
		}
		return ok
	})
}

// change makes an edit or a deletion. What may be gone is left alone.
func (w *killWriter) change(p *harness.Process, of *written, content, command string) bool {
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
func (w *killWriter) mutate(p *harness.Process, command string) (harness.Answer, bool) {
	body, err := json.Marshal(map[string]string{"query": "mutation { " + command + " }"})
	if err != nil {
		w.t.Error(err)
	}
	a, err := p.Try(http.MethodPost, "/graphql", strings.NewReader(string(body)),
		map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + w.name})
	switch {
	case w.silent(err):
		return a, false // killed
	case !w.calm && (a.Code() == "UNAVAILABLE" || a.Code() == "TIMEOUT"):
		return a, false
	case a.Status != http.StatusOK || a.Code() != "OK" || !strings.Contains(a.Text, `"userErrors":[]`):
		w.t.Errorf("%s: %d %s", command, a.Status, a.Text)
		return a, false
	}
	w.acked++
	return a, true
}

// silent reports whether a request has had no answer, which is a fault where no server is killed.
func (k *killing) silent(err error) bool {
	if err != nil && k.calm {
		k.t.Errorf("a request has no answer: %v", err)
	}
	return err != nil
}

func (k *killing) add(post string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.posts = append(k.posts, post)
}

func (k *killing) join(user string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.users = append(k.users, user)
}

func (k *killing) found(group string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.groups = append(k.groups, group)
}

// oneOf returns one of some ids, of which there is the writer's own.
func (w *killWriter) oneOf(ids *[]string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return (*ids)[w.random.IntN(len(*ids))]
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
func (k *killing) check(p *harness.Process) {
	rows := map[string]map[string]string{} // of comments, by post and id
	likes := map[string][]string{}         // names, by post
	for _, post := range k.posts {
		rows[post], likes[post] = k.below(p, post)
	}
	for _, w := range k.writers {
		name := p.As(w.name, `{ viewer { username } }`, "").OK().At("data.viewer.username")
		if !slices.Contains(w.names, name) {
			k.t.Errorf("%s is called %q, want one of %q", w.name, name, w.names)
		}
		for _, post := range w.posts {
			k.expect(post, gone(p.As("", `{ post(id: "`+post.id+`") { content } }`, "").OK().At("data.post.content")))
		}
		for _, comment := range w.comments {
			k.expect(comment, rows[comment.post][comment.id])
			delete(rows[comment.post], comment.id)
		}
		for post, state := range w.likes {
			now := ""
			if slices.Contains(likes[post], name) {
				now = "likePost"
			}
			if !slices.Contains(state, now) {
				k.t.Errorf("%s's like of %s is %q, want one of %q", w.name, post, now, state)
			}
		}
	}
	for _, w := range k.writers {
		if !k.older {
			k.checkHome(p, w)
		}
	}
	for _, group := range k.groups {
		k.checkGroup(p, group)
	}
	for post, more := range rows {
		maps.DeleteFunc(more, func(_, content string) bool { return strings.HasPrefix(content, "guest's ") })
		if len(more) > 0 {
			k.t.Errorf("post %s has comments that nobody wrote: %v", post, more)
		}
	}
}

// checkHome compares whom a writer follows with what was acknowledged, and with that what is in its home: each post of
// theirs once.
func (k *killing) checkHome(p *harness.Process, w *killWriter) {
	following := p.As(w.name, `{ viewer { following(first: 100) { totalCount edges { node { id } } } } }`, "").OK()
	ids, home := following.All("data.viewer.following.edges", "node.id"), map[string]int{}
	following.Want("data.viewer.following.totalCount", strconv.Itoa(len(ids)))
	for after := ""; ; {
		page := p.As(w.name, `query($after: String) { home(first: 100, after: $after) { edges { node { id } } pageInfo { hasNextPage endCursor } } }`, `{"after": `+harness.NullOr(after)+`}`).OK()
		for _, id := range page.All("data.home.edges", "node.id") {
			home[id]++
		}
		if page.At("data.home.pageInfo.hasNextPage") == "false" {
			break
		}
		after = page.At("data.home.pageInfo.endCursor")
	}
	for _, other := range k.writers {
		now, times := "", 0
		if slices.Contains(ids, other.id) {
			now, times = "followUser", 1
		}
		if state := w.follows[other.id]; state != nil && !slices.Contains(state, now) || state == nil && now != "" {
			k.t.Errorf("%s's follow of %s is %q, want one of %q", w.name, other.name, now, state)
		}
		for _, post := range other.posts[max(0, len(other.posts)-blog.HomedPosts):] {
			if stands := !slices.Contains(post.content, ""); home[post.id] > times || stands && home[post.id] != times {
				k.t.Errorf("%s, that follows %s %d times, has its post %s %d times at home", w.name, other.name, times, post.id, home[post.id])
			}
		}
	}
}

// checkGroup compares who is in a group, by both of its lists and its count, with what was acknowledged, and what was
// published in it with what its authors list.
func (k *killing) checkGroup(p *harness.Process, group string) {
	const page = `pageInfo { hasNextPage } edges { node { id } }`
	of := p.As("", `query($id: ID!) { group(id: $id) { memberCount members(first: 100) { `+page+` } newestMembers(first: 100) { totalCount `+page+` } posts(first: 100) { edges { node { id group { id } } } } } }`, `{"id": "`+group+`"}`).OK()
	members, newest := of.All("data.group.members.edges", "node.id"), of.All("data.group.newestMembers.edges", "node.id")
	of.Want("data.group.memberCount", strconv.Itoa(len(members)))
	of.Want("data.group.newestMembers.totalCount", strconv.Itoa(len(newest)))
	for _, w := range k.writers {
		now := ""
		if slices.Contains(members, w.id) {
			now = "joinGroup"
		}
		if slices.Contains(newest, w.id) != (now != "") {
			k.t.Errorf("of the members of %s the lists are %q and %q", group, members, newest)
		}
		if state := w.memberships[group]; state != nil && !slices.Contains(state, now) || state == nil && now != "" {
			k.t.Errorf("%s is %q in %s, want one of %q", w.name, now, group, state)
		}
	}
	for _, in := range of.All("data.group.posts.edges", "node.group.id") {
		if in != group {
			k.t.Errorf("a post of the group %s says that it is in %s", group, in)
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
func (k *killing) below(p *harness.Process, post string) (comments map[string]string, likes []string) {
	comments = map[string]string{}
	for after := ""; ; {
		page := p.As("", `query($id: ID!, $after: String) { comments(postId: $id, first: 100, after: $after) { totalCount edges { node { id content } } pageInfo { hasNextPage endCursor } } }`,
			`{"id": "`+post+`", "after": `+harness.NullOr(after)+`}`).OK()
		ids, contents := page.All("data.comments.edges", "node.id"), page.All("data.comments.edges", "node.content")
		for i, id := range ids {
			comments[id] = contents[i]
		}
		if page.At("data.comments.pageInfo.hasNextPage") == "false" {
			counts := p.As("", `{ post(id: "`+post+`") { commentCount likeCount likes(first: 100) { totalCount edges { node { user { username } } } } } }`, "").OK()
			likes = counts.All("data.post.likes.edges", "node.user.username")
			counts.Want("data.post.commentCount", strconv.Itoa(len(comments)))
			page.Want("data.comments.totalCount", strconv.Itoa(len(comments)))
			counts.Want("data.post.likeCount", strconv.Itoa(len(likes)))
			counts.Want("data.post.likes.totalCount", strconv.Itoa(len(likes)))
			return comments, likes
		}
		after = page.At("data.comments.pageInfo.endCursor")
	}
}
