package program

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"broadsheet/bench"
)

type benchCommand struct {
	Users       int    `default:"200" help:"How many users the dataset has; see seed."`
	RandomSeed  uint64 `default:"1" help:"The same seed and number of users make the same dataset, and the same requests."`
	UseExisting bool   `help:"Measure the store as it stands, queries only. The default is a store of the same name with _bench after it, made for the purpose."`
	Keep        bool   `help:"Leave what was made. The default is no."`

	Connections []int         `default:"1,64" help:"How many callers ask at once, each with one request at a time."`
	Duration    time.Duration `default:"3s" help:"How long each request is measured on each model; a quarter of it more is for warming up."`
	Requests    bench.Only    `placeholder:"NAMES" help:"Measure these requests only, by their names in the table, as in Q2,C3. The default is all."`
	Count       int           `default:"0" help:"How many requests are measured, instead of for how long. 0: as many as fit."`

	HTTP   string `name:"http" placeholder:"URL" help:"Load the GraphQL endpoint of a running server instead, as in http://127.0.0.1:8080/graphql. The default is not to."`
	Writes bool   `help:"With --http (by dev auth's tokens) or --use-existing, measure commands too: what they write stays. The default is no."`

	floorFlags `embed:""`
	Stores     bool `help:"Compare the server on the embedded store with the same on Cassandra, each a process of its own, with the same dataset. Only for --store cassandra, on Linux; the embedded store is in --data-dir. The default is not to."`
	Rounds     int  `default:"5" help:"Where two servers are compared, how many pairs are measured for each request."`

	Scale []int `placeholder:"USERS" help:"Measure the store alone, with datasets of these numbers of users, as in 50,200,500. The default is not to."`

	Markdown string `type:"path" placeholder:"FILE" help:"Write the tables to this file too, as Markdown. The default is not to."`
	JSON     string `type:"path" name:"json" placeholder:"FILE" help:"Write the figures to this file, as JSON. The default is not to."`
}

func (c *benchCommand) validate(store string) error {
	if c.Users < 1 || slices.ContainsFunc(c.Scale, func(n int) bool { return n < 1 }) {
		return errors.New("--users and --scale must be at least 1")
	}
	if len(c.Connections) == 0 || slices.ContainsFunc(c.Connections, func(n int) bool { return n < 1 }) {
		return errors.New("--connections must be at least 1, as in 1,64")
	}
	if i := slices.IndexFunc(c.Requests, func(name string) bool { return !slices.Contains(bench.Names(), name) }); i >= 0 {
		return fmt.Errorf("--requests: there is no %s, but %s", c.Requests[i], strings.Join(bench.Names(), ", "))
	}
	if len(c.Requests) > 0 && !slices.ContainsFunc(c.Requests, c.measures) {
		return errors.New("--requests names none that is measured so: commands on a store that is not made for it need --writes; nested needs --http or two servers (" + pairFlags + "), of which C1 and C2 are not measured")
	}
	if c.Count < 0 || c.Duration <= 0 {
		return errors.New("--count must be at least 0, --duration above zero, as in 3s")
	}
	if c.HTTP != "" {
		if at, err := url.Parse(c.HTTP); err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
			return fmt.Errorf("--http: %q is not the address of a GraphQL endpoint, as in http://127.0.0.1:8080/graphql", c.HTTP)
		}
		if c.UseExisting || c.pairs() || len(c.Scale) > 0 {
			return errors.New("--http measures a server: leave --use-existing, " + pairFlags + " and --scale out")
		}
	}
	if c.Writes && c.HTTP == "" && !c.UseExisting {
		return errors.New("--writes is for --http and --use-existing: a store of its own is written to in any case")
	}
	if c.Stores && store != storeCassandra {
		return errors.New("--stores is for --store cassandra, which the embedded store is compared with")
	}
	if err := c.floorFlags.validate(store, c.Stores); err != nil {
		return err
	}
	if c.Rounds < 1 {
		return errors.New("--rounds must be at least 1")
	}
	if len(c.Scale) > 0 && (c.UseExisting || c.pairs()) {
		return errors.New("--scale makes stores of its own: leave " + pairFlags + " and --use-existing out")
	}
	return nil
}

// pairs reports whether two servers are compared, in pairs of measurements.
func (c *benchCommand) pairs() bool { return c.Stores || c.floorFlags.wanted() }

// measures reports whether a request is one of those that the other flags allow.
func (c *benchCommand) measures(name string) bool {
	kept := (c.HTTP != "" || c.UseExisting) && !c.Writes
	switch name {
	case "C1", "C2":
		return !kept && !c.pairs()
	case "C3", "C4":
		return !kept
	case "nested":
		return c.HTTP != "" || c.pairs()
	}
	return true
}

