package plan

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
)

// maxBeside is how many rows of one list are written at the same time.
const maxBeside = 32

// Write appends the value of a field of an object. It is false where there is none, for an
// error that was reported: what it appended then does not count. Exec is what generated
// code needs to have.
type Write[E, T any] func(exec E, ctx context.Context, w *Writer, f *Field, object *T) bool

// Execute answers a query. Write writes its fields.
func Execute[E any](exec E, ctx context.Context, p *Plan, write Write[E, struct{}]) []byte {
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: "Query"})
	w := p.writer()
	defer p.release(w)
	w.spend, _ = ctx.Value(spendKey{}).(func(bytes int) bool)
	w.Bytes = make([]byte, 0, p.size.Load()+64)
	if !Object(exec, ctx, w, p.query, nil, write) {
		w.Null()
	}
	w.tell()
	answer := w.Bytes
	w.Bytes = nil
	p.size.Store(int64(len(answer)))
	return answer
}

// Root writes a field of the query through what intercepts root fields.
func Root[E any](exec E, ctx context.Context, w *Writer, f *Field, write Write[E, struct{}]) bool {
	ctx = graphql.WithRootFieldContext(ctx, &graphql.RootFieldContext{Object: f.Name, Field: f.CollectedField})
	start, ok := len(w.Bytes), false
	here := &written{w: w, from: start}
	m := graphql.GetOperationContext(ctx).RootResolverMiddleware(ctx, func(ctx context.Context) graphql.Marshaler {
		if ok = guarded(ctx, func() bool { return write(exec, ctx, w, f, nil) }); !ok {
			return graphql.Null
		}
		return here
	})
	if m == here || !ok {
		return ok
	}
	w.Bytes = w.Bytes[:start]
	return w.Marshal(m)
}

// written is a value that stands in the answer already.
type written struct {
	w    *Writer
	from int
}

func (v *written) MarshalGQL(w io.Writer) { _, _ = w.Write(v.w.Bytes[v.from:]) }

// Object writes an object. It is false where a field that can't be null has no value. All
// fields are written nevertheless, for their errors.
func Object[E, T any](exec E, ctx context.Context, w *Writer, s *Selection, object *T, write Write[E, T]) bool {
	apart := separate(exec, ctx, w, s, object, write)
	defer w.free(apart)
	start, ok, moved := len(w.Bytes), true, 0
	w.Bytes = append(w.Bytes, '{')
	for i := range s.fields {
		if !w.room() {
			ok = false
			break
		}
		f := &s.fields[i]
		w.Bytes = append(w.Bytes, f.key...)
		at := len(w.Bytes)
		there := false
		if moved < len(apart) && s.apart[moved] == i {
			there = apart[moved].move(w)
			moved++
		} else {
			there = write(exec, ctx, w, f, object)
		}
		ok = w.settle(at, there, f.nonNull) && ok
	}
	w.Bytes = append(w.Bytes, '}')
	if !ok {
		w.Bytes = w.Bytes[:start]
	}
	return ok
}

// settle makes a null of a value that is not there. It is false where none may be.
func (w *Writer) settle(at int, there, nonNull bool) bool {
	if there {
		return true
	}
	w.Bytes = w.Bytes[:at]
	if nonNull {
		return false
	}
	return w.Null()
}

// List writes the values of a list, of which write writes one. It is false where one that
// can't be null is not there.
func List[E, T any](exec E, ctx context.Context, w *Writer, f *Field, values []T, write Write[E, T]) bool {
	var apart []part
	if f.beside && len(values) > 1 {
		apart = beside(exec, ctx, w, f, values, write)
		defer w.free(apart)
	}
	nonNull := f.Definition.Type.Elem.NonNull
	row, index := w.rows(ctx, f)
	start, ok := len(w.Bytes), true
	w.Bytes = append(w.Bytes, '[')
	for i := range values {
		if err := ctx.Err(); err != nil {
			ok = Fail(ctx, err)
			break
		}
		if i > 0 {
			w.Bytes = append(w.Bytes, ',')
		}
		at := len(w.Bytes)
		there := false
		if apart != nil {
			there = apart[i].move(w)
		} else {
			*index = i
			there = write(exec, row, w, f, &values[i])
		}
		ok = w.settle(at, there, nonNull) && ok
	}
	w.Bytes = append(w.Bytes, ']')
	if !ok {
		w.Bytes = w.Bytes[:start]
	}
	return ok
}

// part is what was written beside its neighbours.
type part struct {
	there    bool
	by       *Writer
	from, to int
	first    bool // of its writer
}

// move appends the part where it belongs.
func (p part) move(w *Writer) bool {
	if p.there {
		w.Bytes = append(w.Bytes, p.by.Bytes[p.from:p.to]...)
		w.told += p.to - p.from // its own writer has told
	}
	return p.there
}

// separate writes those fields of an object that run beside each other.
func separate[E, T any](exec E, ctx context.Context, w *Writer, s *Selection, object *T, write Write[E, T]) []part {
	if len(s.apart) == 0 {
		return nil
	}
	parts, last := make([]part, len(s.apart)), len(s.apart)-1
	wait := func() {}
	if last > 0 {
		wait = start(exec, ctx, w, s, object, write, parts[:last])
	}
	parts[last] = one(exec, ctx, w.aside(), &s.fields[s.apart[last]], object, write)
	parts[last].first = true
	wait()
	return parts
}

// start has goroutines write fields of an object into parts. It returns what waits for them.
func start[E, T any](exec E, ctx context.Context, w *Writer, s *Selection, object *T, write Write[E, T], parts []part) (wait func()) {
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() {
			parts[i] = one(exec, ctx, w.another(), &s.fields[s.apart[i]], object, write)
			parts[i].first = true
		})
	}
	return all.Wait
}

// one writes a value at the end of what a writer has.
func one[E, T any](exec E, ctx context.Context, by *Writer, f *Field, object *T, write Write[E, T]) part {
	from := len(by.Bytes)
	there := guarded(ctx, func() bool { return write(exec, ctx, by, f, object) })
	by.tell()
	return part{there: there, by: by, from: from, to: len(by.Bytes)}
}

// beside writes the values of a list beside each other.
func beside[E, T any](exec E, ctx context.Context, w *Writer, f *Field, values []T, write Write[E, T]) []part {
	parts := make([]part, len(values))
	var next atomic.Int64
	worker := func() {
		sub := w.another()
		row, index := sub.rows(ctx, f)
		first := true
		for i := int(next.Add(1)) - 1; i < len(values); i = int(next.Add(1)) - 1 {
			*index = i
			parts[i] = one(exec, row, sub, f, &values[i], write)
			parts[i].first = first
			first = false
		}
	}
	var all sync.WaitGroup
	for range min(len(values), maxBeside) - 1 {
		all.Go(worker)
	}
	worker()
	all.Wait()
	return parts
}

// guarded turns a panic into an error of the place that ctx tells.
func guarded(ctx context.Context, write func() bool) (there bool) {
	defer func() {
		if cause := recover(); cause != nil {
			there = Fail(ctx, graphql.GetOperationContext(ctx).Recover(ctx, cause))
		}
	}()
	return write()
}
