package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/testkeyspace"
)

// While a rename walks to some 600 copies, slowly, each answer of two servers has one name
// for one user, and to its owner the new one, in every list.
func TestNamesWhileARenameWalks(t *testing.T) {
	t.Parallel()
	c := testkeyspace.New(t)
	first := harness.Start(t, harness.On(c, "--no-demo", harness.Patient, "--cassandra-job-rate", "100")...).Ready()
	second := harness.Start(t, harness.On(c, "--no-demo", harness.Patient, "--cassandra-job-rate", "100")...).Ready()
	for _, name := range []string{"ann", "eve"} {
		first.As(name, `mutation { createUser(input: {username: "`+name+`"}) { userErrors { code } } }`, "").OK()
	}
	posts := append(publish(first, "ann", 60), publish(first, "eve", 60)...) // 120 copies of ann's name
	eachNamed(first, "ann", posts, `likePost(input: {postId: "%s"}) { userErrors { code } }`)
	for range 6 {
		eachNamed(first, "ann", posts[40:100], `createComment(input: {postId: "%s", content: "By Ann."}) { userErrors { code } }`)
	}
	wantOneName(first.As("ann", `mutation { updateUser(input: {username: "Anna"}) { user { username posts { edges { node { author { id username } } } } } } }`, "").OK(), map[string]bool{"Anna": true})

	const user = `{ id username }`
	const lists = `comments(first: 10) { edges { node { author ` + user + ` } } } likes { edges { node { user ` + user + ` } } }`
	questions := []string{
		`{ feed(first: 20) { edges { node { author ` + user + lists + ` } } } }`,
		`{ feed(first: 60) { edges { node { author { id username version } } } } user(username: "anna") { id username comments(first: 20) { edges { node { author ` + user + ` post { author ` + user + ` } } } } } }`,
		fmt.Sprintf(`{ a: post(id: %q) { author `+user+lists+` } b: post(id: %q) { author `+user+lists+` } c: likes(postId: %q) { edges { node { user `+user+` } } } }`, posts[0], posts[59], posts[99]),
		fmt.Sprintf(`{ nodes(ids: [%q, %q, %q]) { ... on Post { author `+user+lists+` } } userPosts(username: "anna", last: 30) { edges { node { author `+user+` `+lists+` } } } }`, posts[1], posts[45], posts[90]),
	}
	lagged, asked := 0, 0
	walks := func() bool {
		return strings.Contains(first.Get("/metrics").Text, `broadsheet_jobs_running{job="rename"} 1`)
	}
	harness.Eventually(t, "the walk, which begins after the reply, is under way", walks)
	for walking := true; walking; asked++ {
		walking = walks()
		for i, question := range questions {
			for _, server := range []*harness.Server{first, second} {
				wantOneName(server.As("ann", question, "").OK(), map[string]bool{"Anna": true})
				if shown := wantOneName(server.As("", question, "").OK(), map[string]bool{"ann": true, "Anna": true}); shown == "ann" {
					lagged++
				} else if !walking && shown != "Anna" {
					t.Errorf("question %d shows %q in the end", i, shown)
				}
			}
		}
	}
	if asked < 2 || lagged == 0 {
		t.Errorf("of %d rounds %d answers showed the former name: too few to prove anything", asked, lagged)
	}
	t.Logf("%d rounds of %d answers; %d showed the former name to nobody in particular", asked, 4*len(questions), lagged)
}

// publish has a user write posts, and returns their ids.
func publish(s *harness.Server, author string, n int) (posts []string) {
	s.T.Helper()
	for range n / 20 {
		var fields strings.Builder
		for i := range 20 {
			fmt.Fprintf(&fields, `p%d: createPost(input: {title: "T", content: "C"}) { post { id } } `, i)
		}
		written := s.As(author, "mutation {"+fields.String()+"}", "").OK()
		for i := range 20 {
			posts = append(posts, written.At(fmt.Sprintf("data.p%d.post.id", i)))
		}
	}
	return posts
}

// each has a user do the same to each of some posts.
func eachNamed(s *harness.Server, who string, posts []string, field string) {
	s.T.Helper()
	for len(posts) > 0 {
		n := min(len(posts), 20)
		var fields strings.Builder
		for i, post := range posts[:n] {
			fmt.Fprintf(&fields, "f%d: "+field+" ", i, post)
		}
		s.As(who, "mutation {"+fields.String()+"}", "").OK()
		posts = posts[n:]
	}
}

// wantOneName checks that an answer has one name for each user, and returns which of some it
// has: those of one user.
func wantOneName(a harness.Answer, of map[string]bool) (shown string) {
	a.T.Helper()
	var value any
	if err := json.Unmarshal([]byte(a.Text), &value); err != nil {
		a.T.Fatal(err)
	}
	names := map[string]string{}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			id, _ := v["id"].(string)
			if username, ok := v["username"].(string); ok {
				if before, known := names[id]; known && before != username {
					a.T.Fatalf("one user is both %s and %s", before, username)
				}
				names[id] = username
				if of[username] {
					shown = username
				} else if username != "eve" {
					a.T.Fatalf("%s is shown, want one of %v", username, of)
				}
			}
			for _, below := range v {
				walk(below)
			}
		case []any:
			for _, below := range v {
				walk(below)
			}
		}
	}
	walk(value)
	return shown
}
