package resolvers_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/storetest"
	"broadsheet/resolvers"
)

var update = flag.Bool("update", false, "rewrite the expected answers in testdata/golden")

// golden is what an operation is expected to answer and to cost.
type golden struct {
	// Response is the same on every store.
	Response any `json:"response"`
	// Cost is what [resolvers.Cost] says beforehand: no less than what is read then.
	Cost int `json:"cost,omitempty"`
	// Calls counts the queries of blog.Store: the same on every store.
	Calls map[string]int `json:"calls,omitempty"`
	// Statements counts each store's own statements, by kind and table.
	Statements map[string]map[string]int `json:"statements,omitempty"`
}

// TestGolden runs the operations of each folder of testdata/golden, a scene, one
// after the other on a store that begins with the [fixture]. A file is
//
//	# as a                  the subject; nobody without this line
//	# operation Name        which of several operations
//	query { … }
//
// with its variables beside it, and <names> for ids and cursors.
func TestGolden(t *testing.T) {
	scenes, err := filepath.Glob("testdata/golden/*")
	if err != nil || len(scenes) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			cassandratest.OnNode(t)
			s.observes = s.observes && (s.name != "cassandra" || !cassandratest.Doubled(t))
			for _, dir := range scenes {
				t.Run(filepath.Base(dir), func(t *testing.T) { newScene(t, s).run(dir) })
			}
		})
	}
}

// scene is one store on which operations run in turn.
type scene struct {
	*fixture
	t          *testing.T
	on         storeUnderTest
	api        api
	calls      *counted
	statements *observed
}

// newScene returns a scene in which nothing is left of a command when a query is made, and when the next field begins:
// whether that would share statements with what comes after a reply is chance.
func newScene(t *testing.T, s storeUnderTest) *scene {
	clock, statements := storetest.NewClock(epoch), &observed{}
	options := blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1)), Observer: statements}
	under := storetest.Checked(t, s.open(t, options))
	settle := func() {
		if err := under.Settle(t.Context()); err != nil {
			t.Error(err)
		}
	}
	store := newCounted(settling{storetest.Before(under, func(context.Context, string) { settle() }), settle})
	sc := &scene{t: t, fixture: newFixture(t, store, clock), on: s, api: newAPI(store, io.Discard), calls: store, statements: statements}
	sc.api.exec.AroundRootFields(func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		defer settle()
		return next(ctx)
	})
	sc.api.documents.Attach(sc.api.exec)
	store.take()
	statements.take()
	return sc
}

// settling is a store in which nothing is left of a command when the same field makes another.
type settling struct {
	blog.Store
	settle func()
}

func (s settling) JoinGroup(ctx context.Context, c blog.JoinGroup) (blog.Reaction, blog.Count, error) {
	s.settle()
	return s.Store.JoinGroup(ctx, c)
}

// run executes every operation before it compares any answer, so that selecting
// one test leaves what it builds on.
func (s *scene) run(dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.graphql"))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("no operations in %s: %v", dir, err)
	}
	answers := make([]golden, len(files))
	for i, file := range files {
		s.clock.Set(epoch.Add(24*time.Hour + time.Duration(i)*time.Minute))
		answers[i] = s.execute(file)
	}
	for i, file := range files {
		s.t.Run(strings.TrimSuffix(filepath.Base(file), ".graphql"), func(t *testing.T) {
			s.compare(t, strings.TrimSuffix(file, ".graphql")+".json", answers[i])
		})
	}
}

var header = regexp.MustCompile(`(?m)^# (as|proving|operation) (.*)$`)

func (s *scene) execute(file string) golden {
	params := graphql.RawParams{Query: s.names.expand(s.t, string(read(s.t, file)))}
	ctx := s.t.Context()
	asker := *resolvers.AskerOf(ctx)
	for _, line := range header.FindAllStringSubmatch(params.Query, -1) {
		switch line[1] {
		case "as":
			asker.Subject = line[2]
		case "proving":
			asker.Email = line[2]
		default:
			params.OperationName = line[2]
		}
	}
	ctx = resolvers.WithAsker(ctx, &asker)
	if variables, err := os.ReadFile(strings.TrimSuffix(file, ".graphql") + ".variables.json"); err == nil {
		decode(s.t, []byte(s.names.expand(s.t, string(variables))), &params.Variables)
	}
	return s.answer(ctx, params)
}

func (s *scene) answer(ctx context.Context, params graphql.RawParams) golden {
	response, cost := s.api.costed(ctx, params)
	text, err := json.Marshal(response)
	if err != nil {
		s.t.Fatal(err)
	}
	var answer map[string]any
	decode(s.t, text, &answer)
	sortErrors(answer["errors"])
	return golden{
		Response:   s.names.fold(answer),
		Cost:       cost,
		Calls:      s.calls.take(),
		Statements: map[string]map[string]int{s.on.name: s.statements.take()},
	}
}

// sortErrors orders what arose side by side.
func sortErrors(errors any) {
	list, _ := errors.([]any)
	slices.SortStableFunc(list, func(a, b any) int { return cmp.Compare(pathOf(a), pathOf(b)) })
}

func pathOf(e any) string { return fmt.Sprint(e.(map[string]any)["path"]) }

// compare holds an answer against its file. The first store says what is right when
// files are rewritten; the others add their own statements.
func (s *scene) compare(t *testing.T, file string, got golden) {
	if bytes.Contains(encode(t, got.Response), []byte("INTERNAL_SERVER_ERROR")) {
		t.Errorf("an internal error: %s", encode(t, got.Response))
	}
	if read := reads(got.Statements[s.on.name]); read > got.Cost {
		t.Errorf("%d partitions were read, and the cost is %d: %v", read, got.Cost, got.Statements)
	}
	want := s.expected(t, file)
	rewritten := want
	if s.on.name == stores[0].name {
		rewritten.Response, rewritten.Cost, rewritten.Calls = got.Response, got.Cost, got.Calls
	}
	if s.on.observes {
		rewritten.Statements = maps.Clone(want.Statements)
		if rewritten.Statements == nil {
			rewritten.Statements = map[string]map[string]int{}
		}
		rewritten.Statements[s.on.name] = got.Statements[s.on.name]
	}
	if *update {
		if err := os.WriteFile(file, encode(t, rewritten), 0o644); err != nil {
			t.Fatal(err)
		}
		want = rewritten
	}
	want.Statements = map[string]map[string]int{s.on.name: want.Statements[s.on.name]}
	if !s.on.observes {
		got.Statements, want.Statements = nil, nil
	}
	if text, wanted := encode(t, got), encode(t, want); !bytes.Equal(text, wanted) {
		t.Errorf("%s\ngot  %s\nwant %s", file, text, wanted)
	}
}

// reads counts the reads among a query's statements, without that of who asks. A mutation,
// which writes too, has none: its cost stands for all that its command does.
func reads(statements map[string]int) int {
	n := 0
	for statement, times := range statements {
		if !strings.HasPrefix(statement, string(blog.Read)) {
			return 0
		}
		if strings.HasPrefix(statement, string(blog.Read)) && !strings.HasSuffix(statement, string(blog.UsersBySubject)) {
			n += times
		}
	}
	return n
}

func (s *scene) expected(t *testing.T, file string) golden {
	var want golden
	text, err := os.ReadFile(file)
	switch {
	case err == nil:
		decode(t, text, &want)
	case !*update:
		t.Fatal(err)
	}
	return want
}

func read(t testing.TB, file string) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t testing.TB, text []byte, into any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

func encode(t testing.TB, value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