func (c *benchCommand) load() bench.Load {
	return bench.Load{Duration: c.Duration, Count: c.Count, Seed: c.RandomSeed}
}

// Run measures, prints tables, and removes what it made.
func (c *benchCommand) Run(ctx context.Context, p *program, line *kong.Context) error {
	switch {
	case c.floorFlags.wanted():
		return c.floor(ctx, p, line)
	case c.Stores:
		return c.stores(ctx, p, line)
	case c.HTTP != "":
		return c.loadServer(ctx, p)
	case len(c.Scale) > 0:
		return c.scales(ctx, p)
	}
	return c.compare(ctx, p)
}

// loadServer measures a running server by its public API alone.
func (c *benchCommand) loadServer(ctx context.Context, p *program) error {
	server := bench.GraphQL(c.HTTP, slices.Max(c.Connections))
	defer server.Close()
	sample, err := server.Sample(ctx)
	if err != nil {
		return err
	}
	load := bench.HTTPLoad{Server: server, Sample: sample, Writes: c.Writes, Only: c.Requests, Connections: c.Connections, Load: c.load()}
	bar := progress(p.stderr, "measuring", "measurements", load.Steps())
	load.Step = func() { _ = bar.Add(1) }
	report, err := load.Run(ctx)
	if err != nil {
		return err
	}
	return c.print(p, report)
}

// scales measures the store alone at each size: all are made first, so that a request can
// be measured on one right after the other.
func (c *benchCommand) scales(ctx context.Context, p *program) (err error) {
	meter := &bench.Meter{}
	report := bench.ScaleReport{Store: p.store.Store}
	var sizes []bench.Named
	for _, users := range c.Scale {
		var target *benchTarget
		if target, err = c.open(ctx, p, fmt.Sprintf("_bench_%d", users), users, meter); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, target.close()) }()
		size := bench.Named{Name: fmt.Sprintf("%d users", users), Model: target.store}
		if size.Sample, err = bench.TakeSample(ctx, target.store); err != nil {
			return err
		}
		sizes = append(sizes, size)
		report.Sizes = append(report.Sizes, bench.Size{Users: users, Posts: len(size.Sample.Posts)})
	}
	if report.Tables, err = c.measure(ctx, p, meter, sizes); err != nil {
		return err
	}
	return c.print(p, report)
}

// compare makes the guides' table.
func (c *benchCommand) compare(ctx context.Context, p *program) (err error) {
	meter := &bench.Meter{}
	target, err := c.open(ctx, p, "_bench", c.Users, meter)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close()) }()
	models, err := target.models(ctx)
	if err != nil {
		return err
	}
	sample := models[0].Sample
	if err := bench.SameAnswers(ctx, models, c.RandomSeed, sameAnswers); err != nil {
		return fmt.Errorf("%w\nnothing was measured; where the naive models' keyspace is older than the store's data drop it, and it is filled anew", err)
	}
	tables, err := c.measure(ctx, p, meter, models)
	if err != nil {
		return err
	}
	report := bench.Report{Store: p.store.Store, Users: len(sample.Users), Posts: len(sample.Posts), Tables: tables}
	for _, m := range models {
		report.Models = append(report.Models, m.Name)
	}
	return c.print(p, report)
}

// measure measures all requests on models that tell the meter what they ask for.
func (c *benchCommand) measure(ctx context.Context, p *program, meter *bench.Meter, models []bench.Named) ([]bench.Table, error) {
	comparison := bench.Comparison{
		Models: models, Meter: meter, Requests: c.requests(), Connections: c.Connections, Load: c.load(),
	}
	bar := progress(p.stderr, "measuring", "measurements", comparison.Steps())
	comparison.Step = func() { _ = bar.Add(1) }
	return comparison.Run(ctx)
}

// sameAnswers is how many answers of each query all models are compared by.
const sameAnswers = 10

// requests returns those to measure: those that are wished; a store that was not made for the purpose is not
// written to, unless that is wished.
func (c *benchCommand) requests() []bench.Request {
	return slices.DeleteFunc(bench.Requests(), func(r bench.Request) bool {
		return r.Writes && c.UseExisting && !c.Writes || !c.Requests.Has(r.Name)
	})
}

// printed is what the command found out.
type printed interface {
	Markdown() string
	JSON() ([]byte, error)
}

// print writes the report to where it is wanted.
func (c *benchCommand) print(p *program, report printed) error {
	text := report.Markdown()
	fmt.Fprint(p.stdout, text)
	if c.Markdown != "" {
		if err := os.WriteFile(c.Markdown, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if c.JSON == "" {
		return nil
	}
	figures, err := report.JSON()
	if err != nil {
		return err
	}
	return os.WriteFile(c.JSON, figures, 0o644)
}
