package blog

import (
	"context"
	"time"
)

// ChangeKind says what a command did.
type ChangeKind string

// The kinds of changes, one for each command that had an effect: no edit that changed nothing, no like that was
// there, nothing that was refused.
const (
	UserCreated      ChangeKind = "userCreated"
	UserUpdated      ChangeKind = "userUpdated"
	PostCreated      ChangeKind = "postCreated"
	PostUpdated      ChangeKind = "postUpdated"
	PostDeleted      ChangeKind = "postDeleted" // and with it its comments and likes, which are no changes of their own
	CommentCreated   ChangeKind = "commentCreated"
	CommentUpdated   ChangeKind = "commentUpdated"
	CommentDeleted   ChangeKind = "commentDeleted"
	PostLiked        ChangeKind = "postLiked"
	PostUnliked      ChangeKind = "postUnliked"
	PostBookmarked   ChangeKind = "postBookmarked"
	PostUnbookmarked ChangeKind = "postUnbookmarked"
	UserFollowed     ChangeKind = "userFollowed"
	UserUnfollowed   ChangeKind = "userUnfollowed"
	GroupCreated     ChangeKind = "groupCreated"
	GroupUpdated     ChangeKind = "groupUpdated"
	GroupDeleted     ChangeKind = "groupDeleted" // and with it its members, who leave by no changes of their own
	GroupJoined      ChangeKind = "groupJoined"
	GroupLeft        ChangeKind = "groupLeft"
	UserSuspended    ChangeKind = "userSuspended"
	UserRestored     ChangeKind = "userRestored"
	UserErased       ChangeKind = "userErased" // its erasure has begun; the deletions of what it wrote are changes of their own

	UserEmailVerified   ChangeKind = "userEmailVerified" // by an operator
	UserEmailUnverified ChangeKind = "userEmailUnverified"
	UserRelinked        ChangeKind = "userRelinked" // by an operator: another subject acts for it
	UserPromoted        ChangeKind = "userPromoted" // by an operator: it is a moderator
	UserDemoted         ChangeKind = "userDemoted"
)

// LogID names a change log: that of one process of a server.
type LogID struct{ UUID }

// Change is what one command changed. It names that and holds nothing of it, so that it tells nothing that was
// deleted since: a follower reads it as it is now.
type Change struct {
	Log    LogID
	Number int64     // in its log: 1, 2, 3 …, without a hole
	At     time.Time // when it was written to its log, by the clock of its server; UTC, whole milliseconds

	Kind    ChangeKind
	Actor   UserID    // whose command it was; zero: an operator's
	User    UserID    // in changes of others' accounts, and in a UserErased: whose; else zero
	Post    PostID    // zero in changes of users
	Comment CommentID // zero but in changes of comments

	Followed FollowedID // zero but in those of follows
	Group    GroupID    // zero but in those of groups and their members

	// Comments, in a CommentCreated, is its number among the comments made on the post, deleted ones too: 1, 2, 3 …
	Comments int
}

// ChangeLog is one of the logs of which the change feed consists.
type ChangeLog struct {
	ID   LogID
	Seen time.Time // when its process was last known to append to it
	Last int64     // number of its newest change, or of one not long before

	Ended bool // Last is its last one for ever
}

// KeepChanges is for how long changes are kept where the program says nothing else.
const KeepChanges = 24 * time.Hour

// ErrChangesExpired says that changes after a position are kept no more.
func ErrChangesExpired() *Error {
	return Errorf(Expired, "the changes since then are kept no more: fetch what is there now, and follow the changes from there")
}

// Changes is a store's change feed. Each process appends what its commands did to a log of its own, once all that
// follows from them can be read, and before or soon after their callers are answered. What a process that died
// left half done is in the log of the one that finished it. Within a log changes are numbered; between logs there
// is the order of time, about. They are kept for [Options.KeepChanges].
type Changes interface {
	// ChangeLogs returns the logs that hold changes or may get some.
	ChangeLogs(ctx context.Context) ([]ChangeLog, error)

	// ChangesAfter returns the changes of a log that follow a number, in order and without a hole, at most limit;
	// none where the next one is not there or not read yet. [Expired]: it is kept no more, or the log, which is
	// that of a backup, has not come to the number.
	ChangesAfter(ctx context.Context, log ChangeLog, number int64, limit int) ([]Change, error)

	// LatestChange returns the number of the newest change of a log, 0 where it has none.
	LatestChange(ctx context.Context, log ChangeLog) (int64, error)

	// WatchChanges has f called with each change that this process appends from now on, in their order, as soon as
	// it can be read. f must not wait.
	WatchChanges(f func(Change)) (stop func())
}
