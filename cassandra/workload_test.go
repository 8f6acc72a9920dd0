package cassandra_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// workload is writers that use some servers at once, and all that they were told. Each
// writer is one user, makes one command after the other on whichever server comes, and
// now and then reads on another one what it has just been told.
type workload struct {
	t       *testing.T
	config  cassandra.Config
	seed    uint64
	writers []*writer
	began   time.Time
	over    chan struct{}
	writing sync.WaitGroup
	scenes  []*scene // each with somebody who gives every command there is

	mu       sync.Mutex
	servers  []*cassandra.Store
	gone     map[*cassandra.Store]bool // servers whose process died
	posts    []blog.PostID             // where writers meet; never deleted
	acked    int
	moved    chan struct{} // closed and replaced with each acknowledgement
	failures []failure
}

// failure is a command that ended without an answer.
type failure struct {
	at  time.Time
	err error
}

// newWorkload makes the writers' accounts and some posts, and scenes.
func newWorkload(t *testing.T, config cassandra.Config, servers []*cassandra.Store, writers int) *workload {
	t.Helper()
	w := newWorkloadOf(t, config, storetest.Seed(t), servers, writers)
	w.addScenes(players)
	return w
}

// newWorkloadOf is newWorkload of a seed, without scenes.
func newWorkloadOf(t *testing.T, config cassandra.Config, seed uint64, servers []*cassandra.Store, writers int) *workload {
	t.Helper()
	w := &workload{t: t, config: config, seed: seed, servers: servers, gone: map[*cassandra.Store]bool{}, over: make(chan struct{}), moved: make(chan struct{})}
	for i := range writers {
		user := testkeyspace.NewUser(t, servers[i%len(servers)])
		w.writers = append(w.writers, &writer{
			workload: w, user: user, tag: fmt.Sprintf("w%d", i), names: state{user.Username},
			random: rand.New(rand.NewPCG(seed, uint64(i))), likes: map[blog.PostID]state{}, toggles: map[blog.PostID]*tries{},
		})
	}
	for i := range 3 {
		w.posts = append(w.posts, testkeyspace.NewPost(t, servers[0], w.writers[i%writers].user).ID)
	}
	return w
}

// replace has another server come for one whose process has died: what that one says from now on is no
// answer.
func (w *workload) replace(died, by *cassandra.Store) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone[died] = true
	w.servers[slices.Index(w.servers, died)] = by
}

// some returns any of the servers.
func (w *workload) some(random *rand.Rand) *cassandra.Store {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers[random.IntN(len(w.servers))]
}

// addScenes adds scenes on which all commands are given.
func (w *workload) addScenes(n int) {
	w.t.Helper()
	for i := range n {
		x := newScene(w.t, w.servers[i%len(w.servers)])
		x.left, x.next = fmt.Sprintf("scene %d", i), "all commands"
		w.scenes = append(w.scenes, x)
	}
}

// play gives commands in a drawn order until the scene's user is erased: each meets what those before it
// left. What is refused is answered, too.
func (w *workload) play(x *scene, random *rand.Rand) {
	for n := 0; ; n++ {
		select {
		case <-w.over:
			return
		default:
		}
		command, server := sceneCommands[random.IntN(len(sceneCommands))], w.some(random)
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err := command.give(ctx, server, x, fmt.Sprintf("r%d", n))
		cancel()
		x.next += ", " + command.name
		if err != nil && blog.KindOf(err) == blog.Internal {
			w.t.Errorf("%v: %v", x, err)
		}
		if w.answered(server, err) && err == nil && command.name == "deleteAccount" {
			x.isFoundByNobody(w.t, w.some(random), "as soon as it is erased")
			return
		}
	}
}

// judgeScenes judges each scene.
func (w *workload) judgeScenes(server *cassandra.Store) {
	w.t.Helper()
	testkeyspace.WantClean(w.t, w.config, server)
	feed, stored := storetest.ReadFeed(w.t, server), testkeyspace.EveryText(w.t, w.config)
	for _, x := range w.scenes {
		x.judge(w.t, server, feed, stored)
	}
}

