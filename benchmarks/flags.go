package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"broadsheet/benchmarks/measure"
	"broadsheet/internal/program"
)

// flags is the command line. Each flag has an environment variable, BROADSHEET_ and its name in
// capitals; those of the store are the program's.
type flags struct {
	Store program.StoreFlags `embed:"" group:"Store"`

	Users       int    `default:"200" help:"How many users the dataset has; see seed."`
	RandomSeed  uint64 `default:"1" help:"The same seed and number of users make the same dataset, and the same requests."`
	UseExisting bool   `help:"Measure the store as it stands, queries only. The default is a store of the same name with _bench after it, made for the purpose."`
	Keep        bool   `help:"Leave what was made. The default is no."`

	Connections []int         `default:"1,64" help:"How many callers ask at once, each with one request at a time."`
	Duration    time.Duration `default:"3s" help:"How long each request is measured on each model; a quarter of it more is for warming up."`
	Requests    measure.Only  `placeholder:"NAMES" help:"Measure these requests only, by their names in the table, as in Q2,C3. The default is all."`
	Count       int           `default:"0" help:"How many requests are measured, instead of for how long. 0: as many as fit."`

	HTTP   string `name:"http" placeholder:"URL" help:"Load the GraphQL endpoint of a running server instead, as in http://127.0.0.1:8080/graphql. The default is not to."`
	Writes bool   `help:"With --http (by dev auth's tokens) or --use-existing, measure commands too: what they write stays. The default is no."`

	SignedIn bool `help:"Queries over HTTP are made as a user who is drawn for each, by dev auth's tokens. The default is as nobody."`

	Ledger bool   `help:"What each request costs the server, by stages: CPU, allocations, statements, partitions, goroutines. Of a server of its own, or with --admin of the one that --http names. The default is not to."`
	Admin  string `placeholder:"URL" help:"Where the server that --http names answers operators, as in http://127.0.0.1:9090."`

	Floor  bool `help:"Compare the server, as a process of its own, with the floor: a bare handler that makes the same reads and writes plain JSON. Only for --store cassandra, on Linux. The default is not to."`
	Stores bool `help:"Compare the server on the embedded store with the same on Cassandra, each a process of its own, with the same dataset. Only for --store cassandra, on Linux; the embedded store is in --data-dir. The default is not to."`
	Rounds int  `default:"5" help:"Where two servers are compared, how many pairs are measured for each request."`

	Scale []int `placeholder:"USERS" help:"Measure the store alone, with datasets of these numbers of users, as in 50,200,500. The default is not to."`

	Markdown string `type:"path" placeholder:"FILE" help:"Write the tables to this file too, as Markdown. The default is not to."`
	JSON     string `type:"path" name:"json" placeholder:"FILE" help:"Write the figures to this file, as JSON. The default is not to."`
}

// validate checks what one flag alone can't tell.
func (f *flags) validate() error {
	if f.Users < 1 || slices.ContainsFunc(f.Scale, func(n int) bool { return n < 1 }) {
		return errors.New("--users and --scale must be at least 1")
	}
	if len(f.Connections) == 0 || slices.ContainsFunc(f.Connections, func(n int) bool { return n < 1 }) {
		return errors.New("--connections must be at least 1, as in 1,64")
	}
	if i := slices.IndexFunc(f.Requests, func(name string) bool { return !slices.Contains(measure.Names(), name) }); i >= 0 {
		return fmt.Errorf("--requests: there is no %s, but %s", f.Requests[i], strings.Join(measure.Names(), ", "))
	}
	if len(f.Requests) > 0 && !slices.ContainsFunc(f.Requests, f.measures) {
		return errors.New("--requests names none that is measured so: commands on a store that is not made for it need --writes; nested needs --http or two servers (--floor, --stores), of which C1 and C2 are not measured")
	}
	if f.Count < 0 || f.Duration <= 0 {
		return errors.New("--count must be at least 0, --duration above zero, as in 3s")
	}
	if f.HTTP != "" {
		if at, err := url.Parse(f.HTTP); err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
			return fmt.Errorf("--http: %q is not the address of a GraphQL endpoint, as in http://127.0.0.1:8080/graphql", f.HTTP)
		}
		if f.UseExisting || f.pairs() || len(f.Scale) > 0 {
			return errors.New("--http measures a server: leave --use-existing, --floor, --stores and --scale out")
		}
	}
	if f.Ledger != (f.Admin != "") && f.HTTP != "" || f.Admin != "" && f.HTTP == "" {
		return errors.New("--ledger of the server that --http names takes --admin, which is for nothing else")
	}
	if f.Ledger && (f.pairs() || len(f.Scale) > 0) {
		return errors.New("--ledger measures one server: leave --floor, --stores and --scale out")
	}
	if f.Writes && f.HTTP == "" && !f.UseExisting {
		return errors.New("--writes is for --http and --use-existing: a store of its own is written to in any case")
	}
	switch onCassandra := f.Store.Store == program.StoreCassandra; {
	case f.Stores && !onCassandra:
		return errors.New("--stores is for --store cassandra, which the embedded store is compared with")
	case f.Floor && !onCassandra:
		return errors.New("--floor is for --store cassandra: the floor makes the driver's reads")
	case f.Floor && f.Stores:
		return errors.New("--floor and --stores are two comparisons: leave one out")
	}
	if f.Rounds < 1 {
		return errors.New("--rounds must be at least 1")
	}
	if len(f.Scale) > 0 && (f.UseExisting || f.pairs()) {
		return errors.New("--scale makes stores of its own: leave --floor, --stores and --use-existing out")
	}
	return f.Store.Check()
}

// pairs reports whether two servers are compared, in pairs of measurements.
func (f *flags) pairs() bool { return f.Stores || f.Floor }

// measures reports whether a request is one of those that the other flags allow.
func (f *flags) measures(name string) bool {
	kept := (f.HTTP != "" || f.UseExisting) && !f.Writes
	switch name {
	case "C1", "C2":
		return !kept && !f.pairs()
	case "C3", "C4":
		return !kept
	case "nested":
		return f.HTTP != "" || f.Ledger || f.pairs()
	}
	return true
}

func (f *flags) load() measure.Load {
	return measure.Load{Duration: f.Duration, Count: f.Count, Seed: f.RandomSeed}
}
