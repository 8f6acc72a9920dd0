package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/cassandra"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// indexing is the example of docs/changes.md, run by the lines that the document shows, in another
// folder and with the addresses of a server's.
type indexing struct {
	t          *testing.T
	folder     string
	env        []string
	build      string
	follow     string
	search     string // one for WORDS
	wordsShown string
}

const noIndex = "holds no index yet" // what a search says until a consumer has made one

var (
	searchSection = regexp.MustCompile("(?s)\n## A full-text index\n.*?\n```sh\n(.*?)\n```\n")
	wordsShown    = regexp.MustCompile(` for (.*)$`)
)

// newIndexing builds the example.
func newIndexing(t *testing.T, s *harness.Server, c cassandra.Config) *indexing {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(harness.Repository, "docs", "changes.md"))
	if err != nil {
		t.Fatal(err)
	}
	section := searchSection.FindSubmatch(page)
	if section == nil {
		t.Fatal("docs/changes.md shows no commands for a full-text index")
	}
	x := &indexing{t: t, folder: t.TempDir()}
	shown := strings.Split(strings.NewReplacer("\\\n", "", "/usr/local/bin", x.folder, "/var/lib/search", x.folder,
		"http://10.0.0.2:8080", s.URL, "10.0.0.1", strings.Join(c.Hosts, ",")).Replace(string(section[1])), "\n")
	if len(shown) != 3 {
		t.Fatalf("the commands are %q, want three: build, follow, search", shown)
	}
	x.build, x.follow, x.search = shown[0], shown[1], shown[2]
	x.wordsShown = wordsShown.FindStringSubmatch(x.search)[1]
	x.env = append(os.Environ(), "PATH="+x.folder+":"+os.Getenv("PATH"), harness.BeProgram+"=1", "BROADSHEET_CASSANDRA_KEYSPACE="+c.Keyspace)
	if err := os.Symlink(os.Args[0], filepath.Join(x.folder, "broadsheet")); err != nil {
		t.Fatal(err)
	}
	if _, log, err := x.run(x.build); err != nil {
		t.Fatalf("%s: %v\n%s", x.build, err, log)
	}
	if _, log, err := x.run(x.search); err == nil || !strings.Contains(log, noIndex) {
		t.Errorf("a search before there is an index: %v\n%s", err, log)
	}
	return x
}

// shell makes a command of a line, which becomes the line's process.
func (x *indexing) shell(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", "exec "+line)
	cmd.Env = x.env
	return cmd
}

// run returns what a line writes, to its output and to its log.
func (x *indexing) run(line string) (out, log string, err error) {
	cmd := x.shell(line)
	var b bytes.Buffer
	cmd.Stderr = &b
	written, err := cmd.Output()
	return string(written), b.String(), err
}

// find returns the ids and the titles that a search for words of the shell prints. Until a consumer
// has made the index there are none, and the search says so.
func (x *indexing) find(words string) (ids, titles []string) {
	x.t.Helper()
	line := strings.Replace(x.search, " for "+x.wordsShown, " for "+words, 1)
	out, log, err := x.run(line)
	if err != nil && !strings.Contains(log, noIndex) {
		x.t.Fatalf("%s: %v\n%s", line, err, log)
	}
	for line := range strings.Lines(out) {
		var hit struct{ ID, Title string }
		if err := json.Unmarshal([]byte(line), &hit); err != nil {
			x.t.Fatalf("%q: %v", line, err)
		}
		ids, titles = append(ids, hit.ID), append(titles, hit.Title)
	}
	return ids, titles
}

// consumer is the example that follows, in a process of its own.
type consumer struct {
	kill func()
	log  *harness.Output
}

// start starts one. The test holds its standard input open, which its `broadsheet changes` has
// too: that ends with the test, though nothing tells it that the consumer was killed.
func (x *indexing) start(line string) consumer {
	x.t.Helper()
	cmd, log := x.shell(line), &harness.Output{}
	cmd.Stderr = log
	alive, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		x.t.Fatal(err)
	}
	kill := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = alive.Close()
		_ = cmd.Wait() // until what it left behind has ended, too
	})
	x.t.Cleanup(kill)
	return consumer{kill, log}
}

// awaitPost makes a post with words of its own, and waits until a search finds it: one server's
// changes come in their order, so all that was done before is in the index too.
func (x *indexing) awaitPost(s *harness.Server, words string) {
	x.t.Helper()
	s.As("ann", `mutation { createPost(input: {title: "`+words+`", content: "Here."}) { post { id } } }`, "").OK()
	harness.EventuallyEvery(x.t, 50*time.Millisecond, "a search finds "+words, func() bool {
		ids, _ := x.find(words)
		return len(ids) > 0
	})
}

var vocabulary = []string{"amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"}

// compare compares what searches find with what the API has.
func (x *indexing) compare(s *harness.Server) {
	x.t.Helper()
	want := map[string][]string{}
	for after := ""; ; {
		page := s.As("", `query($after: String) { feed(first: 100, after: $after) { edges { node { id title content } } pageInfo { hasNextPage endCursor } } }`,
			`{"after": `+harness.NullOr(after)+`}`).OK()
		titles, contents := page.All("data.feed.edges", "node.title"), page.All("data.feed.edges", "node.content")
		for i, id := range page.All("data.feed.edges", "node.id") {
			for _, word := range vocabulary {
				if slices.Contains(strings.Fields(titles[i]+" "+contents[i]), word) {
					want[word] = append(want[word], id+" "+titles[i])
				}
			}
		}
		if page.At("data.feed.pageInfo.hasNextPage") == "false" {
			break
		}
		after = page.At("data.feed.pageInfo.endCursor")
	}
	for _, word := range vocabulary {
		ids, titles := x.find(word)
		var got []string
		for i, id := range ids {
			got = append(got, id+" "+titles[i])
		}
		slices.Sort(got)
		slices.Sort(want[word])
		if !slices.Equal(got, want[word]) {
			x.t.Errorf("%s is found in %d posts, want %d:\n%q\n%q", word, len(got), len(want[word]), got, want[word])
		}
	}
}

