package measure

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
	Name   string
	Sample Sample // what it is asked for, and told to write on
	CPU    CPU
	Node   CPU // of the database behind it; nil: unknown, or there is none
}

// CPU returns the time that a process has used.
type CPU func() (time.Duration, error)

// Pairs compares two servers, in pairs of measurements that follow each other closely.
type Pairs struct {
	Store       string // what the contenders keep their data in
	OneStore    bool   // both in the same: to each, what the other writes is another server's doing
	Contenders  [2]Contender
	Writes      bool // comments and likes too
	Only        Only
	Connections []int
	Rounds      int  // pairs for each request
	Load        Load // of each half of a pair
	Progress    Progress
}

// Half is one contender's half of a pair.
type Half struct {
	Result
	ServerCPU float64 `json:"serverCpuMs"`         // for each request
	NodeCPU   float64 `json:"nodeCpuMs,omitempty"` // likewise
}

// Pair is both contenders, measured one after the other.
type Pair [2]Half

// PairsRow is one request's pairs.
type PairsRow struct {
	Request string `json:"request"`
	What    string `json:"what"`
	Pairs   []Pair `json:"pairs"`
}

// PairsTable is all requests at one number of connections.
type PairsTable struct {
	Connections int        `json:"connections"`
	Rows        []PairsRow `json:"requests"`
}

// Steps returns how many pairs there are.
func (p Pairs) Steps() int { return p.Rounds * len(p.Connections) * len(p.documents()) }

// documents returns what is asked of both: no accounts and posts, which the floor does
// not make.
func (p Pairs) documents() []document {
	return slices.DeleteFunc(documents(), func(d document) bool {
		return d.writes && (!p.Writes || d.Name == "C1" || d.Name == "C2") || !p.Only.Has(d.Name)
	})
}

// Run measures. The two take turns in being first.
func (p Pairs) Run(ctx context.Context) (PairsReport, error) {
	report := PairsReport{Store: p.Store, Users: len(p.Contenders[0].Sample.Users), Posts: len(p.Contenders[0].Sample.Posts)}
	for i, c := range p.Contenders {
		report.Contenders[i] = c.Name
	}
	for _, connections := range p.Connections {
		table := PairsTable{Connections: connections}
		load := p.Load
		load.Connections = connections
		for _, d := range p.documents() {
			row := PairsRow{Request: d.Name, What: d.What}
			contenders := p.asked(d)
			for _, c := range contenders {
				load.warmUp().Run(ctx, c.asking(d, c.Sample))
			}
			for round := range p.Rounds {
				load.Seed = p.Load.Seed + uint64(round) // what was liked before is liked again at less cost
				pair, err := contest(ctx, contenders, load, d, round)
				if err != nil {
					return report, err
				}
				row.Pairs = append(row.Pairs, pair)
				_ = p.Progress.Add(1)
			}
			table.Rows = append(table.Rows, row)
		}
		report.Tables = append(report.Tables, table)
	}
	return report, nil
}

// asked returns the contenders with what they are asked for. Two on one store read the
// same; each writes to posts of its own.
func (p Pairs) asked(d document) [2]Contender {
	contenders := p.Contenders
	if d.writes && p.OneStore {
		contenders[0].Sample, contenders[1].Sample = contenders[0].Sample.halves()
	}
	return contenders
}

// contest measures both, one after the other.
func contest(ctx context.Context, contenders [2]Contender, load Load, d document, round int) (pair Pair, err error) {
	for turn := range pair {
		i := (round + turn) % 2
		if pair[i], err = contenders[i].half(ctx, load, d); err != nil {
			return pair, err
		}
	}
	return pair, nil
}

func (c Contender) half(ctx context.Context, load Load, d document) (Half, error) {
	server, node := since(c.CPU), since(c.Node)
	r := load.Run(ctx, c.asking(d, c.Sample))
	if ctx.Err() != nil {
		return Half{}, ctx.Err()
	}
	if r.Errors > 0 {
		return Half{}, fmt.Errorf("%s of %s, %d of %d requests: %s", d.Name, c.Name, r.Errors, r.Requests, r.FirstError)
	}
	half := Half{Result: r}
	var err error
	if half.ServerCPU, err = server(r.Requests); err == nil {
		half.NodeCPU, err = node(r.Requests)
	}
	return half, err
}

