package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/testkeyspace"
)

// Two viewers and somebody without a token ask the same at once, byte for byte, of a server
// that shares reads as it does unless told otherwise. Each is told what it is told alone.
func TestEachSeesItsOwn(t *testing.T) {
	t.Parallel()
	for store, args := range map[string]func(*testing.T) []string{
		"embedded":  func(t *testing.T) []string { return []string{"--data-dir", t.TempDir()} },
		"cassandra": func(t *testing.T) []string { return harness.On(testkeyspace.New(t)) },
	} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			s := harness.Start(t, append(args(t), "--no-demo")...).Ready()
			eachSeesItsOwn(s, twoViewers(s))
		})
	}
}

var emails = map[string]string{"alice": "alice@example.org", "bob": "bob@example.org", "": "nobody's"}

// twoViewers has two users write and like, and returns queries that show each something else.
func twoViewers(s *harness.Server) (queries []string) {
	s.T.Helper()
	var posts []string
	for _, name := range []string{"alice", "bob"} {
		s.As(name, fmt.Sprintf(`mutation { createUser(input: {username: %q, email: %q}) { userErrors { code } } }`, name, emails[name]), "").OK()
		post := s.As(name, `mutation { createPost(input: {title: "T", content: "C"}) { post { id } userErrors { code } } }`, "").OK().At("data.createPost.post.id")
		s.As(name, fmt.Sprintf(`mutation { likePost(input: {postId: %q}) { userErrors { code } } createComment(input: {postId: %q, content: "C"}) { userErrors { code } } }`, post, post), "").OK()
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
func eachSeesItsOwn(s *harness.Server, queries []string) {
	s.T.Helper()
	const rounds, callers = 20, 8
	alone := map[[2]string]string{}
	for _, query := range queries {
		for who := range emails {
			told := s.As(who, query, "").OK().Text
			for of, email := range emails {
				if strings.Contains(told, email) && of != who {
					s.T.Errorf("%q is told the address of %s: %s", who, of, told)
				}
			}
			alone[[2]string{who, query}] = told
		}
	}
	round := 0
	harness.Eventually(s.T, "callers share answers", func() bool {
		for _, query := range queries {
			askAtOnce(s, callers, query, alone)
		}
		round++
		return s.T.Failed() || round >= rounds && sharedAnswers(s) > 0
	})
	s.T.Logf("%d rounds, %d callers were given another's answer", round, sharedAnswers(s))
}

// atOnce has several callers of each kind send a query at the same moment.
func askAtOnce(s *harness.Server, callers int, query string, alone map[[2]string]string) {
	s.T.Helper()
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
				got, err := s.Try(http.MethodPost, "/graphql", strings.NewReader(string(body)), headers)
				if want := alone[[2]string{who, query}]; err != nil || got.Text != want {
					s.T.Errorf("%s\nas %q beside others: %v %s\nalone: %s", query, who, err, got.Text, want)
				}
			})
		}
	}
	close(begin)
	asking.Wait()
}

var sharedReads = regexp.MustCompile(`(?m)^broadsheet_shared_reads_total\{query="response"\} (\d+)$`)

func sharedAnswers(s *harness.Server) (n int) {
	s.T.Helper()
	if found := sharedReads.FindStringSubmatch(s.Get("/metrics").Text); found != nil {
		_, _ = fmt.Sscan(found[1], &n)
	}
	return n
}
