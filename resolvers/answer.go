package resolvers

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"golang.org/x/sync/semaphore"

	"broadsheet/blog"
)

// answer bounds what one answer holds, in bytes: a page of comments may have 4 MB of text,
// and a short document ask for it a hundred times. What it holds is counted, and not
// estimated, for nearly all texts are far shorter than they may be.
type answer struct {
	limit   int64        // 0: none
	late    atomic.Bool  // its time was over before a field was resolved
	left    atomic.Int64 // below 0: it is too large
	reading *semaphore.Weighted
}

// rowsAtOnce is how many rows with long texts one operation may be reading at a time, and
// so what it may hold beyond its limit: ten pages, of 4 MB at most.
const rowsAtOnce = 1_000

// perField is about what a field takes beside its text: its name, and punctuation.
const perField = 16

// WithAnswerLimit bounds the answer of an operation, in bytes. 0: no limit.
func WithAnswerLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, answerLimitKey, bytes)
}

func newAnswer(ctx context.Context) *answer {
	limit, _ := ctx.Value(answerLimitKey).(int64)
	a := &answer{limit: limit, reading: semaphore.NewWeighted(rowsAtOnce)}
	a.left.Store(limit)
	return a
}

// bound counts the fields of an operation. Beyond the limit none is resolved, nor once the
// operation's own context has ended.
func (a *answer) bound(operation context.Context) {
	op := graphql.GetOperationContext(operation)
	inner := op.ResolverMiddleware
	op.ResolverMiddleware = func(ctx context.Context, next graphql.Resolver) (any, error) {
		if err := operation.Err(); err != nil {
			return nil, a.tooLate(err)
		}
		if a.limit > 0 && a.left.Load() < 0 {
			return nil, a.tooLarge()
		}
		value, err := inner(ctx, next)
		if a.limit == 0 {
			return value, err
		}
		text := 0
		switch v := value.(type) {
		case string:
			text = len(v)
		case *string:
			if v != nil {
				text = len(*v)
			}
		}
		if a.left.Add(int64(-perField-text)) < 0 {
			return nil, a.tooLarge()
		}
		return value, err
	}
}

// errTooLate is said of all fields behind the first that came too late. It is not logged.
var errTooLate = &blog.Error{Kind: blog.Timeout}

func (a *answer) tooLate(cause error) error {
	if a.late.Swap(true) {
		return errTooLate
	}
	return &blog.Error{Kind: blog.Timeout, Err: cause}
}

func (a *answer) tooLarge() error {
	return &gqlerror.Error{
		Message:    fmt.Sprintf("the answer would be larger than %d bytes: ask for shorter pages, or for less of each row", a.limit),
		Extensions: map[string]any{"code": "QUERY_TOO_COMPLEX", "limit": "answer"},
	}
}

// readComments reads a page of comments, once few enough others are read.
func readComments[P any](ctx context.Context, rows int, read func() (P, error), items func(P) []blog.Comment) (P, error) {
	var none P
	a := ctx.Value(requestKey).(*request).answer
	if a.limit == 0 {
		return read()
	}
	weight := min(int64(rows), rowsAtOnce)
	if err := a.reading.Acquire(ctx, weight); err != nil {
		return none, &blog.Error{Kind: blog.Timeout, Err: err}
	}
	defer a.reading.Release(weight)
	if a.left.Load() < 0 {
		return none, a.tooLarge()
	}
	page, err := read()
	if err != nil {
		return none, err
	}
	held := int64(0)
	for _, comment := range items(page) {
		held += int64(len(comment.Content))
	}
	if a.left.Add(-held) < 0 {
		return none, a.tooLarge()
	}
	return page, nil
}
