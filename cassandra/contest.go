package cassandra

import (
	"context"
	"math/rand/v2"
	"time"

	"broadsheet/blog"
)

// contest paces the attempts at one conditional write that others may be faster at. Each
// attempt goes by a guard that was read before it:
//
//	read 5 ▶ attempt IF 5 ▶ refused ▶ pause ▶ read 6 ▶ attempt IF 6 ▶ applied
//	read 5 ▶ attempt IF 5 ▶ refused ▶ pause ▶ read 5 ▶ attempt IF 5 ▶ refused ▶ …
//
// In the second line nobody was faster: the row does not hold what is read of it, a null
// where a zero is read, for instance, and no attempt will ever pass. So a contest ends.
type contest struct {
	table blog.Table
	key   any
	guard any // of the last attempt that was refused; comparable
	same  int // how many in a row were refused under it
	pause time.Duration
}

// maxRefusals is how often an attempt is refused under one guard until its row counts as
// damaged. No row that is not is refused twice, for whoever refuses changes the guard.
const maxRefusals = 3

// refused waits a little after an attempt that went by a guard. Internal: no other attempt
// will do better.
func (c *contest) refused(ctx context.Context, guard any) error {
	if guard != c.guard {
		c.guard, c.same = guard, 0
	}
	if c.same++; c.same == maxRefusals {
		return errContradicts(c.table, c.key)
	}
	return c.rest(ctx)
}

// again is refused, or where the answer was lost, rest.
func (c *contest) again(ctx context.Context, guard any, lost bool) error {
	if lost {
		return c.rest(ctx)
	}
	return c.refused(ctx, guard)
}

// rest waits a little, and longer each time: where another was faster, or an answer was
// lost.
func (c *contest) rest(ctx context.Context) error {
	c.pause = min(max(2*c.pause, firstPause/10), maxGather)
	if err := wait(ctx, rand.N(c.pause)); err != nil {
		return convert(ctx, err)
	}
	return nil
}

// guard is what conditional writes of a truth go by.
type guard struct {
	version int
	stamp   int64
}

// errContradicts says that a row can't be changed by any command.
func errContradicts(table blog.Table, key any) error {
	return blog.Errorf(blog.Internal, "%s %v refuses every change though nobody else changes it: its cells contradict each other; run verify", table, key)
}
