package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/decorate"
)

// muchWork is from how many partitions on an operation is large before it has read anything. What reads for
// it, this process or a database, does that one after the other, and small operations stand in between: where it is this
// process, the operation is made in turns from its beginning; else its client has few reads at a time.
const muchWork = 50

// large reports whether the operation may read so much.
func (a *Asker) large() bool { return a.Cost >= muchWork }

type readKey struct{}

// beginRead waits until the operation of ctx may read, as long as ctx lasts. Large ones of a client have few reads at a time, for all
// of them together and whatever their shape, where the store's reads are waited for. A read is what one method of the store
// does: what is read under the context that it returns does not wait again. end is called when that was done.
func beginRead(ctx context.Context) (reading context.Context, end func()) {
	asker := AskerOf(ctx)
	if asker.Work.Client == nil || !asker.large() || ctx.Value(readKey{}) != nil {
		return ctx, func() {}
	}
	return context.WithValue(ctx, readKey{}, true), asker.Work.Client.Reads.Enter(ctx.Done())
}

// waiting returns a store whose queries wait until they may begin.
func waiting(store blog.Store) blog.Store {
	return decorate.Through(store, func(ctx context.Context, _ string, query func(context.Context) error) error {
		reading, end := beginRead(ctx)
		defer end()
		return query(reading)
	})
}
