package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"broadsheet/bench"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/cassandratest/testkeyspace"
	"broadsheet/internal/program"
)

// quick are flags for a measurement that measures nothing much.
var quick = []string{"--users", "3", "--count", "12", "--connections", "1,3"}

func benchmark(args ...string) []string {
	return append(append([]string{"bench"}, quick...), args...)
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

func TestBench(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	markdown, figuresFile := filepath.Join(t.TempDir(), "bench.md"), filepath.Join(t.TempDir(), "bench.json")
	args := benchmark("--data-dir", dir, "--markdown", markdown, "--json", figuresFile)
	printed := want(t, 0, "the embedded store is V3 alone", args...)
	if written, err := os.ReadFile(markdown); err != nil || string(written) != printed || !strings.Contains(printed, "| Q6 | the feed (100) ") {
		t.Errorf("it wrote %s, and printed %s: %v", written, printed, err)
	}
	report := figures[bench.Report](t, figuresFile)
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

// What bench did not make itself it does not write to, and does not remove.
func TestBenchLeavesOtherStoresAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	want(t, 1, "holds no store", benchmark("--use-existing", "--data-dir", dir)...)
	want(t, 0, "", benchmark("--keep", "--data-dir", dir)...)
	kept := dir + "_bench"
	want(t, 1, kept+" is there already", benchmark("--data-dir", dir)...)
	before := want(t, 0, "", "verify", "--data-dir", kept)
	printed := want(t, 0, "| Q2 | a post ", benchmark("--use-existing", "--data-dir", kept)...)
	if strings.Contains(printed, "| C3 |") {
		t.Errorf("commands were measured: %s", printed)
	}
	if after := want(t, 0, "", "verify", "--data-dir", kept); after != before {
		t.Errorf("the store was\n%sand is\n%s", before, after)
	}
	want(t, 0, "| C3 | ", benchmark("--use-existing", "--writes", "--data-dir", kept)...)
	if after := want(t, 0, "", "verify", "--data-dir", kept); after == before {
		t.Error("no command was measured")
	}
}

// A request that was not named is not made.
func TestBenchOfSomeRequests(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bench.json")
	want(t, 0, "", benchmark("--requests", "C4,Q2", "--data-dir", filepath.Join(t.TempDir(), "data"), "--json", file)...)
	for _, table := range figures[bench.Report](t, file).Tables {
		if len(table.Rows) != 2 || table.Rows[0].Request != "Q2" || table.Rows[1].Request != "C4" {
			t.Errorf("%+v", table)
		}
	}
	s := start(t, "--data-dir", t.TempDir(), "--demo").ready()
	want(t, 0, "", benchmark("--requests", "nested", "--http", s.url+"/graphql", "--json", file)...)
	for _, table := range figures[bench.HTTPReport](t, file).Tables {
		if len(table.Rows) != 1 || table.Rows[0].Request != "nested" {
			t.Errorf("%+v", table)
		}
	}
}

// Told to stop, it removes what it made nevertheless.
func TestBenchCleansUpWhenItIsStopped(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, log output
	code := make(chan int, 1)
	go func() {
		code <- program.Run(ctx, []string{"bench", "--users", "1000", "--data-dir", dir}, sdl, &out, &log)
	}()
	eventually(t, "a store of its own", func() bool {
		_, err := os.Stat(dir + "_bench")
		return err == nil
	})
	cancel()
	if got := <-code; got != 1 || !strings.Contains(log.String(), "context canceled") {
		t.Errorf("it ends with %d: %s", got, log.String())
	}
	wantAbsent(t, dir+"_bench")
}

func TestBenchAtSeveralSizes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(t.TempDir(), "scale.json")
	want(t, 0, "partitions, 4 users", benchmark("--scale", "2,4", "--data-dir", dir, "--json", file)...)
	report := figures[bench.ScaleReport](t, file)
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

func TestBenchLoadsAServer(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--demo").ready()
	file := filepath.Join(t.TempDir(), "http.json")
	posts := total(s)
	load := func(args ...string) bench.HTTPReport {
		want(t, 0, "| nested | ", benchmark(append(args, "--http", s.url+"/graphql", "--json", file)...)...)
		return figures[bench.HTTPReport](t, file)
	}
	report := load()
	if report.Users != 20 || report.Posts != posts || len(report.Tables) != 2 || len(report.Tables[1].Rows) != 7 {
		t.Errorf("%+v", report)
	}
	if now := total(s); now != posts {
		t.Errorf("%d posts became %d, though no writes were wished", posts, now)
	}
	report = load("--writes")
	for _, table := range report.Tables {
		for _, row := range table.Rows {
			if row.Errors > 0 || row.Requests != 12 {
				t.Errorf("%s at %d connections: %+v", row.Request, table.Connections, row.Result)
			}
		}
	}
	if now := total(s); now <= posts {
		t.Errorf("%d posts, as before the writes", now)
	}
	want(t, 1, "/nowhere", benchmark("--http", s.url+"/nowhere")...)
}

func TestBenchRefusesWhatItCannotDo(t *testing.T) {
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
		{" and --scale out", []string{"--http", "http://127.0.0.1/graphql", "--stores"}},
		{"--rounds must be at least 1", []string{"--rounds", "0"}},
		{"--scale makes stores of its own", []string{"--scale", "5", "--use-existing"}},
	} {
		want(t, 2, c.says, append([]string{"bench"}, c.args...)...)
	}
}

func TestBenchOnCassandra(t *testing.T) {
	cassandratest.Real(t, "its indexes")
	c := testkeyspace.Name(t)
	t.Setenv(beProgram, "1") // of the servers that --stores starts
	file := filepath.Join(t.TempDir(), "bench.json")
	want(t, 0, "| V1 ÷ V3 |", on(c, benchmark("--json", file)...)...)
	report := figures[bench.Report](t, file)
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
	want(t, 0, "embedded ÷ cassandra", on(c, benchmark("--stores", "--rounds", "2", "--requests", "Q1,nested,C3,C4", "--data-dir", dir, "--json", file)...)...)
	checkPairs(t, figures[bench.PairsReport](t, file))
	wantAbsent(t, dir+"_bench")

	for _, suffix := range []string{"", "_bench", "_bench_naive"} {
		if stands, err := migrate.KeyspaceExists(t.Context(), named(c, suffix).Config); err != nil || stands {
			t.Errorf("the keyspace %s%s stands: %t, %v", c.Keyspace, suffix, stands, err)
		}
	}
	if err := migrate.CreateKeyspace(t.Context(), named(c, "_bench").Config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := migrate.DropKeyspace(context.Background(), named(c, "_bench").Config); err != nil {
			t.Error(err)
		}
	})
	want(t, 1, "the keyspace "+c.Keyspace+"_bench is there already", on(c, benchmark()...)...)
}

// checkPairs checks two pairs of each request that both servers answer.
func checkPairs(t *testing.T, report bench.PairsReport) {
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