// players is how many scenes are played at once.
const players = 6

func (w *workload) start() {
	w.began = time.Now()
	for i := range min(players, len(w.scenes)) {
		w.writing.Go(func() {
			random := rand.New(rand.NewPCG(w.seed, uint64(1000+i)))
			for ; i < len(w.scenes); i += players {
				w.play(w.scenes[i], random)
			}
		})
	}
	for _, writer := range w.writers {
		w.writing.Go(func() {
			for {
				select {
				case <-w.over:
					return
				default:
					writer.step()
				}
			}
		})
	}
}

// stop ends the writing and waits until the servers have nothing left to do.
func (w *workload) stop() {
	w.t.Helper()
	w.halt()
	w.settle()
}

// halt ends the writing.
func (w *workload) halt() {
	close(w.over)
	w.writing.Wait()
}

// settle waits until the servers have nothing left to do.
func (w *workload) settle() {
	w.t.Helper()
	for _, server := range w.servers {
		must(w.t, server.Settle(w.t.Context()))
	}
}

// progress waits until so many more commands were acknowledged, and returns the time
// that it took.
func (w *workload) progress(commands int) time.Duration {
	w.t.Helper()
	began := time.Now()
	hang := time.After(workloadPatience)
	w.mu.Lock()
	wanted := w.acked + commands
	w.mu.Unlock()
	for {
		w.mu.Lock()
		acked, moved := w.acked, w.moved
		w.mu.Unlock()
		if acked >= wanted {
			return time.Since(began)
		}
		select {
		case <-moved:
		case <-hang:
			w.t.Fatalf("of %d commands %d were not acknowledged within %v; failures: %s", commands, wanted-acked, workloadPatience, w.failed(began))
		}
	}
}

const workloadPatience = 3 * time.Minute

// failed tells which commands have failed since a time, and when.
func (w *workload) failed(since time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var seconds []string
	counts := map[string]int{}
	last := ""
	for _, f := range w.failures {
		if f.at.Before(since) {
			continue
		}
		second := fmt.Sprintf("%d s", int(f.at.Sub(since).Seconds()))
		if counts[second]++; counts[second] == 1 {
			seconds = append(seconds, second)
		}
		last = f.err.Error()
	}
	if len(seconds) == 0 {
		return "none"
	}
	for i, second := range seconds {
		seconds[i] = fmt.Sprintf("%d after %s", counts[second], second)
	}
	return fmt.Sprintf("%s (the last: %.200s)", strings.Join(seconds, ", "), last)
}

// failuresAfter counts the commands that failed after a time.
func (w *workload) failuresAfter(since time.Time) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.failures {
		if f.at.After(since) {
			n++
		}
	}
	return n
}

func (w *workload) acknowledged() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acked
}

// state is what something may be: what it was after the last command that was
// acknowledged, and after each since whose outcome is not known. "" is gone.
type state []string

func (s state) perhaps(next string) state { return append(slices.Clone(s), next) }

// writer is one user. Its commands come one after the other.
type writer struct {
	*workload
	by       *cassandra.Store // the server that was asked last
	user     blog.User
	tag      string
	random   *rand.Rand
	n        int
	names    state
	comments []*ownComment
	lost     []string // contents of comments that may be there or not
	likes    map[blog.PostID]state
	toggles  map[blog.PostID]*tries
	renames  tries
	again    func(*cassandra.Store) error // a keyed command without an answer, with its text
	keyed    string
}

type ownComment struct {
	key     blog.CommentKey
	content state

	edits, deletions tries
}

// tries is how often a command was given, and how often it was acknowledged.
type tries struct{ tried, acknowledged int }

func (n *tries) count(acknowledged bool) {
	if n.tried++; acknowledged {
		n.acknowledged++
	}
}

