package blog

import (
	"context"
)

// Floor is what a store has for [Declared]: how it edits accounts of others, gives reactions of every kind and takes them
// back, and reads tables as they are declared.
type Floor interface {
	// EditAccount makes an edit if the actor may suspend the account: its errors are SuspendUser's, and decide's.
	EditAccount(ctx context.Context, as SuspendUser, change ChangeKind, decide Decide) (User, error)

	// React has an actor's reaction to a parent stand or not, and returns it with the parent's count as of it or later.
	React(ctx context.Context, of *ReactionKind, actor UserID, to UUID, stands bool) (Reaction, Count, error)

	// Users returns the accounts that a table lists under a unique key, more than one only for a moment.
	Users(ctx context.Context, by *UniqueKey, key string) ([]User, error)

	// Posts returns a page of a table that lists posts. parent is what names the list, as [Declaration.Parent] has
	// it; where the list is empty, its first value is looked for.
	Posts(ctx context.Context, list Table, page PageRequest[PostID], parent ...any) (Page[Post], error)

	// Comments is Posts of a table that lists comments.
	Comments(ctx context.Context, list Table, page PageRequest[CommentID], parent ...any) (Page[Comment], error)

	// Threads returns the rows of comments_by_thread whose paths are at least from and below to, the first ones, or from
	// the end where backward. Where there are none, the post is looked for.
	Threads(ctx context.Context, post PostID, from, to Path, backward bool, limit int) ([]Comment, error)

	// Reactions is Posts of a table that lists reactions, to a parent or a user's own: without its name, then.
	Reactions(ctx context.Context, list Table, page PageRequest[ReactionPosition], parent any) (ReactionPage, error)

	// ReactionsByUser returns a user's reactions of a kind to some parents, perhaps without the user's name.
	ReactionsByUser(ctx context.Context, of *ReactionKind, user UserID, to []UUID) (map[UUID]Reaction, error)

	// Members returns a page of one shard of a group's members.
	Members(ctx context.Context, group GroupID, shard int, page PageRequest[UserID]) (Page[Reaction], error)

	// GroupByID is a method of [Queries].
	GroupByID(ctx context.Context, id GroupID) (Group, error)

	// OwnReactions counts a user's reactions of a kind.
	OwnReactions(ctx context.Context, of *ReactionKind, user UserID) (int, error)
}

// Declared are the commands and the queries that differ from others of their kind by what they name alone.
type Declared struct{ floor Floor }

// DeclaredOn returns those of a store.
func DeclaredOn(floor Floor) Declared { return Declared{floor} }

// Decide says what an edit makes of a user, whether that is a change, and refuses it.
type Decide func(u User, clock Clock) (next User, changed bool, err error)

// LikePost is a method of [Commands], as are all but those of [Operations].
func (d Declared) LikePost(ctx context.Context, c LikePost) (Reaction, Count, error) {
	return d.floor.React(ctx, Likes, c.Actor, c.Post.UUID, true)
}

func (d Declared) BookmarkPost(ctx context.Context, c BookmarkPost) (Reaction, Count, error) {
	return d.floor.React(ctx, Bookmarks, c.Actor, c.Post.UUID, true)
}

func (d Declared) UnbookmarkPost(ctx context.Context, c UnbookmarkPost) (Count, error) {
	_, count, err := d.floor.React(ctx, Bookmarks, c.Actor, c.Post.UUID, false)
	return count, err
}

func (d Declared) FollowUser(ctx context.Context, c FollowUser) (Reaction, Count, error) {
	err := c.Validate()
	if err == nil {
		err = d.mayFollow(ctx, c)
	}
	if err != nil {
		return Reaction{}, Count{}, err
	}
	return d.floor.React(ctx, Follows, c.Actor, c.User.UUID, true)
}

// mayFollow bounds whom one user follows. Commands at once may all pass. What is no user is NotFound also there.
func (d Declared) mayFollow(ctx context.Context, c FollowUser) error {
	n, err := d.floor.OwnReactions(ctx, Follows, c.Actor)
	if err != nil || n < MaxFollowsOfUser {
		return err
	}
	standing, err := d.FollowedUsers(ctx, c.Actor, []UUID{c.User.UUID})
	if err != nil || len(standing) > 0 {
		return err
	}
	if _, err = d.FollowersByUser(ctx, c.User, FirstPage[ReactionPosition](1)); err != nil && !IsNotFound(err) {
		return err
	} else if err != nil {
		return AboutFollowed.ErrAbsent()
	}
	return FieldErrorf(Invalid, "userId", "you follow %d users, the most that a user can", n)
}

