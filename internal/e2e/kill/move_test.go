package kill

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// A table changes its key on a node while two servers take 500 writes a second, or as many as BROADSHEET_SOAK_WRITES says. One is killed in each phase, and a step is
// taken back: no request fails that reached a server which lives, no page is wrong, and verify finds nothing in any phase.
func TestSoakMoveUnderLoad(t *testing.T) {
	storetest.Soaks(t)
	cassandratest.Real(t, "that a node writes so much")
	c := testkeyspace.Own(t)
	args := harness.On(c)
	l := newMoveLoad(t, harness.LaunchProcess(t, args...), harness.LaunchProcess(t, args...))
	for ago := range 3 { // and posts of the years before
		past := testkeyspace.Open(t, c, blog.Options{Clock: ahead(-time.Duration(ago) * 365 * 24 * time.Hour)})
		l.posts = append(l.posts, relay.EncodeID(testkeyspace.NewPost(t, past, testkeyspace.NewUser(t, past)).ID))
		if err := past.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l.start()
	l.goesOn("old", 10*time.Second)
	for i, phase := range []string{"both", "filled", "verified", "new", "verified", "new", "dropped"} {
		harness.Want(t, 0, "likes_by_user is "+phase, harness.On(c, "migrate", "key", "likes_by_user", "--to", phase)...)
		harness.Want(t, 0, "likes_by_user_and_year takes the place of likes_by_user: "+phase, harness.On(c, "migrate", "status")...)
		l.kill(i%2, args...)
		l.goesOn(phase, 10*time.Second)
		harness.Want(t, 0, "", harness.On(c, "verify")...)
	}
	close(l.over)
	l.all.Wait()
	harness.Want(t, 0, "", harness.On(c, "verify")...)
}

const moveWriters = 100

// moveLoad is users who like posts at two servers, take likes back, and look which posts they like.
type moveLoad struct {
	t     *testing.T
	posts []string
	over  chan struct{}
	rate  time.Duration // writes a second
	all   sync.WaitGroup

	mu      sync.Mutex
	servers [2]*harness.Process

	writes, reads, cut atomic.Int64
}

func newMoveLoad(t *testing.T, servers ...*harness.Process) *moveLoad {
	l := &moveLoad{t: t, over: make(chan struct{}), rate: 500, servers: [2]*harness.Process(servers)}
	if set, err := strconv.Atoi(os.Getenv(storetest.SoakEnv + "_WRITES")); err == nil {
		l.rate = time.Duration(set)
	}
	for i := range moveWriters {
		name := fmt.Sprintf("mover_%d", i)
		servers[i%2].As(name, fmt.Sprintf(`mutation { createUser(input: {username: %q}) { user { id } } }`, name), "").OK()
	}
	for range 200 {
		l.posts = append(l.posts, servers[0].As("mover_0", `mutation { createPost(input: {title: "T", content: "c"}) { post { id } } }`, "").OK().At("data.createPost.post.id"))
	}
	return l
}

func (l *moveLoad) start() {
	for i := range moveWriters {
		l.all.Go(func() { l.likeAndLook(fmt.Sprintf("mover_%d", i)) })
	}
}

// likeAndLook is one user. What a killed server has not answered is asked of another: a like may be repeated.
func (l *moveLoad) likeAndLook(name string) {
	likes := map[string]bool{} // of posts of which that is known
	tick := time.NewTicker(moveWriters * time.Second / l.rate)
	defer tick.Stop()
	for {
		select {
		case <-l.over:
			return
		case <-tick.C:
		}
		post := l.posts[rand.IntN(len(l.posts))]
		mutation := "likePost"
		if likes[post] {
			mutation = "unlikePost"
		}
		liked := likes[post]
		delete(likes, post)
		if l.ask(name, fmt.Sprintf(`mutation { %s(input: {postId: %q}) { post { id } userErrors { message } } }`, mutation, post), nil) {
			likes[post] = !liked
			l.writes.Add(1)
		}
		if rand.IntN(10) == 0 {
			l.look(name, likes)
		}
	}
}

// look compares which of all posts a user likes with what was acknowledged.
func (l *moveLoad) look(name string, likes map[string]bool) {
	var query strings.Builder
	var posts []string // that all years are among
	for i, post := range l.posts {
		if _, known := likes[post]; known && (len(posts) < 20 || i >= len(l.posts)-3) {
			posts = append(posts, post)
		}
	}
	if len(posts) == 0 {
		return
	}
	for i, post := range posts {
		fmt.Fprintf(&query, "p%d: post(id: %q) { viewerHasLiked } ", i, post)
	}
	var page struct {
		Data map[string]struct{ ViewerHasLiked bool }
	}
	if !l.ask(name, "{ "+query.String()+"}", &page) {
		return
	}
	l.reads.Add(1)
	for i, post := range posts {
		if got := page.Data[fmt.Sprintf("p%d", i)].ViewerHasLiked; got != likes[post] {
			l.t.Errorf("%s likes %s: %v, and sees %v", name, post, likes[post], got)
		}
	}
}

// ask executes an operation at a server, or at the other where that one is killed, and reads its answer.
func (l *moveLoad) ask(name, query string, into any) bool {
	body, _ := json.Marshal(map[string]string{"query": query})
	for range 100 {
		l.mu.Lock()
		server := l.servers[rand.IntN(2)]
		l.mu.Unlock()
		a, err := server.Try(http.MethodPost, "/graphql", strings.NewReader(string(body)), map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + name})
		if err != nil {
			l.cut.Add(1)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if a.Status != http.StatusOK || strings.Contains(a.Text, `"errors":[{`) || strings.Contains(a.Text, `"userErrors":[{`) {
			l.t.Errorf("%s: %d %s", query, a.Status, a.Text)
			return false
		}
		if into != nil {
			if err := json.NewDecoder(strings.NewReader(a.Text)).Decode(into); err != nil && err != io.EOF {
				l.t.Error(err)
			}
		}
		return true
	}
	l.t.Errorf("%s: no server answers", query)
	return false
}

// kill kills a server, and another comes in its place.
func (l *moveLoad) kill(i int, args ...string) {
	l.servers[i].Kill()
	by := harness.LaunchProcess(l.t, args...)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.servers[i] = by
}

// goesOn logs what is done within a time.
func (l *moveLoad) goesOn(phase string, during time.Duration) {
	writes, reads := l.writes.Load(), l.reads.Load()
	began := time.Now()
	time.Sleep(during)
	took := time.Since(began).Seconds()
	l.t.Logf("%s: %.0f writes a second, %.0f pages; %d in all, %d pages; cut off by kills: %d", phase, float64(l.writes.Load()-writes)/took, float64(l.reads.Load()-reads)/took, l.writes.Load(), l.reads.Load(), l.cut.Load())
}
