package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"broadsheet/benchmarks/measure"
	"broadsheet/benchmarks/naive"
	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/program"
	"broadsheet/internal/shown"
	"broadsheet/internal/testkeyspace"
)

// beCommand makes the tests' own binary the command, for the servers that it starts.
const beCommand = "BE_BENCHMARKS"

// TestMain keeps the environment that the tests are started in away from the flags.
func TestMain(m *testing.M) {
	if os.Getenv(beCommand) != "" {
		go func() { // it ends with the tests that started it
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(3)
		}()
		main()
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "BROADSHEET_") && name != cassandratest.RequireEnv && name != "BROADSHEET_CACHE" {
			os.Unsetenv(name)
		}
	}
	os.Setenv(beCommand, "1")
	cassandratest.VerifyTestMain(m)
}

// with returns a command line that measures nothing much.
func with(args ...string) []string {
	return append([]string{"--users", "3", "--count", "12", "--connections", "1,3"}, args...)
}

// on returns a command line for a keyspace.
func on(c cassandra.Config, args ...string) []string {
	return append(args, "--store", "cassandra", "--cassandra-hosts", strings.Join(c.Hosts, ","), "--cassandra-keyspace", c.Keyspace)
}

// want runs the command to its end, and fails t unless it ends with a code and has written a text.
func want(t *testing.T, code int, text string, args ...string) (stdout string) {
	t.Helper()
	var out, log strings.Builder
	if got := run(t.Context(), args, &out, &log); got != code || !strings.Contains(out.String()+log.String(), text) {
		t.Fatalf("%s\nends with %d, not %d, or says nothing of %q:\n%s%s", strings.Join(args, " "), got, code, text, out.String(), log.String())
	}
	return out.String()
}

// verified returns what the program's verify prints of a store.
func verified(t *testing.T, dir string) string {
	t.Helper()
	var out, log strings.Builder
	if code := program.Run(t.Context(), []string{"verify", "--data-dir", dir}, "", &out, &log); code != 0 {
		t.Fatalf("verify ends with %d: %s%s", code, out.String(), log.String())
	}
	return out.String()
}

// serve starts a server with the demo's data, and returns the address of its endpoint.
func serve(t *testing.T) (url string) {
	t.Helper()
	s, err := startSubprocess(context.Background(), regexp.MustCompile(`http://\S+/graphql`), nil, serveWord, "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--demo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s.url
}

// posts counts the posts of a server's feed.
func posts(t *testing.T, url string) (n int) {
	t.Helper()
	server := measure.GraphQL(url, 1)
	defer server.Close()
	page := blog.FirstPage[blog.PostID](blog.MaxPage)
	for more := true; more; {
		found, err := server.Feed(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		if n += len(found.Items); len(found.Items) > 0 {
			page.After = &found.Items[len(found.Items)-1].ID
		}
		more = found.HasNext
	}
	return n
}

// Every command line of the documents that begins so is understood.
func TestShownCommands(t *testing.T) {
	n := 0
	for _, line := range shown.Commands(t, "..") {
		args, ours := strings.CutPrefix(line, "go run -C benchmarks .")
		if !ours {
			continue
		}
		n++
		var log strings.Builder
		b := &benchmark{stdout: io.Discard, stderr: &log}
		if _, done := b.parse(strings.Fields(args)); done {
			t.Errorf("%s: %s", line, log.String())
		}
	}
	if n == 0 {
		t.Error("the documents show no such command")
	}
}

// figures reads what was written by --json.
func figures[T any](t *testing.T, file string) (found T) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func wantAbsent(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", path, err)
	}
}

func TestTheGuidesTable(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	markdown, figuresFile := filepath.Join(t.TempDir(), "bench.md"), filepath.Join(t.TempDir(), "bench.json")
	args := with("--data-dir", dir, "--markdown", markdown, "--json", figuresFile)
	printed := want(t, 0, "the embedded store is V3 alone", args...)
	if written, err := os.ReadFile(markdown); err != nil || string(written) != printed || !strings.Contains(printed, "| Q6 | the feed (100) ") {
		t.Errorf("it wrote %s, and printed %s: %v", written, printed, err)
	}
	report := figures[measure.Report](t, figuresFile)
	if len(report.Models) != 1 || len(report.Tables) != 2 || report.Users != 3 {
		t.Fatalf("%+v", report)
	}
	for _, table := range report.Tables {
		for _, row := range table.Rows {
			if cell := row.Cells[0]; cell.Errors > 0 || cell.Requests != 12 || cell.Statements < 1 {
				t.Errorf("%s at %d connections: %+v", row.Request, table.Connections, cell)
			}
		}
		if q3 := table.Rows[2]; q3.Request != "Q3" || q3.Cells[0].Statements != 1 || q3.Cells[0].Partitions != 1 {
			t.Errorf("%+v: a user's posts are one partition", q3)
		}
	}
	wantAbsent(t, dir)
	wantAbsent(t, dir+"_bench")
}

// What the command did not make itself it does not write to, and does not remove.
func TestLeavesOtherStoresAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	want(t, 1, "holds no store", with("--use-existing", "--data-dir", dir)...)
	want(t, 0, "", with("--keep", "--data-dir", dir)...)
	kept := dir + "_bench"
	want(t, 1, kept+" is there already", with("--data-dir", dir)...)
	before := verified(t, kept)
	printed := want(t, 0, "| Q2 | a post ", with("--use-existing", "--data-dir", kept)...)
	if strings.Contains(printed, "| C3 |") {
		t.Errorf("commands were measured: %s", printed)
	}
	if after := verified(t, kept); after != before {
		t.Errorf("the store was\n%sand is\n%s", before, after)
	}
	want(t, 0, "| C3 | ", with("--use-existing", "--writes", "--data-dir", kept)...)
	if after := verified(t, kept); after == before {
		t.Error("no command was measured")
	}
}

