package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"broadsheet/internal/cassandratest/testkeyspace"
)

// Two viewers and somebody without a token ask the same at once, byte for byte, of a server
// that shares reads as it does unless told otherwise. Each is told what it is told alone.
func TestEachSeesItsOwn(t *testing.T) {
	t.Parallel()
	for store, args := range map[string]func(*testing.T) []string{
		"embedded":  func(t *testing.T) []string { return []string{"--data-dir", t.TempDir()} },
		"cassandra": func(t *testing.T) []string { return on(testkeyspace.New(t)) },
	} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			s := start(t, append(args(t), "--no-demo")...).ready()
			s.eachSeesItsOwn(s.twoViewers())
		})
	}
}

var emails = map[string]string{"alice": "alice@example.org", "bob": "bob@example.org", "": "nobody's"}

// twoViewers has two users write and like, and returns queries that show each something else.
func (s *server) twoViewers() (queries []string) {
	s.t.Helper()
	var posts []string
	for _, name := range []string{"alice", "bob"} {
		s.as(name, fmt.Sprintf(`mutation { createUser(input: {username: %q, email: %q}) { userErrors { code } } }`, name, emails[name]), "").ok()
		post := s.as(name, `mutation { createPost(input: {title: "T", content: "C"}) { post { id } userErrors { code } } }`, "").ok().at("data.createPost.post.id")
		s.as(name, fmt.Sprintf(`mutation { likePost(input: {postId: %q}) { userErrors { code } } createComment(input: {postId: %q, content: "C"}) { userErrors { code } } }`, post, post), "").ok()
		posts = append(posts, post)
	}
	const user = `{ id username email }`
	return []string{
		`{ viewer ` + user + ` }`,
		`{ feed { edges { node { viewerHasLiked author ` + user + ` } } } viewer ` + user + ` }`,
		fmt.Sprintf(`{ post(id: %q) { viewerHasLiked likes { edges { node { user `+user+` post { viewerHasLiked } } } } } }`, posts[0]),
		fmt.Sprintf(`{ user(username: "bob") `+user+` comments(postId: %q) { edges { node { author `+user+` post { viewerHasLiked } } } } }`, posts[1]),
	}
}

// eachSeesItsOwn asks again and again, until answers were shared.
func (s *server) eachSeesItsOwn(queries []string) {
	s.t.Helper()
	const rounds, callers = 20, 8
	alone := map[[2]string]string{}
	for _, query := range queries {
		for who := range emails {
			told := s.as(who, query, "").ok().text
			for of, email := range emails {
				if strings.Contains(told, email) && of != who {
					s.t.Errorf("%q is told the address of %s: %s", who, of, told)
				}
			}
			alone[[2]string{who, query}] = told
		}
	}
	round := 0
	eventually(s.t, "callers share answers", func() bool {
		for _, query := range queries {
			s.atOnce(callers, query, alone)
		}
		round++
		return s.t.Failed() || round >= rounds && s.sharedAnswers() > 0
	})
	s.t.Logf("%d rounds, %d callers were given another's answer", round, s.sharedAnswers())
}

// atOnce has several callers of each kind send a query at the same moment.
func (s *server) atOnce(callers int, query string, alone map[[2]string]string) {
	s.t.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	begin := make(chan struct{})
	var asking sync.WaitGroup
	for who := range emails {
		headers := map[string]string{"Content-Type": "application/json"}
		if who != "" {
			headers["Authorization"] = "Bearer " + who
		}
		for range callers {
			asking.Go(func() {
				<-begin
				got, err := s.try(http.MethodPost, "/graphql", strings.NewReader(string(body)), headers)
				if want := alone[[2]string{who, query}]; err != nil || got.text != want {
					s.t.Errorf("%s\nas %q beside others: %v %s\nalone: %s", query, who, err, got.text, want)
				}
			})
		}
	}
	close(begin)
	asking.Wait()
}

var sharedAnswers = regexp.MustCompile(`(?m)^broadsheet_shared_reads_total\{query="response"\} (\d+)$`)

func (s *server) sharedAnswers() (n int) {
	s.t.Helper()
	if found := sharedAnswers.FindStringSubmatch(s.get("/metrics").text); found != nil {
		_, _ = fmt.Sscan(found[1], &n)
	}
	return n
}
