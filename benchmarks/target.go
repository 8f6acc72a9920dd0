package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"broadsheet/benchmarks/measure"
	"broadsheet/benchmarks/naive"
	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/dataset"
	"broadsheet/internal/program"
)

// target is a store that is measured, with what else was made for it.
type target struct {
	*benchmark // its flags name the target
	meter      *measure.Meter
	store      blog.Store
	undo       []func(context.Context) error // in the order of making
}

// removal bounds the removal of what was made.
const removal = 2 * time.Minute

// open opens the store to be measured: what the flags name, or one of its own beside it
// with a dataset, which must not be there yet.
func (b *benchmark) open(ctx context.Context, suffix string, users int, meter *measure.Meter) (t *target, err error) {
	own := *b
	t = &target{benchmark: &own, meter: meter}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	if b.UseExisting {
		if err = own.Store.WantExisting(); err == nil {
			err = t.opened(ctx)
		}
		return t, err
	}
	own.Store.DataDir += suffix
	own.Store.Keyspace += suffix
	if err = t.make(ctx); err == nil {
		err = t.opened(ctx)
	}
	if err == nil {
		err = t.fill(ctx, users)
	}
	return t, err
}

func (t *target) opened(ctx context.Context) error {
	if t.Store.Store == program.StoreEmbedded {
		store, err := t.Store.Open(ctx, t.log, t.meter)
		return t.has(store, err)
	}
	config := t.Store.Cassandra(t.log)
	config.Received = t.meter.Received
	store, err := cassandra.Open(ctx, config, blog.Options{Observer: t.meter})
	return t.has(store, err)
}

// has keeps a store that was opened.
func (t *target) has(store blog.Store, err error) error {
	if err != nil {
		return err
	}
	t.store = store
	t.undo = append(t.undo, func(context.Context) error { return t.handOver() })
	return nil
}

// handOver closes the store for a process that opens it; what was made stays.
func (t *target) handOver() error {
	if t.store == nil {
		return nil
	}
	store := t.store
	t.store = nil
	return store.Close()
}

// make makes an empty store. Where there is something by its name, whatever it is, that
// stays as it is.
func (t *target) make(ctx context.Context) error {
	if t.Store.Store == program.StoreEmbedded {
		dir := t.Store.DataDir
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, taken("the directory "+dir))
		}
		fmt.Fprintf(t.stderr, "measuring a store of its own in %s\n", dir)
		t.remove(func(context.Context) error { return os.RemoveAll(dir) })
		return nil
	}
	config := t.Store.Cassandra(t.log)
	stands, err := naive.KeyspaceExists(ctx, config.Config)
	if err != nil {
		return err
	}
	if stands {
		return taken("the keyspace " + config.Keyspace)
	}
	fmt.Fprintf(t.stderr, "measuring a store of its own in the keyspace %s\n", config.Keyspace)
	t.remove(func(ctx context.Context) error { return naive.DropKeyspace(ctx, config.Config) })
	return migrate.Apply(ctx, config.Config, nil)
}

func taken(what string) error {
	return fmt.Errorf("%s is there already, and benchmarks write to what they made themselves only: remove it, or measure it as it stands by naming it with --use-existing", what)
}

// remove keeps how to remove what is about to be made.
func (t *target) remove(how func(context.Context) error) {
	if !t.Keep {
		t.undo = append(t.undo, how)
	}
}

// fill writes the dataset. One post's comments and likes come together, so that they
// ride in the store's group commits.
func (t *target) fill(ctx context.Context, users int) error {
	plan := dataset.NewPlan(dataset.SeedSize(users), t.RandomSeed)
	bar := program.Progress(t.stderr, fmt.Sprintf("loading %d users", users), "commands", plan.Totals().Commands())
	err := plan.Write(ctx, t.store, dataset.Writing{
		Concurrency: postsAtOnce, AtOnce: true, Progress: bar, Log: t.log,
	})
	if err == nil {
		err = t.store.Settle(ctx)
	}
	return err
}

// postsAtOnce is how many posts the dataset is written of at once, each with all that
// hangs on it.
const postsAtOnce = 16

// models returns the store as V3 and, on Cassandra, the guides' first versions with the
// same data, in a keyspace beside it.
func (t *target) models(ctx context.Context) ([]measure.Named, error) {
	sample, err := measure.TakeSample(ctx, t.store)
	if err != nil {
		return nil, err
	}
	v3 := measure.Named{Name: "V3", Model: t.store, Sample: sample}
	if t.Store.Store == program.StoreEmbedded {
		fmt.Fprintln(t.stderr, "the naive models V1 and V2 are for --store cassandra: the embedded store is V3 alone")
		return []measure.Named{v3}, nil
	}
	config := t.Store.Cassandra(t.log)
	config.Keyspace += "_naive"
	config.Received = t.meter.Received
	stands, err := naive.KeyspaceExists(ctx, config.Config)
	switch {
	case err != nil:
		return nil, err
	case stands && !t.UseExisting:
		return nil, taken("the keyspace " + config.Keyspace)
	case !stands:
		fmt.Fprintf(t.stderr, "the naive models V1 and V2 are in the keyspace %s\n", config.Keyspace)
		t.remove(func(ctx context.Context) error { return naive.DropKeyspace(ctx, config.Config) })
		if err := naive.Create(ctx, config); err != nil {
			return nil, err
		}
	}
	keyspace, err := naive.Open(ctx, config, blog.Options{Observer: t.meter})
	if err != nil {
		return nil, err
	}
	t.undo = append(t.undo, func(context.Context) error { keyspace.Close(); return nil })
	if !stands {
		bar := program.Progress(t.stderr, "copying to V1 and V2", "posts", -1)
		if err := keyspace.Load(ctx, t.store, func() { _ = bar.Add(1) }); err != nil {
			return nil, err
		}
		_ = bar.Finish()
	}
	return []measure.Named{{Name: "V1", Model: keyspace.V1(), Sample: sample}, {Name: "V2", Model: keyspace.V2(), Sample: sample}, v3}, nil
}

// close closes what is open and removes what was made, the last first, also where the
// command was told to stop.
func (t *target) close() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), removal)
	defer cancel()
	for len(t.undo) > 0 {
		last := len(t.undo) - 1
		err = errors.Join(err, t.undo[last](ctx))
		t.undo = t.undo[:last]
	}
	return err
}