// A request that was not named is not made.
func TestSomeRequestsAlone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bench.json")
	want(t, 0, "", with("--requests", "C4,Q2", "--data-dir", filepath.Join(t.TempDir(), "data"), "--json", file)...)
	for _, table := range figures[measure.Report](t, file).Tables {
		if len(table.Rows) != 2 || table.Rows[0].Request != "Q2" || table.Rows[1].Request != "C4" {
			t.Errorf("%+v", table)
		}
	}
	url := serve(t)
	want(t, 0, "", with("--requests", "nested", "--http", url, "--json", file)...)
	for _, table := range figures[measure.HTTPReport](t, file).Tables {
		if len(table.Rows) != 1 || table.Rows[0].Request != "nested" {
			t.Errorf("%+v", table)
		}
	}
}

// Told to stop, it removes what it made nevertheless.
func TestCleansUpWhenItIsStopped(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var log strings.Builder
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"--users", "1000", "--data-dir", dir}, io.Discard, &log)
	}()
	for _, err := os.Stat(dir + "_bench"); err != nil; _, err = os.Stat(dir + "_bench") {
		select {
		case got := <-code:
			t.Fatalf("it ended with %d before it made a store: %s", got, log.String())
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	if got := <-code; got != 1 || !strings.Contains(log.String(), "context canceled") {
		t.Errorf("it ends with %d: %s", got, log.String())
	}
	wantAbsent(t, dir+"_bench")
}

func TestAtSeveralSizes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(t.TempDir(), "scale.json")
	want(t, 0, "partitions, 4 users", with("--scale", "2,4", "--data-dir", dir, "--json", file)...)
	report := figures[measure.ScaleReport](t, file)
	if len(report.Sizes) != 2 || report.Sizes[0].Posts >= report.Sizes[1].Posts {
		t.Errorf("%+v", report)
	}
	for _, q2 := range report.Tables[0].Rows[1].Cells {
		if q2.Statements != 1 || q2.Partitions != 1 || q2.Errors > 0 {
			t.Errorf("a post: %+v", q2)
		}
	}
	wantAbsent(t, dir+"_bench_2")
	wantAbsent(t, dir+"_bench_4")
}

