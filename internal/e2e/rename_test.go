package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"broadsheet/internal/cassandratest/testkeyspace"
)

// While a rename walks to some 600 copies, slowly, each answer of two servers has one name
// for one user, and to its owner the new one, in every list.
func TestNamesWhileARenameWalks(t *testing.T) {
	t.Parallel()
	c := testkeyspace.New(t)
	first := start(t, on(c, "--no-demo", patient, "--cassandra-job-rate", "100")...).ready()
	second := start(t, on(c, "--no-demo", patient, "--cassandra-job-rate", "100")...).ready()
	for _, name := range []string{"ann", "eve"} {
		first.as(name, `mutation { createUser(input: {username: "`+name+`"}) { userErrors { code } } }`, "").ok()
	}
	posts := append(first.publish("ann", 60), first.publish("eve", 60)...) // 120 copies of ann's name
	first.each("ann", posts, `likePost(input: {postId: "%s"}) { userErrors { code } }`)
	for range 6 {
		first.each("ann", posts[40:100], `createComment(input: {postId: "%s", content: "By Ann."}) { userErrors { code } }`)
	}
	first.as("ann", `mutation { updateUser(input: {username: "Anna"}) { user { username posts { edges { node { author { id username } } } } } } }`, "").ok().
		wantOneName(map[string]bool{"Anna": true})

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
		return strings.Contains(first.get("/metrics").text, `broadsheet_jobs_running{job="rename"} 1`)
	}
	eventually(t, "the walk, which begins after the reply, is under way", walks)
	for walking := true; walking; asked++ {
		walking = walks()
		for i, question := range questions {
			for _, server := range []*server{first, second} {
				server.as("ann", question, "").ok().wantOneName(map[string]bool{"Anna": true})
				if shown := server.as("", question, "").ok().wantOneName(map[string]bool{"ann": true, "Anna": true}); shown == "ann" {
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
func (s *server) publish(author string, n int) (posts []string) {
	s.t.Helper()
	for range n / 20 {
		var fields strings.Builder
		for i := range 20 {
			fmt.Fprintf(&fields, `p%d: createPost(input: {title: "T", content: "C"}) { post { id } } `, i)
		}
		written := s.as(author, "mutation {"+fields.String()+"}", "").ok()
		for i := range 20 {
			posts = append(posts, written.at(fmt.Sprintf("data.p%d.post.id", i)))
		}
	}
	return posts
}

// each has a user do the same to each of some posts.
func (s *server) each(who string, posts []string, field string) {
	s.t.Helper()
	for len(posts) > 0 {
		n := min(len(posts), 20)
		var fields strings.Builder
		for i, post := range posts[:n] {
			fmt.Fprintf(&fields, "f%d: "+field+" ", i, post)
		}
		s.as(who, "mutation {"+fields.String()+"}", "").ok()
		posts = posts[n:]
	}
}

// wantOneName checks that an answer has one name for each user, and returns which of some it
// has: those of one user.
func (a answer) wantOneName(of map[string]bool) (shown string) {
	a.t.Helper()
	var value any
	if err := json.Unmarshal([]byte(a.text), &value); err != nil {
		a.t.Fatal(err)
	}
	names := map[string]string{}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			id, _ := v["id"].(string)
			if username, ok := v["username"].(string); ok {
				if before, known := names[id]; known && before != username {
					a.t.Fatalf("one user is both %s and %s", before, username)
				}
				names[id] = username
				if of[username] {
					shown = username
				} else if username != "eve" {
					a.t.Fatalf("%s is shown, want one of %v", username, of)
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
