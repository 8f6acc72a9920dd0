package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/program"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// change is a line of `broadsheet changes`.
type change struct{ Cursor, Kind, ActorID, PostID, CommentID string }

func readChanges(t *testing.T, text string) (all []change) {
	t.Helper()
	for line := range strings.Lines(text) {
		var c change
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.Cursor == "" {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, c)
	}
	return all
}

func kindsOf(changes []change) (kinds []string) {
	for _, c := range changes {
		kinds = append(kinds, c.Kind)
	}
	return kinds
}

// What commands did on the embedded store is printed when no server has it, from any line on.
func TestChangesOfTheEmbeddedStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	harness.Want(t, 0, "2 users", "seed", "--users", "2", "--data-dir", dir)
	now := readChanges(t, harness.Want(t, 0, "", "changes", "--data-dir", dir))
	equal(t, "lines without a cursor to begin with", len(now), 1)

	s := harness.Start(t, "--data-dir", dir).Ready()
	post := s.As("alice", `mutation { createPost(input: {title: "New", content: "New."}) { post { id } } }`, "").OK().At("data.createPost.post.id")
	s.As("alice", fmt.Sprintf(`mutation { a: createComment(input: {postId: %q, content: "Here."}) { comment { id } } b: likePost(input: {postId: %q}) { post { id } } c: deletePost(input: {id: %q}) { deletedId } }`, post, post, post), "").OK()
	s.Stop()

	all := readChanges(t, harness.Want(t, 0, "", "changes", "--after", now[0].Cursor, "--data-dir", dir))
	equal(t, "kinds", fmt.Sprint(kindsOf(all)), "[ postCreated commentCreated postLiked postDeleted]")
	for i, c := range all {
		if i > 0 && c.PostID != post {
			t.Errorf("%v is of another post than %s", c, post)
		}
		rest := readChanges(t, harness.Want(t, 0, "", "changes", "--after", c.Cursor, "--data-dir", dir))
		equal(t, "what follows a line", fmt.Sprint(kindsOf(rest)[1:]), fmt.Sprint(kindsOf(all)[i+1:]))
	}
	harness.Want(t, 1, "this is no cursor of changes", "changes", "--after", "garbage", "--data-dir", dir)
	harness.Want(t, 0, "", "seed", "--users", "2", "--data-dir", dir+"2")
	harness.Want(t, 3, "the changes since then are kept no more", "changes", "--after", all[0].Cursor, "--data-dir", dir+"2")
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A follower that is cut off again and again, while two servers write, gets each change once.
func TestChangesOfTwoServers(t *testing.T) {
	t.Parallel()
	seed := storetest.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	c := testkeyspace.New(t)
	servers := []*harness.Server{harness.Start(t, harness.On(c, "--no-demo", harness.Patient)...).Ready(), harness.Start(t, harness.On(c, "--no-demo", harness.Patient)...).Ready()}
	after := following(t, harness.On(c, "changes", "--no-follow")...).all()[0].Cursor
	for _, name := range []string{"ann", "eve"} {
		servers[0].As(name, `mutation { createUser(input: {username: "`+name+`"}) { userErrors { code } } }`, "").OK()
	}
	hot := publish(servers[0], "ann", 20)[0]
	before := following(t, harness.On(c, "changes", "--after", after)...)
	harness.Eventually(t, "what the feed has after the replies", func() bool { return len(before.all()) > 2+20 })
	told := before.stop()
	after = told[len(told)-1].Cursor

	const posts, comments = 100, 200
	var writing sync.WaitGroup
	made := make([][]string, len(servers))
	for i, s := range servers {
		writing.Go(func() {
			name := []string{"ann", "eve"}[i]
			for range posts / 20 {
				made[i] = append(made[i], publish(s, name, 20)...)
				for range comments / (posts / 20) / 20 {
					eachNamed(s, name, slices.Repeat([]string{hot}, 20), `createComment(input: {postId: "%s", content: "Here."}) { userErrors { code } }`)
				}
			}
		})
	}
	wrote := make(chan struct{})
	go func() { writing.Wait(); close(wrote) }()

	var got []change
	ended := false
	for len(got) < 2*(posts+comments) {
		f := following(t, harness.On(c, "changes", "--after", after)...)
		enough := 1 + random.IntN(80)
		harness.Eventually(t, "more changes", func() bool { return len(f.all()) > min(enough, 2*(posts+comments)-len(got)) })
		part := f.stop()[1:]
		after = part[len(part)-1].Cursor
		got = append(got, slices.DeleteFunc(part, func(c change) bool { return c.Kind == "" })...)
		select {
		case <-wrote:
			ended = true
		default:
		}
	}
	t.Logf("%d changes; the writers had ended: %v", len(got), ended)
	want := slices.Concat(made...)
	var created []string
	seen := map[string]bool{}
	for _, c := range got {
		switch c.Kind {
		case "postCreated":
			created = append(created, c.PostID)
		case "commentCreated":
			if seen[c.CommentID] {
				t.Errorf("%s came twice", c.CommentID)
			}
			seen[c.CommentID] = true
		default:
			t.Errorf("an unexpected change: %v", c)
		}
	}
	slices.Sort(created)
	slices.Sort(want)
	if !slices.Equal(created, want) {
		t.Errorf("%d posts, want %d", len(created), len(want))
	}
	equal(t, "comments", len(seen), 2*comments)
}

