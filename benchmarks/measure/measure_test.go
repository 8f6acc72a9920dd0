package measure_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"broadsheet/benchmarks/measure"
	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/dataset"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// blogOf returns a small blog that tells a meter what it is asked for.
func blogOf(t *testing.T, meter *measure.Meter) *embedded.Store {
	t.Helper()
	options := embedded.Options{}
	options.Observer = meter
	store, err := embedded.InMemory(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	plan := dataset.NewPlan(dataset.Size{Users: 6, MinPosts: 3, MaxPosts: 9, MaxComments: 8, MaxLikes: 6}, 1)
	if err := plan.Write(t.Context(), store, dataset.Writing{AtOnce: true}); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestLoadIsAClosedLoop(t *testing.T) {
	t.Parallel()
	const callers = 4
	var calls, under, most atomic.Int64
	var all sync.WaitGroup // the first of every caller wait for each other
	all.Add(callers)
	r := measure.Load{Connections: callers, Count: 101, Seed: 1}.Run(t.Context(), func(context.Context, *rand.Rand) error {
		n := calls.Add(1)
		for now := under.Add(1); ; {
			if seen := most.Load(); now <= seen || most.CompareAndSwap(seen, now) {
				break
			}
		}
		defer under.Add(-1)
		if n <= callers {
			all.Done()
			all.Wait()
		}
		if n%10 == 0 {
			return errors.New("away")
		}
		return nil
	})
	if calls.Load() != 101 || r.Requests != 101 || r.Errors != 10 || r.FirstError != "away" {
		t.Errorf("%d calls; %+v", calls.Load(), r)
	}
	if most.Load() != callers {
		t.Errorf("%d requests were under way at once, not %d", most.Load(), callers)
	}
}

func TestLoadEndsWithItsTimeOrContext(t *testing.T) {
	t.Parallel()
	r := measure.Load{Connections: 2, Duration: time.Nanosecond}.Run(t.Context(), func(context.Context, *rand.Rand) error { return nil })
	if r.Requests > 2 {
		t.Errorf("%d requests in no time", r.Requests)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r = measure.Load{Connections: 1, Count: 10}.Run(ctx, func(context.Context, *rand.Rand) error { cancel(); return nil })
	if r.Requests != 1 {
		t.Errorf("%d requests, of which the first ended the context", r.Requests)
	}
}

func TestASeedDrawsTheSameForEveryModel(t *testing.T) {
	t.Parallel()
	drawn := func() (all []uint64) {
		measure.Load{Connections: 1, Count: 5, Seed: 9}.Run(t.Context(), func(_ context.Context, random *rand.Rand) error {
			all = append(all, random.Uint64())
			return nil
		})
		return all
	}
	a, b := drawn(), drawn()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("%v and %v", a, b)
		}
	}
}

type counter int

func (c *counter) Add(n int) error { *c += counter(n); return nil }

func TestComparison(t *testing.T) {
	t.Parallel()
	var meter measure.Meter
	store := blogOf(t, &meter)
	sample, err := measure.TakeSample(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if len(sample.Users) != 6 || len(sample.Posts) < 18 {
		t.Fatalf("the sample has %d users and %d posts", len(sample.Users), len(sample.Posts))
	}
	var steps counter
	c := measure.Comparison{
		Models: []measure.Named{{Name: "V1", Model: twice{store}, Sample: sample}, {Name: "V3", Model: store, Sample: sample}}, Meter: &meter,
		Requests: measure.Requests(), Connections: []int{1, 3}, Load: measure.Load{Count: 30, Seed: 1}, Progress: &steps,
	}
	tables, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if int(steps) != c.Steps() || len(tables) != 2 || len(tables[1].Rows) != 10 {
		t.Fatalf("%d of %d steps, %d tables", steps, c.Steps(), len(tables))
	}
	for _, table := range tables {
		for _, row := range table.Rows {
			for i, cell := range row.Cells {
				if cell.Errors > 0 || cell.Requests != 30 || cell.P50 <= 0 || cell.P50 > cell.P95 || cell.P95 > cell.P99 {
					t.Errorf("%s, model %d: %+v", row.Request, i, cell)
				}
			}
		}
		q2 := table.Rows[1]
		if once := (measure.Cost{Statements: 1, Partitions: 1, Rows: 1}); q2.Request != "Q2" || q2.Cells[1].Cost != once {
			t.Errorf("%s costs %+v", q2.Request, q2.Cells[1].Cost)
		}
		if q2.Cells[0].Statements != 2 {
			t.Errorf("a model that reads a post twice makes %g statements", q2.Cells[0].Statements)
		}
	}
	text := measure.Report{Store: "embedded", Models: []string{"V1", "V3"}, Tables: tables}.Markdown()
	for _, has := range []string{"3 connections, p50 in ms:", "V1 ÷ V3 |", "| Q2 | V1    |          2 |          2 |    2 |     – |"} {
		if !strings.Contains(text, has) {
			t.Errorf("the report lacks %q:\n%s", has, text)
		}
	}
}

// twice reads posts twice.
type twice struct{ measure.Model }

func (m twice) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	_, _ = m.Model.PostByID(ctx, id)
	return m.Model.PostByID(ctx, id)
}

// other counts a like too many.
type other struct{ measure.Model }

func (m other) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	found, err := m.Model.LikesByPost(ctx, post, page)
	found.Count.N++
	return found, err
}

