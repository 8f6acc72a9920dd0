package plan

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
)

// maxBeside is how many rows of one list are written at the same time at most.
const maxBeside = 32

// Write appends the value of a field of an object. It is false where there is none, for an error that was reported:
// what it appended then does not count. Exec is what generated code needs.
type Write[E, T any] func(exec E, ctx context.Context, w *Writer, f *Field, object *T) bool

// Once answers an operation once.
func Once[E any](exec E, p *Plan, write Write[E, struct{}]) graphql.ResponseHandler {
	answered := false
	return func(ctx context.Context) *graphql.Response {
		if answered {
			return nil
		}
		answered = true
		return &graphql.Response{Data: Execute(exec, ctx, p, write)}
	}
}

// Execute answers an operation, or one of its events. Write writes its fields: those of a query run beside
// each other, those of a mutation one after the other.
func Execute[E any](exec E, ctx context.Context, p *Plan, write Write[E, struct{}]) []byte {
	if limit, bounded := ctx.Value(limitKey{}).(*Limit); bounded {
		limit.plan = p
	}
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: p.root})
	fields := p.query.fields
	roots := make([]root, len(fields))
	var all sync.WaitGroup
	for i := range fields {
		roots[i] = root{by: p.writer(&p.answers), value: graphql.Null}
		one := func() {
			done := guarded(ctx, func() bool {
				resolve(exec, ctx, &roots[i], &fields[i], write)
				return true
			})
			if !done {
				roots[i].value, roots[i].there = graphql.Null, false
			}
		}
		if i < len(fields)-1 && !p.commands {
			all.Go(one)
		} else {
			one()
		}
	}
	all.Wait()
	return p.assemble(roots)
}

// root is a field of the query.
type root struct {
	by    *Writer
	value graphql.Marshaler // what by has, or what has become of it
	there bool
}

// resolve writes a field of the query through what intercepts root fields.
func resolve[E any](exec E, ctx context.Context, r *root, f *Field, write Write[E, struct{}]) {
	r.by.limit, _ = ctx.Value(limitKey{}).(*Limit)
	if !r.by.plan.commands {
		r.by.enter()
	}
	defer r.by.leave()
	next := func(ctx context.Context) graphql.Marshaler {
		r.there = guarded(ctx, func() bool {
			defer r.by.charge()
			return write(exec, ctx, r.by, f, nil)
		})
		if !r.there || string(r.by.Bytes) == "null" {
			return graphql.Null
		}
		return r.by
	}
	if f.Name == "__typename" {
		r.value = next(ctx)
		return
	}
	ctx = graphql.WithRootFieldContext(ctx, &graphql.RootFieldContext{Object: f.Name, Field: f.CollectedField})
	r.value = graphql.GetOperationContext(ctx).RootResolverMiddleware(ctx, next)
}

// assemble makes the answer of its fields, one after the other.
func (p *Plan) assemble(roots []root) []byte {
	size := len("null{}")
	for i, r := range roots {
		size += len(p.query.fields[i].key) + len(r.by.Bytes)
	}
	answer, ok := Writer{Bytes: make([]byte, 0, size)}, true
	answer.Bytes = append(answer.Bytes, '{')
	for i, r := range roots {
		f := &p.query.fields[i]
		answer.Bytes = append(answer.Bytes, f.key...)
		r.value.MarshalGQL(&answer)
		ok = ok && (r.there || !f.nonNull)
		p.release(r.by)
	}
	answer.Bytes = append(answer.Bytes, '}')
	if !ok {
		return []byte("null")
	}
	return answer.Bytes
}

// Object writes an object. It is false where a field that can't be null has no value. All
// fields are written nevertheless, for their errors.
func Object[E, T any](exec E, ctx context.Context, w *Writer, s *Selection, object *T, write Write[E, T]) bool {
	apart := separate(exec, ctx, w, s, object, write)
	defer w.free(apart)
	w.growFor(apart)
	start, ok, moved := len(w.Bytes), true, 0
	w.Bytes = append(w.Bytes, '{')
	for i := range s.fields {
		if !w.mayGrow() {
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
		w.growFor(apart)
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
		w.append(p.by.Bytes[p.from:p.to])
		w.paid += p.to - p.from // its own writer has charged them
	}
	return p.there
}

// growFor has room for parts that are to be moved, so that their bytes are copied once.
func (w *Writer) growFor(parts []part) {
	size := 0
	for _, p := range parts {
		size += p.to - p.from
	}
	if size > maxIdle {
		w.grow(size + size/64)
	}
}

// separate writes those fields of an object that run beside each other.
func separate[E, T any](exec E, ctx context.Context, w *Writer, s *Selection, object *T, write Write[E, T]) []part {
	if len(s.apart) == 0 {
		return nil
	}
	w.leave()
	parts, last := make([]part, len(s.apart)), len(s.apart)-1
	wait := func() {}
	if last > 0 {
		wait = start(exec, ctx, w, s, object, write, parts[:last])
	}
	parts[last] = one(exec, ctx, w.aside(), &s.fields[s.apart[last]], object, write)
	parts[last].first = true
	wait()
	w.enter()
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
	by.enter()
	from := len(by.Bytes)
	there := guarded(ctx, func() bool {
		defer by.charge()
		return write(exec, ctx, by, f, object)
	})
	by.leave()
	return part{there: there, by: by, from: from, to: len(by.Bytes)}
}

// beside writes the values of a list beside each other.
func beside[E, T any](exec E, ctx context.Context, w *Writer, f *Field, values []T, write Write[E, T]) []part {
	w.leave()
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
	for range min(len(values), w.limit.beside()) - 1 {
		all.Go(worker)
	}
	worker()
	all.Wait()
	w.enter()
	return parts
}

// guarded turns a panic into an error of the place that ctx names.
func guarded(ctx context.Context, write func() bool) (there bool) {
	defer func() {
		if cause := recover(); cause != nil {
			there = Fail(ctx, graphql.GetOperationContext(ctx).Recover(ctx, cause))
		}
	}()
	return write()
}
