package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"broadsheet/blog"
	"broadsheet/internal/dataset"
)

type seedCommand struct {
	Users       int    `default:"200" help:"How many users to make. Each writes 5 to 50 posts; each post gets up to 25 comments and up to 100 likes."`
	RandomSeed  uint64 `default:"1" help:"The same seed and number of users make the same dataset."`
	Concurrency int    `default:"32" help:"How many commands run at once."`
}

func (c *seedCommand) validate() error {
	if c.Users < 1 || c.Concurrency < 1 {
		return errors.New("--users and --concurrency must be at least 1")
	}
	return nil
}

// Run writes the dataset through the store's commands.
func (c *seedCommand) Run(ctx context.Context, p *program) error {
	return p.with(ctx, func(store blog.Store) error {
		empty, err := store.Empty(ctx)
		if err != nil {
			return err
		}
		if !empty {
			return errors.New("the store holds data already: seed writes to an empty store only; name another --data-dir or --cassandra-keyspace")
		}
		return c.write(ctx, p, store)
	})
}

func (c *seedCommand) write(ctx context.Context, p *program, store blog.Store) error {
	plan := dataset.NewPlan(dataset.SeedSize(c.Users), c.RandomSeed)
	totals := plan.Totals()
	bar := Progress(p.stderr, "seeding", "commands", totals.Commands())
	began := time.Now()
	err := plan.Write(ctx, store, dataset.Writing{
		Concurrency: c.Concurrency, Progress: bar, Log: p.log,
	})
	if err == nil {
		err = store.Settle(ctx)
	}
	if err != nil {
		return fmt.Errorf("seeding stopped, the store holds a part of the dataset: %w", err)
	}
	took := time.Since(began)
	fmt.Fprintf(p.stdout, "%d users, %d posts, %d comments, %d likes in %s: %.0f commands a second\n",
		totals.Users, totals.Posts, totals.Comments, totals.Likes, took.Round(time.Millisecond),
		float64(totals.Commands())/took.Seconds())
	return nil
}

// Progress shows how far it is, and how fast, of a total of -1 no more than how much; where no terminal shows it, as in a log, every ten seconds only.
func Progress(w io.Writer, doing, units string, total int) *progressbar.ProgressBar {
	often := 10 * time.Second
	if watched(w) {
		often = 100 * time.Millisecond
	}
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(doing), progressbar.OptionThrottle(often),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(units),
		progressbar.OptionSetPredictTime(true), progressbar.OptionOnCompletion(func() { fmt.Fprintln(w) }),
		progressbar.OptionSetSpinnerChangeInterval(0), // or it reads its own state while others write it
	)
}

// watched reports whether w is a terminal.
func watched(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