func TestLoadsAServer(t *testing.T) {
	t.Parallel()
	url := serve(t)
	file := filepath.Join(t.TempDir(), "http.json")
	before := posts(t, url)
	load := func(args ...string) measure.HTTPReport {
		want(t, 0, "| nested | ", with(append(args, "--http", url, "--json", file)...)...)
		return figures[measure.HTTPReport](t, file)
	}
	report := load()
	if report.Users != 20 || report.Posts != before || len(report.Tables) != 2 || len(report.Tables[1].Rows) != 7 {
		t.Errorf("%+v", report)
	}
	if now := posts(t, url); now != before {
		t.Errorf("%d posts became %d, though no writes were wished", before, now)
	}
	report = load("--writes")
	for _, table := range report.Tables {
		for _, row := range table.Rows {
			if row.Errors > 0 || row.Requests != 12 {
				t.Errorf("%s at %d connections: %+v", row.Request, table.Connections, row.Result)
			}
		}
	}
	if now := posts(t, url); now <= before {
		t.Errorf("%d posts, as before the writes", now)
	}
	want(t, 1, "/nowhere", with("--http", url+"/nowhere")...)
}

// What one request costs a server is no more than it was: a change that adds a statement, a goroutine or
// allocations to a request of a signed-in user says so here. Ceilings are a twentieth above what was measured.
func TestLedger(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "ledger.json")
	want(t, 0, "CPU µs by stage", "--ledger", "--signed-in", "--users", "10", "--count", "2000", "--connections", "1", "--duration", "1s",
		"--requests", "Q1,Q2,Q3,Q4,Q5,Q6,nested,C3,C4", "--data-dir", filepath.Join(t.TempDir(), "data"), "--json", file)
	most := map[string]struct{ statements, goroutines, objects float64 }{
		"Q1": {1.05, 1.2, 175}, "Q2": {1.17, 2.2, 190}, "Q3": {1.16, 1.3, 215}, "Q4": {1.77, 1.85, 222}, "Q5": {1.66, 1.75, 210},
		"Q6": {2.1, 2.2, 217}, "nested": {24.2, 6.5, 778}, "C3": {12.6, 2.2, 355}, "C4": {6.75, 1.7, 282},
	}
	report := figures[measure.LedgerReport](t, file)
	if len(report.Tables) != 1 || len(report.Tables[0].Rows) != 9 {
		t.Fatalf("%+v", report)
	}
	for _, row := range report.Tables[0].Rows {
		if of := most[row.Request]; row.Statements > of.statements || row.Goroutines > of.goroutines || row.All.Objects > of.objects {
			t.Errorf("%s: %.2f statements, %.2f goroutines, %.0f objects, want at most %v", row.Request, row.Statements, row.Goroutines, row.All.Objects, of)
		}
		sum := 0.0
		for _, stage := range row.Stages {
			sum += stage.Objects
		}
		if row.Partitions < 1 || sum < row.All.Objects/2 {
			t.Errorf("%s: %.2f partitions, %.0f of %.0f objects are a stage's", row.Request, row.Partitions, sum, row.All.Objects)
		}
	}
	want(t, 1, "/metrics: status 404", with("--ledger", "--requests", "Q1", "--http", serve(t), "--admin", serve(t))...)
}

func TestRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--users and --scale must be at least 1", []string{"--users", "0"}},
		{"--connections must be at least 1", []string{"--connections", "1,0"}},
		{"--requests: there is no C9, but Q1, Q2,", []string{"--requests", "Q1,C9"}},
		{"--requests names none that is measured so", []string{"--stores", "--store", "cassandra", "--requests", "C1"}},
		{"--requests names none that is measured so", []string{"--use-existing", "--requests", "C3"}},
		{"--requests names none that is measured so", []string{"--requests", "nested"}},
		{"--duration above zero", []string{"--duration", "0s"}},
		{"is not the address of a GraphQL endpoint", []string{"--http", "localhost"}},
		{"--http measures a server", []string{"--http", "http://127.0.0.1/graphql", "--scale", "1"}},
		{"--writes is for --http and --use-existing", []string{"--writes"}},
		{"--stores is for --store cassandra", []string{"--stores"}},
		{"--floor is for --store cassandra", []string{"--floor"}},
		{"--floor and --stores are two comparisons", []string{"--floor", "--stores", "--store", "cassandra"}},
		{"--requests names none that is measured so", []string{"--floor", "--store", "cassandra", "--requests", "C1"}},
		{"leave --use-existing, --floor, --stores and", []string{"--http", "http://127.0.0.1/graphql", "--floor"}},
		{"needs --cassandra-hosts", []string{"--store", "cassandra"}},
		{" and --scale out", []string{"--http", "http://127.0.0.1/graphql", "--stores"}},
		{"--rounds must be at least 1", []string{"--rounds", "0"}},
		{"takes --admin, which is for nothing else", []string{"--ledger", "--http", "http://127.0.0.1/graphql"}},
		{"takes --admin, which is for nothing else", []string{"--admin", "http://127.0.0.1"}},
		{"--ledger measures one server", []string{"--ledger", "--scale", "5"}},
		{"--scale makes stores of its own", []string{"--scale", "5", "--use-existing"}},
	} {
		want(t, 2, c.says, c.args...)
	}
}

