package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"golang.org/x/sync/errgroup"
)

// Ledger says what each request costs a server, and in which stage of it, by the metrics and profiles
// that the server has for operators.
type Ledger struct {
	HTTPLoad
	Admin string // where operators are answered, as in http://127.0.0.1:9090
}

// Spent is what one request costs.
type Spent struct {
	CPU     float64 `json:"cpuMicroseconds"`
	Objects float64 `json:"objects"` // allocated
	Bytes   float64 `json:"bytes"`   // likewise
}

// LedgerRow is one request.
type LedgerRow struct {
	Request string `json:"request"`
	What    string `json:"what"`
	Result
	All        Spent            `json:"all"`
	Statements float64          `json:"statements"`
	Partitions float64          `json:"partitions"`
	Goroutines float64          `json:"goroutines"` // begun
	Stages     map[string]Spent `json:"stages"`     // by their names, [Stages]
}

// LedgerTable is all requests at one number of connections.
type LedgerTable struct {
	Connections int         `json:"connections"`
	Rows        []LedgerRow `json:"requests"`
}

// Run measures each request for the load's duration, a second at least, which the profiles are of.
func (l Ledger) Run(ctx context.Context) (LedgerReport, error) {
	report := LedgerReport{URL: l.Server.url, Users: len(l.Sample.Users), Posts: len(l.Sample.Posts)}
	for _, connections := range l.Connections {
		table := LedgerTable{Connections: connections}
		for _, d := range l.documents() {
			load := l.Load
			load.Connections = connections
			load.warmUp().Run(ctx, l.Server.asking(d, l.Sample))
			row, err := l.measure(ctx, load, d)
			if err != nil {
				return report, fmt.Errorf("%s: %w", d.Name, err)
			}
			table.Rows = append(table.Rows, row)
			_ = l.Progress.Add(1)
		}
		report.Tables = append(report.Tables, table)
	}
	return report, nil
}

func (l Ledger) measure(ctx context.Context, load Load, d document) (LedgerRow, error) {
	row := LedgerRow{Request: d.Name, What: d.What, Stages: map[string]Spent{}}
	idle, err := l.read(ctx)
	if err != nil {
		return row, err
	}
	before, err := l.read(ctx)
	if err != nil {
		return row, err
	}
	if row.Result, err = l.load(ctx, load, d); err != nil {
		return row, err
	}
	after, err := l.read(ctx)
	if err != nil {
		return row, err
	}
	each := func(of func(reading) float64) float64 { // a reading costs the server something, too
		return (of(after) - of(before) - (of(before) - of(idle))) / float64(row.Requests)
	}
	row.All = Spent{
		CPU:     1e6 * each(func(r reading) float64 { return r["process_cpu_seconds_total"] }),
		Objects: each(func(r reading) float64 { return r["go_memstats_mallocs_total"] }),
		Bytes:   each(func(r reading) float64 { return r["go_memstats_alloc_bytes_total"] }),
	}
	row.Statements = each(func(r reading) float64 { return r["broadsheet_statements_total"] })
	row.Partitions = each(func(r reading) float64 { return r["broadsheet_statement_partitions_total"] })
	row.Goroutines = each(func(r reading) float64 { return r["go_sched_goroutines_created_goroutines_total"] })
	err = l.share(ctx, load, d, &row)
	return row, err
}

// load makes requests, all of which must be answered.
func (l Ledger) load(ctx context.Context, load Load, d document) (Result, error) {
	r := load.Run(ctx, l.Server.asking(d, l.Sample))
	if r.Errors > 0 {
		return r, fmt.Errorf("%d of %d requests: %s", r.Errors, r.Requests, r.FirstError)
	}
	return r, ctx.Err()
}