func (d Declared) JoinGroup(ctx context.Context, c JoinGroup) (Reaction, Count, error) {
	n, err := d.floor.OwnReactions(ctx, Members, c.Actor)
	if err == nil && n >= MaxGroupsOfUser {
		err = d.mayJoin(ctx, c, n)
	}
	if err != nil {
		return Reaction{}, Count{}, err
	}
	return d.floor.React(ctx, Members, c.Actor, c.Group.UUID, true)
}

// mayJoin refuses one more group. What is none is NotFound also there.
func (d Declared) mayJoin(ctx context.Context, c JoinGroup, n int) error {
	standing, err := d.JoinedGroups(ctx, c.Actor, []UUID{c.Group.UUID})
	if err != nil || len(standing) > 0 {
		return err
	}
	if _, err = d.NewestMembersByGroup(ctx, c.Group, FirstPage[ReactionPosition](1)); IsNotFound(err) {
		return AboutGroup.ErrAbsent()
	} else if err != nil {
		return err
	}
	return FieldErrorf(Invalid, "groupId", "you are in %d groups, the most that a user can be in", n)
}

func (d Declared) LeaveGroup(ctx context.Context, c LeaveGroup) (Count, error) {
	_, count, err := d.floor.React(ctx, Members, c.Actor, c.Group.UUID, false)
	return count, err
}

func (d Declared) UnfollowUser(ctx context.Context, c UnfollowUser) (Count, error) {
	if err := FollowUser(c).Validate(); err != nil {
		return Count{}, err
	}
	_, count, err := d.floor.React(ctx, Follows, c.Actor, c.User.UUID, false)
	return count, err
}

func (d Declared) UnlikePost(ctx context.Context, c UnlikePost) (Count, error) {
	_, count, err := d.floor.React(ctx, Likes, c.Actor, c.Post.UUID, false)
	return count, err
}

func (d Declared) SuspendUser(ctx context.Context, c SuspendUser) (User, error) {
	return d.suspend(ctx, c, UserSuspended, true)
}

func (d Declared) RestoreUser(ctx context.Context, c RestoreUser) (User, error) {
	return d.suspend(ctx, SuspendUser(c), UserRestored, false)
}

func (d Declared) suspend(ctx context.Context, c SuspendUser, change ChangeKind, suspended bool) (User, error) {
	return d.edit(ctx, c, change, func(u *User) error {
		u.Suspended = suspended
		return nil
	})
}

// VerifyEmail is a method of [Operations], as are those that follow.
func (d Declared) VerifyEmail(ctx context.Context, c VerifyEmail) (User, error) {
	if err := c.Validate(); err != nil {
		return User{}, err
	}
	return d.operate(ctx, c.User, either(c.Verified, UserEmailVerified, UserEmailUnverified), c.edit)
}

func (d Declared) RelinkUser(ctx context.Context, c RelinkUser) (User, error) {
	if err := c.Validate(); err != nil {
		return User{}, err
	}
	return d.operate(ctx, c.User, UserRelinked, func(u *User) error {
		u.Subject = c.Subject
		return nil
	})
}

func (d Declared) SetModerator(ctx context.Context, c SetModerator) (User, error) {
	return d.operate(ctx, c.User, either(c.Moderator, UserPromoted, UserDemoted), func(u *User) error {
		u.Moderator = c.Moderator
		return nil
	})
}

func (d Declared) operate(ctx context.Context, user UserID, change ChangeKind, edit func(*User) error) (User, error) {
	return d.edit(ctx, SuspendUser{Role: Operator, User: user}, change, edit)
}

// edit makes an edit of another's account. Where it changes something, stamp and version are raised.
func (d Declared) edit(ctx context.Context, as SuspendUser, change ChangeKind, edit func(*User) error) (User, error) {
	return d.floor.EditAccount(ctx, as, change, func(u User, clock Clock) (User, bool, error) {
		next := u
		if err := edit(&next); err != nil {
			return u, false, err
		}
		next, changed := u.become(next, clock)
		return next, changed, nil
	})
}

func either(is bool, change, other ChangeKind) ChangeKind {
	if is {
		return change
	}
	return other
}
