package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/embedded"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/pace"
)

// Open opens the store that the flags name.
func (f *StoreFlags) Open(ctx context.Context, log *slog.Logger, observer blog.Observer) (blog.Store, error) {
	options := blog.Options{Observer: observer, KeepChanges: f.JournalRetention}
	if f.Store == StoreEmbedded {
		options.Clock = f.Clock
		o := embedded.Options{Options: options, Log: log, CacheBytes: int64(f.EmbeddedCache), ReadOnly: f.ReadOnly}
		return opened(embedded.Open(f.DataDir, o))
	}
	return opened(cassandra.Open(ctx, f.Cassandra(log), options))
}

// opened keeps a nil store from becoming a blog.Store that is not nil.
func opened[S blog.Store](store S, err error) (blog.Store, error) {
	if err != nil {
		return nil, err
	}
	return store, nil
}

// The pauses between attempts to reach a cluster that is away.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// openPatiently opens the store, and tries until it can be reached: a server may be started before its database.
func (p *program) openPatiently(ctx context.Context, c *serveCommand, api *httpapi.API) (blog.Store, error) {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		store, err := p.openOnce(ctx, c, api)
		if kind := blog.KindOf(err); err == nil || kind != blog.Unavailable && kind != blog.Timeout || ctx.Err() != nil {
			return store, err
		}
		api.Wait(httpapi.Reason(err))
		p.log.Warn("the store can't be reached yet; trying until it can", "error", err)
		if err := pace.Wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

func (p *program) openOnce(ctx context.Context, c *serveCommand, api *httpapi.API) (blog.Store, error) {
	if c.Migrate {
		err := migrate.Apply(ctx, p.store.Cassandra(p.log).Config, func(m migrate.Migration) {
			p.log.Info("applied a migration", "version", m.Version, "name", m.Name)
		})
		if err != nil {
			return nil, err
		}
	}
	p.store.Clock = &p.clock
	store, err := p.store.Open(ctx, p.log, api.Observer())
	if err != nil {
		return nil, err
	}
	if err = c.noteAuthentication(ctx, p, store); err == nil {
		err = c.fill(ctx, p, store, api)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// with runs work on the store that the flags name, and closes it.
func (p *program) with(ctx context.Context, work func(blog.Store) error) (err error) {
	store, err := p.store.Open(ctx, p.log, nil)
	if err != nil {
		return err
	}
	defer func() {
		if closing := store.Close(); err == nil && closing != nil {
			err = fmt.Errorf("closing the store: %w", closing)
		}
	}()
	return work(store)
}

// WantExisting returns an error where opening the store would make one.
func (f *StoreFlags) WantExisting() error {
	if f.Store == StoreEmbedded {
		if entries, err := os.ReadDir(f.DataDir); err == nil && len(entries) == 0 || errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s holds no store: name the directory of one by --data-dir", f.DataDir)
		}
	}
	return nil
}
