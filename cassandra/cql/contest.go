package cql

import (
	"context"
	"math/rand/v2"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// Contest paces the attempts at one conditional write while other writers may be faster.
// Each attempt goes by a guard that was read before it:
//
//	read 5 ▶ attempt IF 5 ▶ refused ▶ pause ▶ read 6 ▶ attempt IF 6 ▶ applied
//	read 5 ▶ attempt IF 5 ▶ refused ▶ pause ▶ read 5 ▶ attempt IF 5 ▶ refused ▶ …
//
// In the second line no other writer was faster: the row does not hold what is read of it, a
// null where a zero is read, for instance, and no attempt will ever pass. So a contest ends.
type Contest struct {
	Table blog.Table
	Key   any

	guard any // of the last attempt that was refused; comparable
	same  int // how many in a row were refused under it
	pause time.Duration
}

// MaxRefusals is how often an attempt is refused under one guard until its row counts as
// damaged. A sound row refuses once at most: what refused the attempt has changed the guard.
const MaxRefusals = 3

const (
	firstContest = time.Millisecond
	lastContest  = 50 * time.Millisecond
)

// Refused waits a little after an attempt that went by a guard. Internal: no other attempt will do better.
func (c *Contest) Refused(ctx context.Context, guard any) error {
	if guard != c.guard {
		c.guard, c.same = guard, 0
	}
	if c.same++; c.same == MaxRefusals {
		return ErrContradicts(c.Table, c.Key)
	}
	return c.Pause(ctx)
}

// Again is Refused, or where the answer was lost, Pause.
func (c *Contest) Again(ctx context.Context, guard any, lost bool) error {
	if lost {
		return c.Pause(ctx)
	}
	return c.Refused(ctx, guard)
}

// Pause waits a little, and longer each time: another was faster, or an answer was lost.
func (c *Contest) Pause(ctx context.Context) error {
	c.pause = min(max(2*c.pause, firstContest), lastContest)
	if err := pace.Wait(ctx, rand.N(c.pause)); err != nil {
		return Convert(ctx, err)
	}
	return nil
}

// Attempt reads a guard and then writes by it. It is done, or returns the guard under which
// it was refused; where it returns none, it only has to wait.
type Attempt func() (done bool, guard any, err error)

// Until repeats an attempt until it is done or fails. Internal: the row refuses every attempt.
func Until(ctx context.Context, table blog.Table, key any, attempt Attempt) error {
	c := Contest{Table: table, Key: key}
	for {
		done, guard, err := attempt()
		if err != nil || done {
			return err
		}
		if err := c.Again(ctx, guard, guard == nil); err != nil {
			return err
		}
	}
}

// Patiently makes of an attempt one that waits where the cluster does not answer. What became
// of a write whose answer was lost shows in the next reading.
func Patiently(attempt Attempt) Attempt {
	return func() (done bool, guard any, err error) {
		done, guard, err = attempt()
		if err != nil && blog.KindOf(err) == blog.Unavailable {
			return false, nil, nil
		}
		return done, guard, err
	}
}

// ErrContradicts says that a row can't be changed by any command.
func ErrContradicts(table blog.Table, key any) error {
	return blog.Errorf(blog.Internal, "%s %v refuses every change though nobody else changes it: its cells contradict each other; run verify", table, key)
}
