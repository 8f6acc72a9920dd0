package blog

import "context"

// Floor is what a store has for [Declared].
type Floor interface {
	AccountEditor
	Reactor
	TableReader
}

// Declared are the commands and the queries that differ from others of their kind by what they name alone, on each
// store that has a floor for them.
type Declared struct{ floor Floor }

// DeclaredOn returns those of a store.
func DeclaredOn(floor Floor) Declared { return Declared{floor} }

// Decide says what an edit makes of a user, whether that is a change, and refuses it.
type Decide func(u User, clock Clock) (next User, changed bool, err error)

// AccountEditor edits accounts of others.
type AccountEditor interface {
	// EditAccount makes an edit, as far as the actor may suspend the account: its errors are SuspendUser's, and those
	// of decide.
	EditAccount(ctx context.Context, as SuspendUser, change ChangeKind, decide Decide) (User, error)
}

// Reactor gives reactions of every kind and takes them back.
type Reactor interface {
	// React has an actor's reaction to a post stand or not, and returns it with the post's count as of it or later.
	React(ctx context.Context, of *ReactionKind, actor UserID, post PostID, stands bool) (Reaction, Count, error)
}

// LikePost is a method of [Commands].
func (d Declared) LikePost(ctx context.Context, c LikePost) (Reaction, Count, error) {
	return d.floor.React(ctx, Likes, c.Actor, c.Post, true)
}

// UnlikePost is a method of [Commands].
func (d Declared) UnlikePost(ctx context.Context, c UnlikePost) (Count, error) {
	_, count, err := d.floor.React(ctx, Likes, c.Actor, c.Post, false)
	return count, err
}

// SuspendUser is a method of [Commands].
func (d Declared) SuspendUser(ctx context.Context, c SuspendUser) (User, error) {
	return d.floor.EditAccount(ctx, c, UserSuspended, c.After)
}

// RestoreUser is a method of [Commands].
func (d Declared) RestoreUser(ctx context.Context, c RestoreUser) (User, error) {
	return d.floor.EditAccount(ctx, SuspendUser(c), UserRestored, c.After)
}

// VerifyEmail is a method of [Operations].
func (d Declared) VerifyEmail(ctx context.Context, c VerifyEmail) (User, error) {
	if err := c.Validate(); err != nil {
		return User{}, err
	}
	return d.operate(ctx, c.User, either(c.Verified, UserEmailVerified, UserEmailUnverified), c.After)
}

// RelinkUser is a method of [Operations].
func (d Declared) RelinkUser(ctx context.Context, c RelinkUser) (User, error) {
	if err := c.Validate(); err != nil {
		return User{}, err
	}
	return d.operate(ctx, c.User, UserRelinked, c.After)
}

// SetModerator is a method of [Operations].
func (d Declared) SetModerator(ctx context.Context, c SetModerator) (User, error) {
	return d.operate(ctx, c.User, either(c.Moderator, UserPromoted, UserDemoted), c.After)
}

func (d Declared) operate(ctx context.Context, user UserID, change ChangeKind, decide Decide) (User, error) {
	return d.floor.EditAccount(ctx, SuspendUser{Role: Operator, User: user}, change, decide)
}

func either(is bool, change, other ChangeKind) ChangeKind {
	if is {
		return change
	}
	return other
}