// follower is `broadsheet changes` under way.
type follower struct {
	t      *testing.T
	out    harness.Output
	cancel context.CancelFunc
	ended  chan int
}

func following(t *testing.T, args ...string) *follower {
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{t: t, cancel: cancel, ended: make(chan int, 1)}
	var log harness.Output
	go func() { f.ended <- program.Run(ctx, args, harness.SDL, &f.out, &log) }()
	harness.Eventually(t, "a first line", func() bool { return len(f.all()) > 0 || log.String() != "" && len(f.ended) > 0 })
	return f
}

// all returns the whole lines that were printed so far.
func (f *follower) all() []change {
	f.t.Helper()
	text := f.out.String()
	return readChanges(f.t, text[:strings.LastIndexByte(text, '\n')+1])
}

func (f *follower) stop() []change {
	f.t.Helper()
	f.cancel()
	if code := <-f.ended; code != 0 {
		f.t.Errorf("it ended with %d", code)
	}
	return f.all()
}

// What docs/changes.md says of a line is what a line has.
func TestTheDocumentedLine(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(harness.Repository, "docs", "changes.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, name := range regexp.MustCompile("`([a-zA-Z]+)`").FindAllStringSubmatch(string(page), -1) {
		documented[name[1]] = true
	}
	dir := filepath.Join(t.TempDir(), "data")
	harness.Start(t, "--data-dir", dir, "--no-demo").Ready().Stop()
	before := readChanges(t, harness.Want(t, 0, "", "changes", "--data-dir", dir))[0].Cursor // of a store that has no change yet
	s := harness.Start(t, "--data-dir", dir, "--no-demo").Ready()
	s.As("ann", `mutation { createUser(input: {username: "ann"}) { user { id } } }`, "").OK()
	post := s.As("ann", `mutation { createPost(input: {title: "New", content: "New."}) { post { id } } }`, "").OK().At("data.createPost.post.id")
	comment := s.As("ann", fmt.Sprintf(`mutation { createComment(input: {postId: %q, content: "Here."}) { comment { id } } }`, post), "").OK().At("data.createComment.comment.id")
	s.As("ann", fmt.Sprintf(`mutation { a: likePost(input: {postId: %[1]q}) { post { id } } b: unlikePost(input: {postId: %[1]q}) { post { id } }
		c: updatePost(input: {id: %[1]q, title: "Newer"}) { post { id } } d: updateUser(input: {bio: "New"}) { user { id } } e: updateComment(input: {id: %[2]q, content: "There."}) { comment { id } }
		f: deleteComment(input: {id: %[2]q}) { deletedId } g: bookmarkPost(input: {postId: %[1]q}) { post { id } } h: unbookmarkPost(input: {postId: %[1]q}) { post { id } }
		i: deletePost(input: {id: %[1]q}) { deletedId } }`, post, comment), "").OK()
	bob := s.As("bob", `mutation { createUser(input: {username: "bob"}) { user { id } } }`, "").OK().At("data.createUser.user.id")
	s.As("ann", fmt.Sprintf(`mutation { a: followUser(input: {userId: %[1]q}) { user { id } } b: unfollowUser(input: {userId: %[1]q}) { user { id } } }`, bob), "").OK()
	s.Stop()
	text := harness.Want(t, 0, "", "changes", "--after", before, "--data-dir", dir)
	kinds := map[string]bool{}
	for line := range strings.Lines(text) {
		var fields map[string]string
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		kinds[fields["kind"]] = true
		for field := range fields {
			if !documented[field] {
				t.Errorf("docs/changes.md does not name %s", field)
			}
		}
	}
	if len(kinds) != 15 {
		t.Errorf("%d kinds, with none: %v", len(kinds), kinds)
	}
	for kind := range kinds {
		if kind != "" && !documented[kind] {
			t.Errorf("docs/changes.md does not name %s", kind)
		}
	}
}
