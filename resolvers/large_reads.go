package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/decorate"
)

// muchWork is from how many partitions on an operation is large before it has read anything. Where this process reads
// for it, it is made in turns from its beginning; else its client has few reads at a time. So small operations stand in
// between.
const muchWork = 50

// large reports whether the operation may read so much.
func (a *Asker) large() bool { return a.Cost >= muchWork }

type readKey struct{}

// beginRead waits until the operation of ctx may read, as long as ctx lasts. The large ones of a client have few reads
// at a time together, where the store's reads are waited for. A read is what one method of the store does: what is read
// under the returned context does not wait again. end is called when that was done.
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