// server returns the server to ask next.
func (w *writer) server() *cassandra.Store {
	w.by = w.some(w.random)
	return w.by
}

func (w *writer) post() blog.PostID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.posts[w.random.IntN(len(w.posts))]
}

// done counts an answer, and reports whether the command was acknowledged. A refusal is
// a fault: everybody does what may be done.
func (w *writer) done(what string, err error) bool {
	answered := w.answered(w.by, err)
	if answered && err != nil {
		w.t.Errorf("%s: %s: %v", w.tag, what, err)
	}
	return answered && err == nil
}

// errDead is what a client gets of a server whose process has died, whatever that says.
var errDead error = blog.Errorf(blog.Unavailable, "its process died")

// answered counts a server's answer, or the lack of one.
func (w *workload) answered(by *cassandra.Store, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone[by] {
		err = errDead
	}
	if err != nil && (blog.KindOf(err) == blog.Timeout || blog.KindOf(err) == blog.Unavailable) {
		w.failures = append(w.failures, failure{time.Now(), err})
		return false
	}
	w.acked++
	close(w.moved)
	w.moved = make(chan struct{})
	return true
}

// limit is how long a client waits for an answer.
const limit = 10 * time.Second

func (w *writer) step() {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	w.n++
	text := fmt.Sprintf("%s %d", w.tag, w.n)
	switch draw := w.random.IntN(20); {
	case w.again != nil:
		if w.again(w.server()) == nil {
			w.again = nil
		}
	case draw < 5:
		w.comment(ctx, text)
	case draw < 8:
		w.commentWithKey(text)
	case draw < 15:
		w.toggle(ctx)
	case draw < 17:
		w.edit(ctx, text)
	case draw < 19:
		w.delete(ctx)
	default:
		w.rename(ctx)
	}
}

func (w *writer) comment(ctx context.Context, text string) {
	c, count, err := w.server().CreateComment(ctx, blog.CreateComment{Author: w.user.ID, Post: w.post(), Content: text})
	if !w.done("a comment", err) {
		w.lost = append(w.lost, text)
		return
	}
	w.wrote(ctx, c, count)
}

// commentWithKey makes a comment that will be there in the end, once.
func (w *writer) commentWithKey(text string) {
	post := w.post()
	w.keyed = text
	w.again = func(server *cassandra.Store) error {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		c, count, err := server.CreateComment(ctx, blog.CreateComment{Author: w.user.ID, Post: post, Content: text, IdempotencyKey: &text})
		if !w.done("a comment with a key", err) {
			return cmp.Or(err, errDead)
		}
		w.wrote(ctx, c, count)
		return nil
	}
	if w.again(w.server()) == nil {
		w.again = nil
	}
}

func (w *writer) wrote(ctx context.Context, c blog.Comment, count blog.Count) {
	w.comments = append(w.comments, &ownComment{key: c.Key(), content: state{c.Content}})
	if count.N < 1 {
		w.t.Errorf("%s: the count with a comment is %d", w.tag, count.N)
	}
	w.reads("its comment", func(server *cassandra.Store) error {
		found, err := server.CommentByKey(ctx, c.Key())
		if err == nil && found.Content != c.Content {
			w.t.Errorf("%s: read %q, wrote %q", w.tag, found.Content, c.Content)
		}
		return err
	})
}

// reads has a command's writer read, now and then, on any server. NotFound is a fault:
// it was acknowledged.
func (w *writer) reads(what string, read func(*cassandra.Store) error) {
	if w.random.IntN(3) > 0 {
		return
	}
	if err := read(w.server()); err != nil && blog.KindOf(err) != blog.Unavailable && blog.KindOf(err) != blog.Timeout {
		w.t.Errorf("%s: reading %s after it was acknowledged: %v", w.tag, what, err)
	}
}

