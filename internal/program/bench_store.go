package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"broadsheet/bench"
	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/cassandra/naive"
	"broadsheet/internal/dataset"
)

// benchTarget is a store that is measured, with what else was made for it.
type benchTarget struct {
	command *benchCommand
	program *program // its store is the target
	meter   *bench.Meter
	store   blog.Store
	undo    []func(context.Context) error // in the order of making
}

// removal bounds the removal of what was made.
const removal = 2 * time.Minute

// open opens the store to be measured: what the flags name, or one of its own beside it
// with a dataset, which must not be there yet.
func (c *benchCommand) open(ctx context.Context, p *program, suffix string, users int, meter *bench.Meter) (target *benchTarget, err error) {
	own := *p
	target = &benchTarget{command: c, program: &own, meter: meter}
	defer func() {
		if err != nil {
			err = errors.Join(err, target.close())
		}
	}()
	if c.UseExisting {
		if err = own.store.wantExisting(); err == nil {
			err = target.opened(ctx)
		}
		return target, err
	}
	own.store.DataDir += suffix
	own.store.Keyspace += suffix
	if err = target.make(ctx); err == nil {
		err = target.opened(ctx)
	}
	if err == nil {
		err = target.fill(ctx, users)
	}
	return target, err
}

func (b *benchTarget) opened(ctx context.Context) (err error) {
	p := b.program
	if p.store.Store == storeEmbedded {
		b.store, err = p.open(ctx, b.meter)
	} else {
		var config cassandra.Config
		if config, err = p.store.cassandra(p.log); err == nil {
			config.Received = b.meter.Received
			b.store, err = opened(cassandra.Open(ctx, config, blog.Options{Observer: b.meter}))
		}
	}
	if err == nil {
		b.undo = append(b.undo, func(context.Context) error { return b.handOver() })
	}
	return err
}

// handOver closes the store for a process that opens it; what was made stays.
func (b *benchTarget) handOver() error {
	if b.store == nil {
		return nil
	}
	store := b.store
	b.store = nil
	return store.Close()
}

// make makes an empty store. Where there is something by its name, whatever it is, that
// stays as it is.
func (b *benchTarget) make(ctx context.Context) error {
	p := b.program
	if p.store.Store == storeEmbedded {
		dir := p.store.DataDir
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, taken("the directory "+dir))
		}
		fmt.Fprintf(p.stderr, "measuring a store of its own in %s\n", dir)
		b.remove(func(context.Context) error { return os.RemoveAll(dir) })
		return nil
	}
	config, err := p.store.cassandra(p.log)
	if err != nil {
		return err
	}
	stands, err := migrate.KeyspaceExists(ctx, config.Config)
	if err != nil {
		return err
	}
	if stands {
		return taken("the keyspace " + config.Keyspace)
	}
	fmt.Fprintf(p.stderr, "measuring a store of its own in the keyspace %s\n", config.Keyspace)
	b.remove(func(ctx context.Context) error { return migrate.DropKeyspace(ctx, config.Config) })
	return migrate.Apply(ctx, config.Config, nil)
}

func taken(what string) error {
	return fmt.Errorf("%s is there already, and bench writes to what it made itself only: remove it, or measure it as it stands by naming it with --use-existing", what)
}

// remove keeps how to remove what is about to be made.
func (b *benchTarget) remove(how func(context.Context) error) {
	if !b.command.Keep {
		b.undo = append(b.undo, how)
	}
}

// fill writes the dataset. One post's comments and likes come together, so that they
// ride in the store's group commits.
func (b *benchTarget) fill(ctx context.Context, users int) error {
	plan := dataset.NewPlan(dataset.SeedSize(users), b.command.RandomSeed)
	bar := progress(b.program.stderr, fmt.Sprintf("loading %d users", users), "commands", plan.Totals().Commands())
	err := plan.Write(ctx, b.store, dataset.Writing{
		Concurrency: postsAtOnce, AtOnce: true,
		Step:    func() { _ = bar.Add(1) },
		Retried: func(cause error) { b.program.log.Debug("a command is repeated", "cause", cause) },
	})
	if err == nil {
		err = b.store.Settle(ctx)
	}
	return err
}

// postsAtOnce is how many posts the dataset is written of at once, each with all that
// hangs on it.
const postsAtOnce = 16

// models returns the store as V3 and, on Cassandra, the guides' first versions with the
// same data, in a keyspace beside it.
func (b *benchTarget) models(ctx context.Context) ([]bench.Named, error) {
	p := b.program
	sample, err := bench.TakeSample(ctx, b.store)
	if err != nil {
		return nil, err
	}
	v3 := bench.Named{Name: "V3", Model: b.store, Sample: sample}
	if p.store.Store == storeEmbedded {
		fmt.Fprintln(p.stderr, "the naive models V1 and V2 are for --store cassandra: the embedded store is V3 alone")
		return []bench.Named{v3}, nil
	}
	config, err := p.store.cassandra(p.log)
	if err != nil {
		return nil, err
	}
	config.Keyspace += "_naive"
	config.Received = b.meter.Received
	stands, err := migrate.KeyspaceExists(ctx, config.Config)
	switch {
	case err != nil:
		return nil, err
	case stands && !b.command.UseExisting:
		return nil, taken("the keyspace " + config.Keyspace)
	case !stands:
		fmt.Fprintf(p.stderr, "the naive models V1 and V2 are in the keyspace %s\n", config.Keyspace)
		b.remove(func(ctx context.Context) error { return migrate.DropKeyspace(ctx, config.Config) })
		if err := naive.Create(ctx, config); err != nil {
			return nil, err
		}
	}
	keyspace, err := naive.Open(ctx, config, blog.Options{Observer: b.meter})
	if err != nil {
		return nil, err
	}
	b.undo = append(b.undo, func(context.Context) error { keyspace.Close(); return nil })
	if !stands {
		bar := progress(p.stderr, "copying to V1 and V2", "posts", -1)
		if err := keyspace.Load(ctx, b.store, func() { _ = bar.Add(1) }); err != nil {
			return nil, err
		}
		_ = bar.Finish()
	}
	return []bench.Named{{Name: "V1", Model: keyspace.V1(), Sample: sample}, {Name: "V2", Model: keyspace.V2(), Sample: sample}, v3}, nil
}

// close closes what is open and removes what was made, the last first, also where the
// command was told to stop.
func (b *benchTarget) close() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), removal)
	defer cancel()
	for len(b.undo) > 0 {
		last := len(b.undo) - 1
		err = errors.Join(err, b.undo[last](ctx))
		b.undo = b.undo[:last]
	}
	return err
}
