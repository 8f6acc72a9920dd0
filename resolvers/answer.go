package resolvers

import (
	"context"
	"fmt"
	"io"
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
	left    atomic.Int64 // below 0: it is too large
	share   *Share       // of the room for all answers
	reading *semaphore.Weighted
	others  *semaphore.Weighted // of all operations
}

// How many rows with long texts may be being read at a time, and so what is held beyond the
// limits.
const (
	rowsAtOnce      = 1_000          // by one operation: ten pages, of 4 MB at most
	rowsOfAllAtOnce = 8 * rowsAtOnce // by all
)

func newAnswer(limit int64, room *Room, others *semaphore.Weighted) *answer {
	a := &answer{limit: limit, share: room.Making(), reading: semaphore.NewWeighted(rowsAtOnce), others: others}
	a.left.Store(limit)
	return a
}

// spend takes bytes of what is left. It reports false where that is not enough.
func (a *answer) spend(bytes int) bool {
	return a.share.Take(bytes) && (a.limit == 0 || a.left.Add(-int64(bytes)) >= 0)
}

func (a *answer) spent() bool { return a.share.Refused() || a.limit > 0 && a.left.Load() < 0 }

// tooLarge says why an answer that is spent is not given.
func (a *answer) tooLarge() *gqlerror.Error {
	if a.share.Refused() {
		return NoRoom()
	}
	return &gqlerror.Error{
		Message:    fmt.Sprintf("the answer is larger than %d bytes: ask for shorter pages, or for less of each row", a.limit),
		Extensions: map[string]any{"code": codeTooComplex, "limit": "answer"},
	}
}

// bounded is a mutation's field's data, of which nothing is written beyond what is left of the
// answer's bytes.
type bounded struct {
	field graphql.Marshaler
	of    *answer
}

func (b bounded) MarshalGQL(w io.Writer) { b.field.MarshalGQL(boundedWriter{w, b.of}) }

type boundedWriter struct {
	io.Writer
	of *answer
}

func (w boundedWriter) Write(p []byte) (int, error) {
	if !w.of.spend(len(p)) {
		return len(p), nil
	}
	return w.Writer.Write(p)
}

// readComments reads a page of comments, once few enough others are read.
func readComments[P any](ctx context.Context, rows int, read func() (P, error), items func(P) []blog.Comment) (P, error) {
	var none P
	a := ctx.Value(requestKey).(*request).answer
	weight := min(int64(rows), rowsAtOnce)
	if err := a.reading.Acquire(ctx, weight); err != nil {
		return none, &blog.Error{Kind: blog.Timeout, Err: err}
	}
	defer a.reading.Release(weight)
	if err := a.others.Acquire(ctx, weight); err != nil {
		return none, &blog.Error{Kind: blog.Timeout, Err: err}
	}
	defer a.others.Release(weight)
	if a.spent() {
		return none, a.tooLarge()
	}
	page, err := read()
	if err != nil {
		return none, err
	}
	held := 0
	for _, comment := range items(page) {
		held += len(comment.Content)
	}
	if !a.spend(held) {
		return none, a.tooLarge()
	}
	return page, nil
}

// readPost reads a post, whose text may be long.
func (r *Resolver) readPost(ctx context.Context, id blog.PostID) (blog.Post, error) {
	post, err := r.store.PostByID(ctx, id)
	if a := ctx.Value(requestKey).(*request).answer; err == nil && !a.share.Take(len(post.Content)) {
		return blog.Post{}, a.tooLarge()
	}
	return post, err
}