func (w *writer) toggle(ctx context.Context) {
	post := w.post()
	before, known := w.likes[post]
	if !known {
		before = state{""}
	}
	next := "liked"
	if before[len(before)-1] == "liked" {
		next = ""
	}
	w.likes[post] = before.perhaps(next)
	var err error
	if next == "liked" {
		_, _, err = w.server().LikePost(ctx, blog.LikePost{Actor: w.user.ID, Post: post})
	} else {
		_, err = w.server().UnlikePost(ctx, blog.UnlikePost{Actor: w.user.ID, Post: post})
	}
	acknowledged := w.done("a like", err)
	if w.toggles[post] == nil {
		w.toggles[post] = &tries{}
	}
	if w.toggles[post].count(acknowledged); !acknowledged {
		return
	}
	w.likes[post] = state{next}
	w.reads("its like", func(server *cassandra.Store) error {
		liked, err := server.LikedPosts(ctx, w.user.ID, []blog.UUID{post.UUID})
		if err == nil && (len(liked) == 1) != (next == "liked") {
			w.t.Errorf("%s: read %v likes of the post, after it was %q", w.tag, len(liked), next)
		}
		return err
	})
}

// own returns a comment that is there for certain.
func (w *writer) own() *ownComment {
	if len(w.comments) == 0 {
		return nil
	}
	c := w.comments[w.random.IntN(len(w.comments))]
	if slices.Contains(c.content, "") {
		return nil
	}
	return c
}

func (w *writer) edit(ctx context.Context, text string) {
	c := w.own()
	if c == nil {
		return
	}
	c.content = c.content.perhaps(text)
	_, err := w.server().UpdateComment(ctx, blog.UpdateComment{Actor: w.user.ID, Key: c.key, Content: text})
	acknowledged := w.done("an edit", err)
	if c.edits.count(acknowledged); acknowledged {
		c.content = state{text}
	}
}

func (w *writer) delete(ctx context.Context) {
	c := w.own()
	if c == nil {
		return
	}
	c.content = c.content.perhaps("")
	_, err := w.server().DeleteComment(ctx, blog.DeleteComment{Actor: w.user.ID, Key: c.key})
	acknowledged := w.done("a deletion", err)
	if c.deletions.count(acknowledged); acknowledged {
		c.content = state{""}
	}
}

func (w *writer) rename(ctx context.Context) {
	name := fmt.Sprintf("%.20s_%d", w.user.Username, w.n)
	w.names = w.names.perhaps(name)
	_, err := w.server().UpdateUser(ctx, blog.UpdateUser{Actor: w.user.ID, Username: blog.SetTo(name)})
	acknowledged := w.done("a rename", err)
	if w.renames.count(acknowledged); !acknowledged {
		return
	}
	w.names = state{name}
	w.reads("its name", func(server *cassandra.Store) error {
		u, err := server.UserByUsername(ctx, name)
		if err == nil && u.ID != w.user.ID {
			w.t.Errorf("%s: its name is another's", w.tag)
		}
		return err
	})
}

// check compares all that is there, as a server shows it, with what was acknowledged,
// every copy with its truth, the feed with both, and the tables with what is gone.
func (w *workload) check(server *cassandra.Store) {
	w.t.Helper()
	w.heal()
	rows := map[blog.CommentKey]string{}
	likes := map[blog.ReactionKey]bool{}
	for _, post := range w.posts {
		w.below(server, post, rows, likes)
	}
	for _, writer := range w.writers {
		writer.check(server, rows, likes)
	}
	for key, content := range rows {
		w.t.Errorf("nobody wrote %q of post %v, or it is there twice", content, key.Post)
	}
	found, err := audit.Verifying{}.Run(w.t.Context(), server)
	must(w.t, err)
	for _, table := range found.Tables {
		if table.Drifted > 0 {
			w.t.Errorf("%d rows of %s differ from their truth: %v", table.Drifted, table.Table, table.Examples)
		}
	}
	w.judgeFeed(server)
	w.judgeScenes(server)
	w.t.Logf("%d commands were acknowledged within %v; without an answer: %s", w.acked, time.Since(w.began).Round(time.Second), w.failed(w.began))
}

