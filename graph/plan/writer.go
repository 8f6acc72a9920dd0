package plan

import (
	"context"
	"io"
	"runtime"
	"sync"

	"github.com/99designs/gqlgen/graphql"
)

// Writer appends to an answer. It is one goroutine's; those that run beside it have their
// own.
type Writer struct {
	Bytes []byte

	plan   *Plan
	pool   *sync.Pool // where it is released to
	limit  *Limit     // of the answer; nil: none
	turn   turn       // to write, which its goroutine has
	paid   int        // of Bytes, how many were charged to the answer's limit
	frames []frame
	beside *Writer // of what this goroutine writes before it belongs into the answer; nil: not yet
	lent   bool    // beside is in use
}

// frame keeps what a field needs while it is written again and again, for the rows of a
// list.
type frame struct {
	parent, ctx context.Context // the second was made for the first
	value       any             // a pointer to what the field's resolver returned last
}

// writer returns one of a pool, whose answer is empty. Release it.
func (p *Plan) writer(pool *sync.Pool) *Writer {
	w, _ := pool.Get().(*Writer)
	if w == nil {
		w = &Writer{plan: p, pool: pool, frames: make([]frame, p.frames)}
	}
	return w
}

// maxIdle is how much room a writer keeps for the next answer, in bytes.
const maxIdle = 256 << 10

func (p *Plan) release(w *Writer) {
	if w.beside != nil {
		p.release(w.beside)
	}
	w.beside, w.lent, w.limit, w.paid = nil, false, nil, 0
	clear(w.frames)
	if w.Bytes = w.Bytes[:0]; cap(w.Bytes) > maxIdle {
		w.Bytes = nil
	}
	w.pool.Put(w)
}

// another returns a writer for what runs beside this one, for the same answer.
func (w *Writer) another() *Writer {
	other := w.plan.writer(&w.plan.parts)
	other.limit = w.limit
	return other
}

// chunk is how much is written, in bytes, between two looks at what the answer may have.
const chunk = 4 << 10

// mayGrow reports whether the answer may be longer than it is.
func (w *Writer) mayGrow() bool {
	n := len(w.Bytes) - w.paid
	if w.limit == nil || 0 <= n && n < chunk {
		return true
	}
	if !w.charge() {
		return false
	}
	w.turn.take(w.limit, n)
	if len(w.Bytes) >= large && cap(w.Bytes)-len(w.Bytes) < aTurn {
		w.grow(max(len(w.Bytes)/4, aTurn))
	}
	return true
}

// charge charges what was written to the answer's limit.
func (w *Writer) charge() bool {
	n := len(w.Bytes) - w.paid
	w.paid += n
	return w.limit == nil || w.limit.spend(max(n, 0))
}

// enter takes a turn where the whole answer is made in turns.
func (w *Writer) enter() {
	if w.limit != nil && w.limit.Whole {
		w.turn.take(w.limit, 0)
	}
}

// Executed says that a command has run, which has no turn: it may wait for others. What it is answered with is
// made as a query's answer is.
func (w *Writer) Executed() { w.enter() }

// leave ends the turn that the goroutine has: it may wait for others now.
func (w *Writer) leave() {
	if w.turn.begun {
		w.turn.leave(w.limit)
	}
}

type limitKey struct{}

// WithLimit bounds an answer.
func WithLimit(ctx context.Context, limit *Limit) context.Context {
	return context.WithValue(ctx, limitKey{}, limit)
}

// aside returns a writer for what the same goroutine writes before it belongs into the
// answer. Row after row it is the same one, which has its contexts already.
func (w *Writer) aside() *Writer {
	if w.lent {
		return w.another()
	}
	if w.beside == nil {
		w.beside = w.another()
	}
	w.lent = true
	return w.beside
}

// free ends the use of the writers of parts that were moved.
func (w *Writer) free(parts []part) {
	for _, moved := range parts {
		switch {
		case moved.by == w.beside:
			w.beside.Bytes, w.beside.paid = w.beside.Bytes[:0], 0
			w.lent = false
		case moved.first:
			w.plan.release(moved.by)
		}
	}
}