// postWriter creates, edits and deletes posts with words of the vocabulary.
type postWriter struct {
	s      *harness.Server
	name   string
	random *rand.Rand
	posts  []string
	made   map[string]int // so many commands of each kind
}

func newPostWriter(s *harness.Server, name string, random *rand.Rand) *postWriter {
	s.As(name, `mutation { createUser(input: {username: "`+name+`"}) { userErrors { code } } }`, "").OK()
	return &postWriter{s: s, name: name, random: random, made: map[string]int{}}
}

func (w *postWriter) words() string {
	var words []string
	for range 1 + w.random.IntN(3) {
		words = append(words, vocabulary[w.random.IntN(len(vocabulary))])
	}
	return strings.Join(words, " ")
}

// create makes n posts by one request.
func (w *postWriter) create(n int) {
	var fields strings.Builder
	for i := range n {
		fmt.Fprintf(&fields, `p%d: createPost(input: {title: %q, content: %q}) { post { id } } `, i, w.words(), w.words())
	}
	made := w.s.As(w.name, "mutation { "+fields.String()+"}", "").OK()
	for i := range n {
		w.posts = append(w.posts, made.At(fmt.Sprintf("data.p%d.post.id", i)))
	}
	w.made["created"] += n
}

func (w *postWriter) step() {
	i := 0
	if len(w.posts) > 0 {
		i = w.random.IntN(len(w.posts))
	}
	switch draw := w.random.IntN(10); {
	case draw < 4 || len(w.posts) == 0:
		w.create(1)
	case draw < 8:
		w.s.As(w.name, fmt.Sprintf(`mutation { updatePost(input: {id: %q, title: %q, content: %q}) { userErrors { code } } }`, w.posts[i], w.words(), w.words()), "").OK()
		w.made["edited"]++
	default:
		w.s.As(w.name, fmt.Sprintf(`mutation { deletePost(input: {id: %q}) { userErrors { code } } }`, w.posts[i]), "").OK()
		w.posts = slices.Delete(w.posts, i, i+1)
		w.made["deleted"]++
	}
}

// The index that docs/changes.md shows has what the API has, however often its consumer is killed
// while posts are made, edited and deleted: also while it is built, and built anew.
func TestAFullTextIndexOutside(t *testing.T) {
	t.Parallel()
	seed := storetest.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	c := testkeyspace.New(t)
	s := harness.Start(t, harness.On(c, "--no-demo")...).Ready()
	x := newIndexing(t, s, c)
	s.As("ann", `mutation { createUser(input: {username: "ann"}) { userErrors { code } } }`, "").OK()
	writer := newPostWriter(s, "eve", rand.New(rand.NewPCG(seed, 1)))
	for range 5 { // more posts than the example fetches at once
		writer.create(20)
	}
	over := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				writer.step()
			}
		}
	})

	const kills = 12
	built := 0
	for i := range kills {
		f := x.start(x.follow)
		if i%3 == 2 { // killed when it has come far
			x.awaitPost(s, fmt.Sprintf("round%d", i))
		}
		time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
		f.kill()
		built += strings.Count(f.log.String(), "was built")
	}
	close(over)
	writing.Wait()
	last := x.start(x.follow)
	x.awaitPost(s, x.wordsShown)
	for _, word := range []string{`'"'`, `'a* OR ('`, `'NEAR'`, `'id:'`} { // words, whatever SQLite makes of them elsewhere
		x.find(word)
	}
	x.compare(s)
	last.kill()
	if built += strings.Count(last.log.String(), "was built"); built > 1 {
		t.Errorf("it was built %d times, though it had a cursor", built)
	}
	t.Logf("%d kills; %v", kills, writer.made)

	x.expire(s, writer)
}

// expire has the index follow from a cursor with a log of which nothing is kept (it is another
// store's): the index is built anew.
func (x *indexing) expire(s *harness.Server, writer *postWriter) {
	x.t.Helper()
	for range 20 {
		writer.step()
	}
	dir := filepath.Join(x.t.TempDir(), "data")
	harness.Want(x.t, 0, "", "seed", "--users", "2", "--data-dir", dir)
	old := readChanges(x.t, harness.Want(x.t, 0, "", "changes", "--data-dir", dir))[0].Cursor
	command := `sh -c 'if mv ` + x.folder + `/expired ` + x.folder + `/was 2>&-; then exec broadsheet changes "$@" --after ` + old + `; fi; exec broadsheet changes "$@"' sh `
	line := strings.Replace(x.follow, "broadsheet changes ", command, 1)
	if err := os.WriteFile(filepath.Join(x.folder, "expired"), nil, 0o600); err != nil {
		x.t.Fatal(err)
	}
	f := x.start(line)
	x.awaitPost(s, "anew")
	x.compare(s)
	f.kill()
	if log := f.log.String(); !strings.Contains(log, "kept no more: the index is built anew") || !strings.Contains(log, "was built") {
		x.t.Errorf("the cursor did not count as expired: %s", log)
	}
}