func TestOnCassandra(t *testing.T) {
	cassandratest.Real(t, "its indexes")
	c := testkeyspace.Name(t)
	file := filepath.Join(t.TempDir(), "bench.json")
	want(t, 0, "| V1 ÷ V3 |", on(c, with("--json", file)...)...)
	report := figures[measure.Report](t, file)
	if models := strings.Join(report.Models, " "); models != "V1 V2 V3" {
		t.Errorf("the models are %s", models)
	}
	for _, table := range report.Tables {
		for _, row := range table.Rows {
			v3 := row.Cells[2]
			for i, cell := range row.Cells {
				if cell.Errors > 0 || cell.Requests != 12 || cell.Bytes <= 0 {
					t.Errorf("%s on %s: %+v", row.Request, report.Models[i], cell)
				}
			}
			switch row.Request {
			case "Q1", "Q2", "Q3":
				if v3.Statements != 1 || v3.Partitions != 1 {
					t.Errorf("%s takes %+v", row.Request, v3.Cost)
				}
			}
			if row.Request == "Q2" && row.Cells[0].Statements != 4 {
				t.Errorf("Q2 on V1 takes %+v", row.Cells[0].Cost)
			}
		}
	}

	dir := filepath.Join(t.TempDir(), "data")
	want(t, 0, "embedded ÷ cassandra", on(c, with("--stores", "--rounds", "2", "--requests", "Q1,nested,C3,C4", "--data-dir", dir, "--json", file)...)...)
	checkPairs(t, figures[measure.PairsReport](t, file))
	wantAbsent(t, dir+"_bench")

	want(t, 0, "GraphQL ÷ floor", on(c, with("--floor", "--rounds", "2", "--requests", "Q1,nested,C3,C4", "--json", file)...)...)
	checkPairs(t, figures[measure.PairsReport](t, file))

	for _, suffix := range []string{"", "_bench", "_bench_naive"} {
		if stands, err := naive.KeyspaceExists(t.Context(), named(c, suffix).Config); err != nil || stands {
			t.Errorf("the keyspace %s%s stands: %t, %v", c.Keyspace, suffix, stands, err)
		}
	}
	if err := naive.CreateKeyspace(t.Context(), named(c, "_bench").Config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := naive.DropKeyspace(context.Background(), named(c, "_bench").Config); err != nil {
			t.Error(err)
		}
	})
	want(t, 1, "the keyspace "+c.Keyspace+"_bench is there already", on(c, with()...)...)
}

// checkPairs checks two pairs of each request that both servers answer.
func checkPairs(t *testing.T, report measure.PairsReport) {
	t.Helper()
	for _, table := range report.Tables {
		for _, row := range table.Rows {
			if len(row.Pairs) != 2 || row.Pairs[0][0].Requests != 12 || row.Pairs[0][1].Requests != 12 {
				t.Errorf("%v, %s: %+v", report.Contenders, row.Request, row.Pairs)
			}
		}
		if len(table.Rows) != 4 {
			t.Errorf("%v: %d requests", report.Contenders, len(table.Rows))
		}
	}
}

func named(c cassandra.Config, suffix string) cassandra.Config {
	c.Keyspace += suffix
	return c
}