func TestAnswersThatDifferAreTold(t *testing.T) {
	t.Parallel()
	store := blogOf(t, &measure.Meter{})
	sample, err := measure.TakeSample(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	models := []measure.Named{{Name: "V1", Model: twice{store}, Sample: sample}, {Name: "V3", Model: store, Sample: sample}}
	if err := measure.SameAnswers(t.Context(), models, 1, 5); err != nil {
		t.Error(err)
	}
	models[0].Model = other{store}
	if err := measure.SameAnswers(t.Context(), models, 1, 5); err == nil || !strings.HasPrefix(err.Error(), "Q5 is answered differently by V1 and V3:") {
		t.Errorf("a like too many: %v", err)
	}
}

func TestAnEmptyStoreCannotBeMeasured(t *testing.T) {
	t.Parallel()
	store, err := embedded.InMemory(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := measure.TakeSample(t.Context(), store); blog.KindOf(err) != blog.Invalid {
		t.Errorf("its sample: %v", err)
	}
}

func TestPairsReportTellsMediansAndSpread(t *testing.T) {
	t.Parallel()
	pair := func(graphQL, floor, cpu float64) measure.Pair {
		var p measure.Pair
		p[0].PerSecond, p[1].PerSecond = graphQL, floor
		p[0].ServerCPU, p[1].ServerCPU = cpu, 0.2
		p[0].P50, p[1].P50 = 1.5, 1.25
		return p
	}
	text := measure.PairsReport{Contenders: [2]string{"GraphQL", "floor"}, Tables: []measure.PairsTable{{Connections: 1, Rows: []measure.PairsRow{
		{Request: "Q1", What: "a user", Pairs: []measure.Pair{pair(90, 100, 0.25), pair(50, 100, 0.3), pair(110, 100, 0.26)}},
	}}}}.Markdown()
	for _, has := range []string{"1 connection, medians of 3 pairs:", "| Q1 | a user  |", " 90 |", "0.90 | 0.50–1.10 |", " 0.26 |         0.20 |  1.30 |", "1.50 |         1.25 |"} {
		if !strings.Contains(text, has) {
			t.Errorf("the report lacks %q:\n%s", has, text)
		}
	}
}

func TestScaleReportComparesSizes(t *testing.T) {
	t.Parallel()
	cell := func(p50 float64) (c measure.Cell) {
		c.P50, c.Statements, c.Partitions = p50, 1, 1
		return c
	}
	text := measure.ScaleReport{Store: "cassandra", Sizes: []measure.Size{{Users: 50}, {Users: 500}}, Tables: []measure.Table{
		{Connections: 1, Rows: []measure.Row{{Request: "Q2", What: "a post", Cells: []measure.Cell{cell(0.4), cell(0.5)}}}},
	}}.Markdown()
	for _, has := range []string{"p50 ms, 500 users", "1.25 |"} {
		if !strings.Contains(text, has) {
			t.Errorf("the report lacks %q:\n%s", has, text)
		}
	}
}
