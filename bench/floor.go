package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Contender is a server that is compared with another one.
type Contender struct {
	*Server
	CPU func() (time.Duration, error) // that its process has used
}

// Plain returns the server without GraphQL whose paths begin at url. It holds
// connections until Close.
func Plain(url string, connections int) *Server {
	return &Server{client: newClient(connections), url: url, plain: true}
}

// Floor compares the GraphQL server with a bare handler that makes the same reads, in
// pairs that follow each other closely.
type Floor struct {
	GraphQL, Floor Contender
	Sample         Sample
	Writes         bool // comments and likes too
	Only           Only
	Connections    []int
	Rounds         int  // pairs for each request
	Load           Load // of each half of a pair
	Step           func()
}

// Half is one server's half of a pair.
type Half struct {
	Result
	ServerCPU float64 `json:"serverCpuMs"` // for each request
}

// Pair is both servers, one after the other.
type Pair struct {
	GraphQL Half `json:"graphql"`
	Floor   Half `json:"floor"`
}

// FloorRow is one request's pairs.
type FloorRow struct {
	Request string `json:"request"`
	What    string `json:"what"`
	Pairs   []Pair `json:"pairs"`
}

// FloorTable is all requests at one number of connections.
type FloorTable struct {
	Connections int        `json:"connections"`
	Rows        []FloorRow `json:"requests"`
}

// Steps returns how many pairs there are.
func (f Floor) Steps() int { return f.Rounds * len(f.Connections) * len(f.documents()) }

// documents returns what both answer: the floor has no accounts and makes no posts.
func (f Floor) documents() []document {
	return slices.DeleteFunc(documents(), func(d document) bool {
		return d.writes && (!f.Writes || d.Name == "C1" || d.Name == "C2") || !f.Only.Has(d.Name)
	})
}

// Run measures. The two take turns in being first. They read the same; each writes to
// posts of its own, for to the server what the floor writes is another server's doing.
func (f Floor) Run(ctx context.Context) (FloorReport, error) {
	report := FloorReport{Users: len(f.Sample.Users), Posts: len(f.Sample.Posts)}
	load := f.Load
	for _, load.Connections = range f.Connections {
		table := FloorTable{Connections: load.Connections}
		for _, d := range f.documents() {
			graphQL, floor := f.Sample, f.Sample
			if d.writes {
				graphQL, floor = f.Sample.halves()
			}
			row := FloorRow{Request: d.Name, What: d.What}
			load.warmUp().Run(ctx, f.GraphQL.asking(d, graphQL))
			load.warmUp().Run(ctx, f.Floor.asking(d, floor))
			for round := range f.Rounds {
				load.Seed++ // what was liked before is liked again at less cost
				var pair Pair
				halves := []func() error{
					func() (err error) { pair.GraphQL, err = half(ctx, f.GraphQL, load, d, graphQL); return err },
					func() (err error) { pair.Floor, err = half(ctx, f.Floor, load, d, floor); return err },
				}
				if round%2 == 1 {
					slices.Reverse(halves)
				}
				for _, half := range halves {
					if err := half(); err != nil {
						return report, err
					}
				}
				row.Pairs = append(row.Pairs, pair)
				f.Step()
			}
			table.Rows = append(table.Rows, row)
		}
		report.Tables = append(report.Tables, table)
	}
	return report, nil
}

func half(ctx context.Context, c Contender, load Load, d document, sample Sample) (Half, error) {
	before, err := c.CPU()
	if err != nil {
		return Half{}, err
	}
	r := load.Run(ctx, c.asking(d, sample))
	if ctx.Err() != nil {
		return Half{}, ctx.Err()
	}
	after, err := c.CPU()
	if err != nil {
		return Half{}, err
	}
	if r.Errors > 0 {
		return Half{}, fmt.Errorf("%s, %d of %d requests: %s", d.Name, r.Errors, r.Requests, r.FirstError)
	}
	return Half{Result: r, ServerCPU: milliseconds(after-before) / float64(max(r.Requests, 1))}, nil
}

// FloorReport is what the pairs showed.
type FloorReport struct {
	Users  int          `json:"users"`
	Posts  int          `json:"posts"`
	Tables []FloorTable `json:"tables"`
}

// median returns the middle one of what pairs show.
func (r FloorRow) median(of func(Pair) float64) float64 {
	all := r.sorted(of)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

func (r FloorRow) sorted(of func(Pair) float64) []float64 {
	all := make([]float64, len(r.Pairs))
	for i, p := range r.Pairs {
		all[i] = of(p)
	}
	slices.Sort(all)
	return all
}

// spread is the least and the greatest of what pairs show.
func (r FloorRow) spread(of func(Pair) float64) string {
	all := r.sorted(of)
	return fmt.Sprintf("%.2f–%.2f", all[0], all[len(all)-1])
}

func throughput(p Pair) float64 { return p.GraphQL.PerSecond / max(p.Floor.PerSecond, 1e-9) }

// Markdown returns the report as text: of each figure the pairs' median.
func (r FloorReport) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cassandra store, %d users, %d posts; %s\n", r.Users, r.Posts, machine())
	for _, t := range r.Tables {
		lines := grid{{"", "request", "GraphQL requests/s", "floor requests/s", "GraphQL ÷ floor", "of pairs", "GraphQL CPU ms", "floor CPU ms", "CPU ÷", "GraphQL p50 ms", "floor p50 ms", "generator CPU ms"}}
		for _, row := range t.Rows {
			cpu := row.median(func(p Pair) float64 { return p.GraphQL.ServerCPU })
			floorCPU := row.median(func(p Pair) float64 { return p.Floor.ServerCPU })
			lines = append(lines, []string{
				row.Request, row.What,
				amount(row.median(func(p Pair) float64 { return p.GraphQL.PerSecond })),
				amount(row.median(func(p Pair) float64 { return p.Floor.PerSecond })),
				fmt.Sprintf("%.2f", row.median(throughput)), row.spread(throughput),
				latency(cpu), latency(floorCPU), quotient(cpu, floorCPU),
				latency(row.median(func(p Pair) float64 { return p.GraphQL.P50 })),
				latency(row.median(func(p Pair) float64 { return p.Floor.P50 })),
				latency(row.median(func(p Pair) float64 { return p.GraphQL.CPU })),
			})
		}
		fmt.Fprintf(&b, "\n%s, medians of %d pairs:\n\n%s", connectionsText(t.Connections), len(t.Rows[0].Pairs), lines)
	}
	return b.String()
}

// JSON returns the report's figures.
func (r FloorReport) JSON() ([]byte, error) { return indented(r) }
