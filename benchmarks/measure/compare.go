package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"broadsheet/blog"
)

// Named is a model under its name in the tables, with what it is asked for.
type Named struct {
	Name string
	Model
	Sample Sample
}

// Progress shows how many measurements were made.
type Progress interface{ Add(n int) error }

// Comparison measures every request on every model.
type Comparison struct {
	Models      []Named // from the oldest to the newest
	Meter       *Meter  // the observer of all models
	Requests    []Request
	Connections []int
	Load        Load     // of each measurement; its Connections are not used
	Progress    Progress // counts measurements; nil: nothing does
}

// Cell is one request on one model.
type Cell struct {
	Result
	Cost `json:"cost"`
}

// Row is one request on all models, in their order.
type Row struct {
	Request string `json:"request"`
	What    string `json:"what"`
	Cells   []Cell `json:"models"`
}

// Table is all requests at one number of connections.
type Table struct {
	Connections int   `json:"connections"`
	Rows        []Row `json:"requests"`
}

// Steps returns how many measurements there are.
func (c Comparison) Steps() int { return len(c.Models) * len(c.Requests) * len(c.Connections) }

// Run measures. Commands come last, for they change what queries find. The models are
// measured in turn for each request, so that a machine which slows down slows all.
func (c Comparison) Run(ctx context.Context) ([]Table, error) {
	tables := make([]Table, len(c.Connections))
	for _, writes := range []bool{false, true} {
		for i, connections := range c.Connections {
			tables[i].Connections = connections
			for _, request := range c.Requests {
				if request.Writes != writes {
					continue
				}
				row := Row{Request: request.Name, What: request.What}
				for _, model := range c.Models {
					cell := c.measure(ctx, request, model, connections)
					if ctx.Err() != nil {
						return nil, ctx.Err()
					}
					row.Cells = append(row.Cells, cell)
					if c.Progress != nil {
						_ = c.Progress.Add(1)
					}
				}
				tables[i].Rows = append(tables[i].Rows, row)
			}
		}
	}
	return tables, nil
}

// requestTimeout bounds one request, so that a measurement ends on a model that has
// come to a stop.
const requestTimeout = 30 * time.Second

func (c Comparison) measure(ctx context.Context, request Request, model Named, connections int) Cell {
	do := func(ctx context.Context, random *rand.Rand) error {
		ctx, cancel := context.WithTimeout(context.WithValue(ctx, ofRequest{}, true), requestTimeout)
		defer cancel()
		_, err := request.Do(ctx, model, model.Sample, random)
		return err
	}
	// What a command has other goroutines do, which is told by them, is its own too.
	c.Meter.requested.Store(!request.Writes)
	defer c.Meter.requested.Store(false)
	load := c.Load
	load.Connections = connections
	load.warmUp().Run(ctx, do)
	before := c.Meter.read()
	r := load.Run(ctx, do)
	return Cell{Result: r, Cost: c.Meter.read().since(before, r.Requests)}
}

// warmUp returns the load that comes before a measurement and is not counted, of other
// draws: statements are prepared then, and the node's code compiled.
func (l Load) warmUp() Load {
	l.Duration /= 4
	if l.Count > 0 {
		l.Count = max(l.Count/4, l.Connections)
	}
	l.Seed = ^l.Seed
	return l
}

// SameAnswers makes every query on all models, n times for other things, and returns
// an error where two models' answers differ.
func SameAnswers(ctx context.Context, models []Named, seed uint64, n int) error {
	for i := range n {
		for _, request := range Queries() {
			var first []byte
			for _, model := range models {
				answer, err := request.Do(ctx, model, model.Sample, rand.New(rand.NewPCG(seed, uint64(i))))
				if err != nil {
					return fmt.Errorf("%s on %s: %w", request.Name, model.Name, err)
				}
				text, err := json.Marshal(seen(answer))
				if err != nil {
					return err
				}
				if first == nil {
					first = text
				}
				if string(first) != string(text) {
					return fmt.Errorf("%s is answered differently by %s and %s:\n%s\n%s", request.Name, models[0].Name, model.Name, first, text)
				}
			}
		}
	}
	return nil
}

// seen returns an answer without what clients don't see, write times and where the
// copies stand, and without counts of words and display names, which the models don't keep.
func seen(answer any) any {
	switch a := answer.(type) {
	case blog.User:
		a.Stamp = 0
		return a
	case blog.Post:
		return seenPost(a)
	case blog.Page[blog.Post]:
		posts := make([]blog.Post, len(a.Items))
		for i, p := range a.Items {
			posts[i] = seenPost(p)
		}
		a.Items = posts
		return a
	case blog.CommentPage:
		a.Count.Stamp, a.Items = 0, slices.Clone(a.Items)
		for i := range a.Items {
			a.Items[i].Author.DisplayName = blog.CopiedText{}
		}
		return a
	case blog.ReactionPage:
		a.Count.Stamp, a.Items = 0, slices.Clone(a.Items)
		for i := range a.Items {
			a.Items[i].User.DisplayName = blog.CopiedText{}
		}
		return a
	}
	return answer
}

func seenPost(p blog.Post) blog.Post {
	p.Stamp, p.Feed, p.Comments.Stamp, p.Likes.Stamp, p.Words, p.Author.DisplayName = 0, blog.FeedPlace{}, 0, 0, 0, blog.CopiedText{}
	return p
}