// MarshalGQL makes what was appended a [graphql.Marshaler], as long as the writer is not
// released.
func (w *Writer) MarshalGQL(to io.Writer) { _, _ = to.Write(w.Bytes) }

// Write makes a Writer an [io.Writer].
func (w *Writer) Write(b []byte) (int, error) {
	w.append(b)
	return len(b), nil
}

// grow makes room for so many bytes more. Unlike append and slices.Grow it moves what has been written in
// pieces, and has what is new cleared in pieces, by make.
func (w *Writer) grow(size int) {
	if cap(w.Bytes)-len(w.Bytes) >= size {
		return
	}
	written := w.Bytes
	w.Bytes = make([]byte, 0, len(written)+size)
	w.append(written)
}

// append appends what may be long in pieces, and lets others run between them. A goroutine that copies or
// clears memory can't be stopped before it has done so, and a collection stops each of them now and then: while one
// copies 16 MB to where the system has yet to provide memory, which is 25 ms, the collection spins on another
// processor, and sends it signals. Nor can a loop of copies be stopped that calls nothing.
func (w *Writer) append(b []byte) {
	for len(b) > aTurn {
		w.Bytes = append(w.Bytes, b[:aTurn]...)
		b = b[aTurn:]
		runtime.Gosched()
	}
	w.Bytes = append(w.Bytes, b...)
}

// Null appends null.
func (w *Writer) Null() bool {
	w.Bytes = append(w.Bytes, "null"...)
	return true
}

// Marshal appends what gqlgen has made of a value. It is false for a null.
func (w *Writer) Marshal(m graphql.Marshaler) bool {
	if m == graphql.Null || m == graphql.RequiredNull {
		return false
	}
	m.MarshalGQL(w)
	return true
}

// Enter returns the context of a field, which fieldContext makes as gqlgen does. It is false where
// the field's arguments are wrong, which fieldContext has reported.
func Enter[E any](exec E, ctx context.Context, w *Writer, f *Field, fieldContext func(E, context.Context, graphql.CollectedField) (*graphql.FieldContext, error)) (context.Context, bool) {
	if !f.resolved {
		return ctx, true
	}
	at := &w.frames[f.frame]
	if w.turn.begun && !w.limit.Whole && (f.reads || at.parent != ctx) { // the first row waits for what its list has started
		w.leave()
	}
	if at.parent == ctx {
		return at.ctx, true
	}
	field, err := fieldContext(exec, ctx, f.CollectedField)
	if err != nil {
		return nil, false
	}
	*at = frame{parent: ctx, ctx: graphql.WithFieldContext(ctx, field)}
	return at.ctx, true
}

// rows returns the context of a list's rows, and where to set which row it is.
func (w *Writer) rows(ctx context.Context, f *Field) (context.Context, *int) {
	at := &w.frames[f.frame+1]
	if !f.resolved {
		if at.value == nil {
			at.value = new(int)
		}
		return ctx, at.value.(*int)
	}
	if at.parent != ctx {
		index := new(int)
		*at = frame{parent: ctx, ctx: graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: index}), value: index}
	}
	return at.ctx, at.value.(*int)
}

// Keep returns a pointer to a value that is good until the field is written again.
func Keep[T any](w *Writer, f *Field, value T) *T {
	at := &w.frames[f.frame]
	kept, ok := at.value.(*T)
	if !ok {
		kept = new(T)
		at.value = kept
	}
	*kept = value
	return kept
}

// Fail reports why a field has no value. It is false.
func Fail(ctx context.Context, err error) bool {
	if at := graphql.GetFieldContext(ctx); at != nil && at.Field.Field != nil { // it is not a row, nor the query itself
		err = graphql.AddFieldLocationToError(ctx, err)
	}
	graphql.GetOperationContext(ctx).Error(ctx, err)
	return false
}

// appendQuoted quotes a name, which has nothing to escape.
func appendQuoted(b []byte, name string) []byte {
	return append(append(append(b, '"'), name...), '"')
}