// heal has a server whose clock is ahead finish what is left. What may come late it looks at three times,
// and of one user's renames it does one at a time. By its clock the leases of servers that died have ended.
func (w *workload) heal() {
	w.t.Helper()
	for later := time.Minute; later == time.Minute || testkeyspace.Undone(w.t, w.config) > 0 && later < 48*time.Hour; later += 2 * time.Hour {
		outlive(w.t, w.config)
		healer := longAgo(w.t, w.config, later)
		must(w.t, recovered(w.t.Context(), healer))
		must(w.t, healer.Settle(w.t.Context()))
		must(w.t, healer.Close())
	}
}

func (w *writer) check(server *cassandra.Store, rows map[blog.CommentKey]string, likes map[blog.ReactionKey]bool) {
	for _, c := range w.comments {
		if !slices.Contains(c.content, rows[c.key]) {
			w.t.Errorf("%s: a comment is %q, want one of %q", w.tag, rows[c.key], c.content)
		}
		delete(rows, c.key)
	}
	lost := slices.Clone(w.lost) // which the check of another server needs, too
	if w.again != nil {
		lost = append(lost, w.keyed)
	}
	for key, content := range rows {
		if i := slices.Index(lost, content); i >= 0 {
			lost = slices.Delete(lost, i, i+1)
			delete(rows, key)
		}
	}
	for post, want := range w.likes {
		now := ""
		if likes[blog.ReactionKey{Of: blog.Likes, To: post.UUID, User: w.user.ID}] {
			now = "liked"
		}
		if !slices.Contains(want, now) {
			w.t.Errorf("%s: its like of %v is %q, want one of %q", w.tag, post, now, want)
		}
	}
	u, err := server.UserByID(w.t.Context(), w.user.ID)
	must(w.t, err)
	if !slices.Contains(w.names, u.Username) {
		w.t.Errorf("%s: its name is %s, want one of %v", w.tag, u.Username, w.names)
	}
}

// below reads a post's comments and likes, and compares each count with them.
func (w *workload) below(server *cassandra.Store, post blog.PostID, rows map[blog.CommentKey]string, likes map[blog.ReactionKey]bool) {
	w.t.Helper()
	ctx := w.t.Context()
	comments, fans := 0, 0
	query := blog.CommentsQuery{Post: post, Page: blog.FirstPage[blog.CommentID](blog.MaxPage)}
	for more := true; more; {
		page, err := server.CommentsByPost(ctx, query)
		must(w.t, err)
		for _, c := range page.Items {
			rows[c.Key()] = c.Content
			query.Page.After = &c.ID
		}
		comments, more = comments+len(page.Items), page.HasNext
		if !more && page.Count.N != comments {
			w.t.Errorf("post %v: the count of comments is %d, the rows are %d", post, page.Count.N, comments)
		}
	}
	first := blog.FirstPage[blog.ReactionPosition](blog.MaxPage)
	for more := true; more; {
		page, err := server.LikesByPost(ctx, post, first)
		must(w.t, err)
		for _, like := range page.Items {
			likes[like.Key(blog.Likes)] = true
			first.After = new(like.Position())
		}
		fans, more = fans+len(page.Items), page.HasNext
		if !more && page.Count.N != fans {
			w.t.Errorf("post %v: the count of likes is %d, the rows are %d", post, page.Count.N, fans)
		}
	}
	p, err := server.PostByID(ctx, post)
	must(w.t, err)
	if p.CommentCount() != comments || p.LikeCount() != fans {
		w.t.Errorf("post %v shows %d comments and %d likes, there are %d and %d", post, p.CommentCount(), p.LikeCount(), comments, fans)
	}
}
