package program

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/cassandra/move"
	"broadsheet/internal/audit"
)

type migrateCommand struct {
	Plan   migratePlan   `cmd:"" help:"Print the CQL that apply would run."`
	Apply  migrateApply  `cmd:"" help:"Create the keyspace and apply the migrations that lack. It may be run again after a failure."`
	Status migrateStatus `cmd:"" help:"Print which migrations are applied, and which programs the schema serves."`

	Key migrateKey `cmd:"" help:"Change the key of a table while servers run, a phase at a time: docs/operations.md has them. It may be stopped, and run again."`

	Failover migrateFailover `cmd:"" help:"Have the datacentre of --cassandra-datacenter write, and the one that did no more: deploy/runbooks.md says what comes before and after."`
}

type (
	migratePlan   struct{}
	migrateApply  struct{}
	migrateStatus struct{}

	migrateKey struct {
		Table string `arg:"" help:"The table, by the name of its old key, as migrate status has it."`
		To    string `required:"" placeholder:"PHASE" enum:"old,both,filled,verified,new,dropped" help:"The phase to go to, forward or back, by those between: ${enum}. There is no way back from dropped, and no default."`

		auditFlags
	}

	migrateFailover struct {
		Lost bool `help:"The other datacentre is lost: go on without it, and without what was written there and has not arrived here. The default is no."`
	}
)

// Run prints the plan as CQL that cqlsh takes.
func (migratePlan) Run(ctx context.Context, p *program, config cassandra.Config) error {
	plan, err := migrate.Plan(ctx, config.Config)
	if err != nil {
		return err
	}
	if len(plan) == 0 {
		fmt.Fprintln(p.stdout, "-- The schema is current: nothing to do.")
	}
	for i, m := range plan {
		if m.Version > 0 && (i == 0 || plan[i-1].Version == 0) {
			fmt.Fprintf(p.stdout, "USE %s;\n\n", config.Keyspace)
		}
		fmt.Fprintf(p.stdout, "-- %d: %s\n%s\n\n", m.Version, m.Name, strings.TrimSpace(m.CQL))
	}
	return nil
}

// Run applies what lacks.
func (migrateApply) Run(ctx context.Context, p *program, config cassandra.Config) error {
	n := 0
	err := migrate.Apply(ctx, config.Config, func(m migrate.Migration) {
		n++
		fmt.Fprintf(p.stdout, "applied %d: %s\n", m.Version, m.Name)
	})
	if err == nil {
		fmt.Fprintf(p.stdout, "The schema is current. Migrations applied: %d\n", n)
	}
	return err
}

// Run makes steps of a table that changes its key. Each waits until every server has seen the one before.
func (c migrateKey) Run(ctx context.Context, p *program, config cassandra.Config) error {
	store, err := cassandra.Open(ctx, config, blog.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	how := audit.Verifying{Concurrency: c.Concurrency, Rate: c.Rate}
	err = store.MoveKey(ctx, blog.Table(c.Table), move.Phase(c.To), how, func(phase move.Phase) {
		fmt.Fprintf(p.stdout, "%s is %s\n", c.Table, phase)
	})
	if err == nil {
		fmt.Fprintf(p.stdout, "%s has come to %s\n", c.Table, c.To)
	}
	return err
}

// Run has another datacentre write.
func (c migrateFailover) Run(ctx context.Context, p *program, config cassandra.Config) error {
	before, err := migrate.Failover(ctx, config.Config, c.Lost)
	if err == nil {
		fmt.Fprintf(p.stdout, "Conditional writes were made at %s. Now servers with these flags may start.\n", cmp.Or(before, "no noted place"))
	}
	return err
}

// Run prints the history.
func (migrateStatus) Run(ctx context.Context, p *program, config cassandra.Config) error {
	all, err := migrate.Status(ctx, config.Config)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "VERSION\tNAME\tAPPLIED")
	known := 0
	for _, m := range all {
		applied := "no"
		if m.Applied {
			applied = m.AppliedAt.UTC().Format(time.RFC3339)
		}
		if m.Newer {
			applied += " by a newer program"
		} else {
			known = m.Version
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", m.Version, m.Name, applied)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, served(all, known))
	for _, m := range all {
		if m.Phase != "" {
			fmt.Fprintf(p.stdout, "%s takes the place of %s: %s.\n", m.Name, m.Table().Declaration().Replaces, m.Phase)
		}
		if m.Unbuilt {
			fmt.Fprintf(p.stdout, "%[1]s is not built: its queries are refused until `broadsheet rebuild %[1]s` has ended.\n", m.Name)
		}
	}
	return nil
}

// served says which programs run on the schema.
func served(all []migrate.Migration, known int) string {
	oldest, newest, some := migrate.Serves(all)
	switch {
	case !some:
		return fmt.Sprintf("The schema serves no program yet: run `broadsheet migrate apply`. This program is %d.", known)
	case oldest == newest:
		return fmt.Sprintf("The schema serves programs whose last migration is %d. This program is %d.", newest, known)
	default:
		return fmt.Sprintf("The schema serves programs whose last migration is %d to %d. This program is %d.", oldest, newest, known)
	}
}
