package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"broadsheet/benchmarks/measure"
	"broadsheet/internal/program"
)

// bench measures what the flags ask for, prints tables, and removes what it made.
func (b *benchmark) bench(ctx context.Context) error {
	switch {
	case b.Floor:
		return b.floor(ctx)
	case b.Stores:
		return b.stores(ctx)
	case b.Ledger:
		return b.ledger(ctx)
	case b.HTTP != "":
		return b.loadServer(ctx)
	case len(b.Scale) > 0:
		return b.scales(ctx)
	}
	return b.compare(ctx)
}

// loadServer measures a running server by its public API alone.
func (b *benchmark) loadServer(ctx context.Context) error {
	load, err := b.httpLoad(ctx, b.HTTP, b.Writes)
	if err != nil {
		return err
	}
	defer load.Server.Close()
	report, err := load.Run(ctx)
	if err != nil {
		return err
	}
	return b.print(report)
}

// httpLoad returns the load of a server, by its public API alone. Its server is to be closed.
func (b *benchmark) httpLoad(ctx context.Context, url string, writes bool) (measure.HTTPLoad, error) {
	server := b.graphQL(url)
	sample, err := server.Sample(ctx)
	if err != nil {
		server.Close()
		return measure.HTTPLoad{}, err
	}
	load := measure.HTTPLoad{Server: server, Sample: sample, Writes: writes, Only: b.Requests, Connections: b.Connections, Load: b.load()}
	bar := program.Progress(b.stderr, "measuring", "measurements", load.Steps())
	load.Progress = bar
	return load, nil
}

// graphQL returns a server that is asked as the flags say.
func (b *benchmark) graphQL(url string) *measure.Server {
	server := measure.GraphQL(url, slices.Max(b.Connections))
	server.SignedIn = b.SignedIn
	return server
}

// ledger says what each request costs a server, by stages.
func (b *benchmark) ledger(ctx context.Context) (err error) {
	url, admin, writes := b.HTTP, b.Admin, b.Writes
	if url == "" {
		t, err := b.open(ctx, "_bench", b.Users, &measure.Meter{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.close()) }()
		server, err := t.serve(ctx, "--admin-listen", "127.0.0.1:0")
		if err != nil {
			return err
		}
		url, admin, writes = server.url, server.admin, !b.UseExisting || b.Writes
	}
	load, err := b.httpLoad(ctx, url, writes)
	if err != nil {
		return err
	}
	defer load.Server.Close()
	report, err := measure.Ledger{HTTPLoad: load, Admin: admin}.Run(ctx)
	if err != nil {
		return err
	}
	return b.print(report)
}

// scales measures the store alone at each size: all are made first, so that a request can
// be measured on one right after the other.
func (b *benchmark) scales(ctx context.Context) (err error) {
	meter := &measure.Meter{}
	report := measure.ScaleReport{Store: b.Store.Store}
	var sizes []measure.Named
	for _, users := range b.Scale {
		var t *target
		if t, err = b.open(ctx, fmt.Sprintf("_bench_%d", users), users, meter); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.close()) }()
		size := measure.Named{Name: fmt.Sprintf("%d users", users), Model: t.store}
		if size.Sample, err = measure.TakeSample(ctx, t.store); err != nil {
			return err
		}
		sizes = append(sizes, size)
		report.Sizes = append(report.Sizes, measure.Size{Users: users, Posts: len(size.Sample.Posts)})
	}
	if report.Tables, err = b.measure(ctx, meter, sizes); err != nil {
		return err
	}
	return b.print(report)
}

// compare makes the guides' table.
func (b *benchmark) compare(ctx context.Context) (err error) {
	meter := &measure.Meter{}
	t, err := b.open(ctx, "_bench", b.Users, meter)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	models, err := t.models(ctx)
	if err != nil {
		return err
	}
	sample := models[0].Sample
	if err := measure.SameAnswers(ctx, models, b.RandomSeed, sameAnswers); err != nil {
		return fmt.Errorf("%w\nnothing was measured; where the naive models' keyspace is older than the store's data drop it, and it is filled anew", err)
	}
	tables, err := b.measure(ctx, meter, models)
	if err != nil {
		return err
	}
	report := measure.Report{Store: b.Store.Store, Users: len(sample.Users), Posts: len(sample.Posts), Tables: tables}
	for _, m := range models {
		report.Models = append(report.Models, m.Name)
	}
	return b.print(report)
}

// measure measures all requests on models that tell the meter what they ask for.
func (b *benchmark) measure(ctx context.Context, meter *measure.Meter, models []measure.Named) ([]measure.Table, error) {
	comparison := measure.Comparison{
		Models: models, Meter: meter, Requests: b.requests(), Connections: b.Connections, Load: b.load(),
	}
	bar := program.Progress(b.stderr, "measuring", "measurements", comparison.Steps())
	comparison.Progress = bar
	return comparison.Run(ctx)
}

// sameAnswers is how many answers of each query all models are compared by.
const sameAnswers = 10

// requests returns those to measure: those that --requests names, and commands only on a store that was
// made for the purpose, or with --writes.
func (b *benchmark) requests() []measure.Request {
	return slices.DeleteFunc(measure.Requests(), func(r measure.Request) bool {
		return r.Writes && b.UseExisting && !b.Writes || !b.Requests.Has(r.Name)
	})
}

// printed is what the command found out.
type printed interface {
	Markdown() string
	JSON() ([]byte, error)
}

// print writes the report to where it is wanted.
func (b *benchmark) print(report printed) error {
	text := report.Markdown()
	fmt.Fprint(b.stdout, text)
	if b.Markdown != "" {
		if err := os.WriteFile(b.Markdown, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if b.JSON == "" {
		return nil
	}
	figures, err := report.JSON()
	if err != nil {
		return err
	}
	return os.WriteFile(b.JSON, figures, 0o644)
}