// since returns what tells the milliseconds that a process has used from now on for each
// of so many requests.
func since(cpu CPU) func(requests int) (float64, error) {
	if cpu == nil {
		return func(int) (float64, error) { return 0, nil }
	}
	before, err := cpu()
	return func(requests int) (float64, error) {
		if err != nil {
			return 0, err
		}
		after, err := cpu()
		return milliseconds(after-before) / float64(max(requests, 1)), err
	}
}

// PairsReport is what the pairs showed.
type PairsReport struct {
	Store      string       `json:"store"`
	Contenders [2]string    `json:"contenders"` // in the order of each pair
	Users      int          `json:"users"`
	Posts      int          `json:"posts"`
	Tables     []PairsTable `json:"tables"`
}

// median returns the middle one of what pairs show.
func (r PairsRow) median(of func(Pair) float64) float64 {
	all := r.sorted(of)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

func (r PairsRow) sorted(of func(Pair) float64) []float64 {
	all := make([]float64, len(r.Pairs))
	for i, p := range r.Pairs {
		all[i] = of(p)
	}
	slices.Sort(all)
	return all
}

// spread is the least and the greatest of what pairs show.
func (r PairsRow) spread(of func(Pair) float64) string {
	all := r.sorted(of)
	return fmt.Sprintf("%.2f–%.2f", all[0], all[len(all)-1])
}

func throughput(p Pair) float64 { return p[0].PerSecond / max(p[1].PerSecond, 1e-9) }

// Markdown returns the report as text: of each figure the pairs' median.
func (r PairsReport) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d users, %d posts; %s\n", r.Store, r.Users, r.Posts, machine())
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "\n%s, medians of %d pairs:\n\n%s", connectionsText(t.Connections), len(t.Rows[0].Pairs), r.grid(t))
	}
	return b.String()
}

func (r PairsReport) grid(t PairsTable) grid {
	first, second := r.Contenders[0], r.Contenders[1]
	nodes := slices.ContainsFunc(t.Rows, func(row PairsRow) bool { return row.median(nodeCPU(1)) > 0 })
	both := slices.ContainsFunc(t.Rows, func(row PairsRow) bool { return row.median(nodeCPU(0)) > 0 })
	head := []string{"", "request", first + " requests/s", second + " requests/s", first + " ÷ " + second, "of pairs", first + " CPU ms", second + " CPU ms", "CPU ÷"}
	switch {
	case both:
		head = append(head, first+" node's CPU ms", second+" node's CPU ms", "node's CPU ÷")
	case nodes:
		head = append(head, "its node's CPU ms", "CPU ÷ with the node's")
	}
	lines := grid{append(head, first+" p50 ms", second+" p50 ms", "generator CPU ms")}
	for _, row := range t.Rows {
		median := func(i int, of func(Half) float64) float64 {
			return row.median(func(p Pair) float64 { return of(p[i]) })
		}
		perSecond, p50, cpu := func(h Half) float64 { return h.PerSecond }, func(h Half) float64 { return h.P50 }, func(h Half) float64 { return h.ServerCPU }
		line := []string{
			row.Request, row.What, amount(median(0, perSecond)), amount(median(1, perSecond)),
			fmt.Sprintf("%.2f", row.median(throughput)), row.spread(throughput),
			latency(median(0, cpu)), latency(median(1, cpu)), quotient(median(0, cpu), median(1, cpu)),
		}
		own, node := row.median(nodeCPU(0)), row.median(nodeCPU(1))
		switch {
		case both:
			line = append(line, latency(own), latency(node), quotient(own, node))
		case nodes:
			line = append(line, latency(node), quotient(median(0, cpu), median(1, cpu)+node))
		}
		lines = append(lines, append(line, latency(median(0, p50)), latency(median(1, p50)), latency(median(0, func(h Half) float64 { return h.CPU }))))
	}
	return lines
}

// nodeCPU is that of a contender's database.
func nodeCPU(of int) func(Pair) float64 { return func(p Pair) float64 { return p[of].NodeCPU } }

// JSON returns the report's figures.
func (r PairsReport) JSON() ([]byte, error) { return indented(r) }
