package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/memory"
	"broadsheet/internal/slots"
	"broadsheet/internal/through"
)

// muchWork is from how many partitions on an operation is large before it has read anything. What reads for
// it, this process or a database, does that one after the other, and small operations stand in between: where it is this
// process, the operation is made in turns from its beginning; else its client has few reads at a time.
const muchWork = 50

// large reports whether the operation may read so much.
func (a *Asker) large() bool { return a.Cost >= muchWork }

// largeReads are those of large operations, of which each client has few at a time, for all of its operations together and
// whatever their shape. A read is what one method of the store does.
type largeReads struct{ clients *slots.Each[memory.Client] } // nil: any number

type readKey struct{}

// begin waits until the operation of ctx may read, as long as ctx lasts. What is read under the context that it returns
// does not wait again; end is called when that was done.
func (r largeReads) begin(ctx context.Context) (reading context.Context, end func()) {
	asker, ok := ctx.Value(askerKey).(*Asker) // not a copy: what a mutation is answered with may be noted meanwhile
	if r.clients == nil || !ok || !asker.large() || ctx.Value(readKey{}) != nil {
		return ctx, func() {}
	}
	return context.WithValue(ctx, readKey{}, true), r.clients.Enter(asker.Client, ctx.Done())
}

// queries returns a store whose queries wait until they may begin.
func (r largeReads) queries(store blog.Store) blog.Store {
	if r.clients == nil {
		return store
	}
	return through.Queries(store, func(ctx context.Context, _ string, query func(context.Context) error) error {
		reading, end := r.begin(ctx)
		defer end()
		return query(reading)
	})
}