// share shares out to the stages what a request costs, as profiles do of the same load once more: a profile costs
// the server something, too.
func (l Ledger) share(ctx context.Context, load Load, d document, row *LedgerRow) error {
	const allocated = "/debug/pprof/heap?gc=1" // it has what was allocated until its collection
	before, err := l.profile(ctx, allocated)
	if err != nil {
		return err
	}
	var cpu *profile.Profile
	all, whole := errgroup.WithContext(ctx)
	all.Go(func() (err error) {
		cpu, err = l.profile(whole, "/debug/pprof/profile?seconds="+strconv.Itoa(max(1, int(load.Duration/time.Second))))
		return err
	})
	all.Go(func() error {
		again := load
		again.Seed++ // what was liked before is liked again at less cost
		_, err := l.load(whole, again, d)
		return err
	})
	if err := all.Wait(); err != nil {
		return err
	}
	after, err := l.profile(ctx, allocated)
	if err != nil {
		return err
	}
	times, objects, sizes := shares(byStage(nil, cpu, "cpu")), shares(byStage(before, after, "alloc_objects")), shares(byStage(before, after, "alloc_space"))
	for _, stage := range Stages {
		row.Stages[stage] = Spent{row.All.CPU * times[stage], row.All.Objects * objects[stage], row.All.Bytes * sizes[stage]}
	}
	return nil
}

// reading is what a server says of itself at one time, of each metric the sum over labels.
type reading map[string]float64

func (l Ledger) read(ctx context.Context) (reading, error) {
	r := reading{}
	text, err := l.get(ctx, "/metrics")
	if err != nil {
		return r, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return r, err
	}
	for name, family := range families {
		for _, metric := range family.Metric {
			r[name] += metric.GetCounter().GetValue()
		}
	}
	return r, nil
}

func (l Ledger) profile(ctx context.Context, path string) (*profile.Profile, error) {
	text, err := l.get(ctx, path)
	if err != nil {
		return nil, err
	}
	return profile.ParseData(text)
}

func (l Ledger) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.Admin+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := operators.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("%s: status %d: %.200s", request.URL, response.StatusCode, text))
	}
	return text, err
}

// operators is how a server is asked as by its operators: on a connection of its own, which does not stay.
var operators = http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// LedgerReport is what a ledger showed.
type LedgerReport struct {
	URL    string        `json:"url"`
	Users  int           `json:"users"`
	Posts  int           `json:"posts"`
	Tables []LedgerTable `json:"tables"`
}

// Markdown returns the report as text.
func (r LedgerReport) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, asked for %d posts of %d users; %s\n", r.URL, r.Posts, r.Users, machine())
	for _, t := range r.Tables {
		sums := grid{{"", "request", "requests/s", "p50 ms", "CPU µs", "objects", "bytes", "statements", "partitions", "goroutines"}}
		for _, row := range t.Rows {
			sums = append(sums, []string{row.Request, row.What, amount(row.PerSecond), latency(row.P50), amount(row.All.CPU), amount(row.All.Objects), size(row.All.Bytes),
				fmt.Sprintf("%.2f", row.Statements), fmt.Sprintf("%.2f", row.Partitions), fmt.Sprintf("%.2f", row.Goroutines)})
		}
		fmt.Fprintf(&b, "\n%s, what a request costs the server:\n\n%s", connectionsText(t.Connections), sums)
		fmt.Fprintf(&b, "\nCPU µs by stage:\n\n%s", t.stages(func(s Spent) float64 { return s.CPU }))
		fmt.Fprintf(&b, "\nObjects allocated by stage:\n\n%s", t.stages(func(s Spent) float64 { return s.Objects }))
		fmt.Fprintf(&b, "\nBytes allocated by stage:\n\n%s", t.stages(func(s Spent) float64 { return s.Bytes }))
	}
	return b.String()
}

func (t LedgerTable) stages(of func(Spent) float64) grid {
	lines := grid{append([]string{"", "request"}, Stages...)}
	for _, row := range t.Rows {
		line := []string{row.Request, row.What}
		for _, stage := range Stages {
			line = append(line, fmt.Sprintf("%.0f", of(row.Stages[stage])))
		}
		lines = append(lines, line)
	}
	return lines
}

// JSON returns the report's figures.
func (r LedgerReport) JSON() ([]byte, error) { return indented(r) }
