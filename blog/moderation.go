package blog

import "context"

// Moderation is what is done to accounts of others. Its commands are as those of [Commands]:
// atomic, durable when they return nil, and then seen by every query.
type Moderation interface {
	// SuspendUser suspends an account: from then on each command of it is
	// [Suspended]. So is each that begins, on any server, after SuspendUser has
	// returned; one that was under way may still succeed. An account that is
	// suspended stays as it is. NotFound.
	SuspendUser(ctx context.Context, c SuspendUser) (User, error)

	// RestoreUser ends a suspension. An account that is not suspended stays as it
	// is. NotFound.
	RestoreUser(ctx context.Context, c RestoreUser) (User, error)
}

// SuspendUser suspends an account.
type SuspendUser struct {
	User UserID
}

// RestoreUser ends the suspension of an account.
type RestoreUser struct {
	User UserID
}

// SetSuspended returns the user as suspended or not, and whether that is a change. Stamp and version
// are raised where it is.
func (u User) SetSuspended(suspended bool, clock Clock) (User, bool) {
	if u.Suspended == suspended {
		return u, false
	}
	u.Suspended = suspended
	u.Version++
	u.Stamp = NextStamp(clock, u.Stamp)
	return u, true
}

// ErrNoSuchUser is the answer to an account that does not exist, blaming the field that named it.
func ErrNoSuchUser() error { return FieldErrorf(NotFound, "id", "there is no such user") }
