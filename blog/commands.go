package blog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Commands is the write half of the store. Each command is atomic, durable when it returns nil, and then seen by
// every query. Each validates its input first ([Invalid], [TooLong], all faults at once: see [Each]). An actor
// without an account is [Forbidden], one whose account is suspended is [Suspended]. Beside the kinds named, each
// may return [Unavailable] and [Timeout], after which the command may have happened or not, and [Internal].
//
// Faults are told in this order: the input's own, no account, Suspended, no moderator, NotFound, not the author,
// VersionConflict, renamed too soon, Taken.
//
// A command with an IdempotencyKey that its actor used within the last 24 hours for the same input has the first
// one's outcome, a refusal included, and changes nothing; with another input it is [Invalid]. Where the object
// that the first one created is gone since, it is [NotFound], blaming the key. Invalid input uses no key up, nor
// does a suspended account.
type Commands interface {
	// CreateUser makes an account. Taken: the subject has an account (no field), the username belongs to
	// somebody, or the e-mail is proved, and somebody else has verified it (that field).
	CreateUser(ctx context.Context, c CreateUser) (User, error)

	// UpdateUser edits the actor's own account. An edit that changes nothing leaves its version. The old username
	// or e-mail is free for others once every copy is right, which Settle waits for. Taken as for CreateUser,
	// VersionConflict; Forbidden, blaming the username: it was changed within RenameInterval before.
	UpdateUser(ctx context.Context, c UpdateUser) (User, error)

	// CreatePost publishes a post. Of its group: NotFound, and Forbidden where the author is no member.
	CreatePost(ctx context.Context, c CreatePost) (Post, error)

	// UpdatePost edits a post of the actor's. An edit that changes nothing leaves its version. The post is returned
	// without its counts, of which an edit knows nothing. NotFound, Forbidden, VersionConflict.
	UpdatePost(ctx context.Context, c UpdatePost) (Post, error)

	// DeletePost deletes a post of the actor's, or as a moderator any, with its comments and likes. NotFound,
	// Forbidden.
	DeletePost(ctx context.Context, c DeletePost) error

	// CreateComment returns the comment and the post's count as of it or later. NotFound: no such post, or it has no
	// such comment to reply to (that field). Invalid: the post's comments are at a bound.
	CreateComment(ctx context.Context, c CreateComment) (Comment, Count, error)

	// UpdateComment edits a comment of the actor's. NotFound, Forbidden, VersionConflict.
	UpdateComment(ctx context.Context, c UpdateComment) (Comment, error)

	// DeleteComment deletes a comment of the actor's, or one below a post of the actor's, or as a moderator any,
	// and returns the post's count as of that or later. NotFound, Forbidden.
	DeleteComment(ctx context.Context, c DeleteComment) (Count, error)

	// LikePost makes the actor like a post, whether or not it did before, and returns the like and the post's
	// count as of it or later. NotFound: no such post. Invalid: the post holds MaxLikesOfPost.
	LikePost(ctx context.Context, c LikePost) (Reaction, Count, error)

	// UnlikePost takes a like back, if there is one, and returns the post's count as of that or later. NotFound:
	// no such post.
	UnlikePost(ctx context.Context, c UnlikePost) (Count, error)

	// BookmarkPost has the actor keep a post among its bookmarks, as LikePost likes one. Invalid: MaxBookmarksOfPost
	// users keep it.
	BookmarkPost(ctx context.Context, c BookmarkPost) (Reaction, Count, error)

	// UnbookmarkPost takes a post off those, as UnlikePost takes a like back.
	UnbookmarkPost(ctx context.Context, c UnbookmarkPost) (Count, error)

	// FollowUser makes the actor follow a user, as LikePost likes a post. Invalid: the actor's own account;
	// MaxFollowersOfUser users follow it, or the actor
	// follows MaxFollowsOfUser.
	FollowUser(ctx context.Context, c FollowUser) (Reaction, Count, error)

	// UnfollowUser takes that back, as UnlikePost takes a like back.
	UnfollowUser(ctx context.Context, c UnfollowUser) (Count, error)

	// CreateGroup makes a group. Taken, blaming the name: a group has it, or had. Invalid: the actor has MaxOwnGroups.
	CreateGroup(ctx context.Context, c CreateGroup) (Group, error)

	// UpdateGroup edits a group of the actor's. An edit that changes nothing leaves its version. NotFound, Forbidden,
	// VersionConflict.
	UpdateGroup(ctx context.Context, c UpdateGroup) (Group, error)

	// DeleteGroup deletes a group of the actor's, or as a moderator any, and with it that users are members. NotFound,
	// Forbidden.
	DeleteGroup(ctx context.Context, c DeleteGroup) error

	// JoinGroup makes the actor a member of a group, as LikePost likes a post. Invalid: the group has MaxMembersOfGroup,
	// or the actor is in MaxGroupsOfUser.
	JoinGroup(ctx context.Context, c JoinGroup) (Reaction, Count, error)

	// LeaveGroup takes that back, as UnlikePost takes a like back.
	LeaveGroup(ctx context.Context, c LeaveGroup) (Count, error)

	// SuspendUser suspends an account: each command of it that begins, on any server, after SuspendUser has
	// returned is [Suspended]; one that was under way may still succeed. An account that is suspended stays as it
	// is. Forbidden: not a moderator. NotFound. Invalid: the actor's own account.
	SuspendUser(ctx context.Context, c SuspendUser) (User, error)

	// RestoreUser ends a suspension, if there is one. Its errors are SuspendUser's.
	RestoreUser(ctx context.Context, c RestoreUser) (User, error)

	// DeleteAccount erases the actor's own account, or as an operator any. From then on no query finds it, and each
	// command of it is Forbidden, as if there was none. What it wrote is deleted after the reply, piece by piece,
	// and each piece is a change; until then lists show it with the username. Username, e-mail and subject are
	// free once all of that is gone, which Settle waits for. Forbidden: neither. Invalid: the username is not the
	// account's. NotFound, for an operator: no such account; one whose erasure is under way is gone on with.
	DeleteAccount(ctx context.Context, c DeleteAccount) error
}

// Edit is a change of one text: the zero value leaves it as it is.
type Edit struct {
	Set   bool
	Value *string // with Set: the new text; nil clears it where it may be absent
}

// SetTo returns the edit to a text.
func SetTo(s string) Edit { return Edit{Set: true, Value: &s} }

// Clear returns the edit to no text.
func Clear() Edit { return Edit{Set: true} }

// Of returns the text after the edit of one that was old.
func (e Edit) Of(old *string) *string {
	if e.Set {
		return e.Value
	}
	return old
}

// CreateUser makes an account for a subject that has none.
type CreateUser struct {
	Subject        string
	Username       string
	Email          *string
	DisplayName    *string
	Bio            *string
	IdempotencyKey *string // nil: none

	// ProvedEmail is an address that the subject has proved to be its own; empty: none. It is no input: a request
	// may come again with another token.
	ProvedEmail string `json:"-"`
}

// UpdateUser edits the actor's own account.
type UpdateUser struct {
	Actor           UserID
	Username        Edit // can't be cleared
	Email           Edit
	DisplayName     Edit
	Bio             Edit
	ExpectedVersion *int          // nil: any
	RenameInterval  time.Duration // that is to lie between two changes of the username; 0: none
	ProvedEmail     string        // an address that the actor has proved to be its own; empty: none
}

// CreatePost writes a post.
type CreatePost struct {
	Author         UserID
	Title          string
	Content        string
	Group          GroupID `json:",omitzero"` // zero: none
	IdempotencyKey *string // nil: none
}

// UpdatePost edits a post.
type UpdatePost struct {
	Actor           UserID
	Post            PostID
	Title           Edit // can't be cleared
	Content         Edit // can't be cleared
	ExpectedVersion *int // nil: any
}

// DeletePost deletes a post with its comments and likes.
type DeletePost struct {
	Actor UserID
	Role  Role
	Post  PostID
}

// Allowed returns a [Forbidden] error where one who is no member of a group publishes in it.
func (c CreatePost) Allowed(member bool) error {
	if member || c.Group.IsZero() {
		return nil
	}
	return FieldErrorf(Forbidden, "groupId", "only members can publish in a group: joinGroup makes one of you")
}

// Allowed returns nil where the actor wrote the post, or moderates. [Forbidden]: neither.
func (c DeletePost) Allowed(post PostRef) error {
	if c.Actor == post.Author || c.Role != Member {
		return nil
	}
	return Errorf(Forbidden, "only its author, moderators, and those of its group can delete a post")
}

// CreateComment comments on a post.
type CreateComment struct {
	Author         UserID
	Post           PostID
	Content        string
	IdempotencyKey *string    // nil: none
	Parent         CommentKey `json:",omitzero"` // that it replies to; zero: the post
}

// Replies reports whether the comment is a reply. [NotFound]: to one on another post.
func (c CreateComment) Replies() (bool, error) {
	if c.Parent == (CommentKey{}) {
		return false, nil
	}
	if c.Parent.Post != c.Post {
		return false, ErrNoParent()
	}
	return true, nil
}

// UpdateComment edits a comment.
type UpdateComment struct {
	Actor           UserID
	Key             CommentKey
	Content         string
	ExpectedVersion *int // nil: any
}

// DeleteComment deletes a comment.
type DeleteComment struct {
	Actor UserID
	Role  Role
	Key   CommentKey
}

// Allowed returns nil where the actor wrote the comment or its post, or moderates. [Forbidden]: none of these.
func (c DeleteComment) Allowed(comment Comment, post PostRef) error {
	if c.Actor == comment.Author.ID || c.Actor == post.Author || c.Role != Member {
		return nil
	}
	return Errorf(Forbidden, "only its author, the author of its post, moderators, and those of its group can delete a comment")
}

// LikePost likes a post.
type LikePost struct {
	Actor UserID
	Post  PostID
}

// SuspendUser suspends an account.
type SuspendUser struct {
	Actor UserID // zero: an operator
	Role  Role
	User  UserID
}

// RestoreUser ends the suspension of an account.
type RestoreUser SuspendUser

// Allowed returns nil where the actor may do this. [Forbidden]: it does not moderate. [Invalid]: the account is its
// own.
func (c SuspendUser) Allowed() error {
	switch {
	case c.Role == Member:
		return Errorf(Forbidden, "only moderators can suspend or restore an account")
	case c.Actor == c.User:
		return FieldErrorf(Invalid, "id", "this is your own account")
	}
	return nil
}

// UnlikePost takes a like back.
type UnlikePost struct {
	Actor UserID
	Post  PostID
}

// BookmarkPost keeps a post among the actor's bookmarks.
type BookmarkPost struct {
	Actor UserID
	Post  PostID
}

// UnbookmarkPost takes it off those.
type UnbookmarkPost BookmarkPost

// FollowUser makes the actor follow a user.
type FollowUser struct {
	Actor UserID
	User  UserID
}

// UnfollowUser takes that back.
type UnfollowUser FollowUser

// CreateGroup makes a group.
type CreateGroup struct {
	Owner          UserID
	Name           string
	Title          string
	Description    *string
	IdempotencyKey *string // nil: none
}

// UpdateGroup edits a group.
type UpdateGroup struct {
	Actor           UserID
	Group           GroupID
	Title           Edit // can't be cleared
	Description     Edit
	Moderators      Edit // by [SetModerators]
	ExpectedVersion *int // nil: any
}

// DeleteGroup deletes a group.
type DeleteGroup struct {
	Actor UserID
	Role  Role
	Group GroupID
}

// Allowed returns nil where the actor owns the group, or moderates. [Forbidden]: neither.
func (c DeleteGroup) Allowed(g Group) error {
	if c.Actor == g.Owner || c.Role != Member {
		return nil
	}
	return Errorf(Forbidden, "only its owner and moderators can delete a group")
}

// SetModerators returns the edit to some users, each once; to none: nobody but the owner moderates.
func SetModerators(users []UserID) Edit {
	var ids []string
	for _, user := range users {
		if !slices.Contains(ids, user.String()) {
			ids = append(ids, user.String())
		}
	}
	if ids == nil {
		return Clear()
	}
	return SetTo(strings.Join(ids, " "))
}

func checkModerators(e Edit) error {
	if n := len(strings.Fields(deref(e.Value))); n > MaxModeratorsOfGroup {
		return FieldErrorf(Invalid, "moderatorIds", "%d users are too many: a group has at most %d moderators", n, MaxModeratorsOfGroup)
	}
	return nil
}

// ModeratorIDs returns who moderates the group beside its owner.
func (g Group) ModeratorIDs() (users []UserID) {
	for _, text := range strings.Fields(deref(g.Moderators)) {
		if id, err := ParseUUID(text); err == nil {
			users = append(users, UserID{id})
		}
	}
	return users
}

// UnlessModerated returns nil in place of a refusal where the actor owns or moderates the group of a post, which read reads.
func UnlessModerated(refused error, actor UserID, post PostRef, read func(GroupID) (Group, error)) error {
	if refused == nil || post.Group.IsZero() {
		return refused
	}
	g, err := read(post.Group)
	switch {
	case err != nil && !IsNotFound(err):
		return err
	case err == nil && (g.Owner == actor || slices.Contains(g.ModeratorIDs(), actor)):
		return nil
	}
	return refused
}

// JoinGroup makes the actor a member of a group.
type JoinGroup struct {
	Actor UserID
	Group GroupID
}

// LeaveGroup takes that back.
type LeaveGroup JoinGroup

// Validate returns all that is wrong with a command's own input, here and below.
func (c FollowUser) Validate() error {
	if c.User == c.Actor {
		return FieldErrorf(Invalid, "userId", "this is your own account")
	}
	return nil
}

func (c CreateUser) Validate() error {
	return errors.Join(
		checkAccountSubject(c.Subject),
		checkUsername(&c.Username),
		checkEmail(c.Email),
		checkText("displayName", c.DisplayName, MaxDisplayName),
		checkText("bio", c.Bio, MaxBio),
		checkText("idempotencyKey", c.IdempotencyKey, MaxIdempotencyKey),
	)
}

func (c UpdateUser) Validate() error {
	return errors.Join(
		checkKept("username", c.Username), checkUsername(c.Username.Value),
		checkEmail(c.Email.Value),
		checkText("displayName", c.DisplayName.Value, MaxDisplayName),
		checkText("bio", c.Bio.Value, MaxBio),
	)
}

func (c CreatePost) Validate() error {
	return errors.Join(
		checkText("title", &c.Title, MaxTitle),
		checkContent(&c.Content),
		checkText("idempotencyKey", c.IdempotencyKey, MaxIdempotencyKey),
	)
}

func (c UpdatePost) Validate() error {
	return errors.Join(
		checkKept("title", c.Title), checkText("title", c.Title.Value, MaxTitle),
		checkKept("content", c.Content), checkContent(c.Content.Value),
	)
}

func (c CreateComment) Validate() error {
	return errors.Join(checkText("content", &c.Content, MaxComment), checkText("idempotencyKey", c.IdempotencyKey, MaxIdempotencyKey))
}

func (c CreateGroup) Validate() error {
	return errors.Join(
		checkWord("name", &c.Name),
		checkText("title", &c.Title, MaxTitle),
		checkText("description", c.Description, MaxBio),
		checkText("idempotencyKey", c.IdempotencyKey, MaxIdempotencyKey),
	)
}

func (c UpdateGroup) Validate() error {
	return errors.Join(
		checkKept("title", c.Title), checkText("title", c.Title.Value, MaxTitle),
		checkText("description", c.Description.Value, MaxBio),
		checkModerators(c.Moderators),
	)
}

func (c UpdateComment) Validate() error { return checkText("content", &c.Content, MaxComment) }

// checkKept refuses an edit that would clear what can't be absent.
func checkKept(field string, e Edit) error {
	if e.Set && e.Value == nil {
		return FieldErrorf(Invalid, field, "can't be null; leave it out to keep it as it is")
	}
	return nil
}

// IdempotencyScope names whose key it is, and of which mutation: two of them with the same key are independent.
type IdempotencyScope struct {
	Owner    string // the subject for CreateUser, else the user's id
	Mutation string
	Key      string
}

// InputHash tells two inputs under one idempotency key apart.
type InputHash [sha256.Size]byte

// Idempotency returns the scope of a command's key, the hash of its input, and false where it has no key.
func (c CreateUser) Idempotency() (IdempotencyScope, InputHash, bool) {
	return idempotency(c.Subject, "createUser", c.IdempotencyKey, c)
}

func (c CreatePost) Idempotency() (IdempotencyScope, InputHash, bool) {
	return idempotency(c.Author.String(), "createPost", c.IdempotencyKey, c)
}

func (c CreateComment) Idempotency() (IdempotencyScope, InputHash, bool) {
	return idempotency(c.Author.String(), "createComment", c.IdempotencyKey, c)
}

func (c CreateGroup) Idempotency() (IdempotencyScope, InputHash, bool) {
	return idempotency(c.Owner.String(), "createGroup", c.IdempotencyKey, c)
}

func idempotency(owner, mutation string, key *string, command any) (IdempotencyScope, InputHash, bool) {
	return IdempotencyScope{owner, mutation, deref(key)}, hashInput(command), key != nil
}

// hashInput hashes a command as JSON. A hash is kept for a day and compared with that of a later release: a field
// that a command gets has the tag `json:",omitzero"`, so that it is no part of the hash of inputs without it.
func hashInput(command any) InputHash {
	text, err := json.Marshal(command)
	if err != nil {
		panic(fmt.Sprintf("blog: a command can't be written as JSON: %v", err))
	}
	return sha256.Sum256(text)
}

// The decisions and answers that are the same in every store.

const noAccount = "this subject has no account: call createUser first"

// ErrNoAccount is the answer to an actor without an account.
func ErrNoAccount() error { return &Error{Kind: Forbidden, Message: noAccount} }

// IsNoAccount reports whether err is [ErrNoAccount].
func IsNoAccount(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == Forbidden && e.Message == noAccount
}

// ErrSuspended is the answer to an actor whose account is suspended.
func ErrSuspended() error {
	return Errorf(Suspended, "this account is suspended: it can read, but not write")
}

// ErrNotAuthor is the answer to an edit of what somebody else wrote.
func ErrNotAuthor(what string) error {
	return Errorf(Forbidden, "only its author can change a %s", what)
}

// ErrNoPost is the answer to a post that does not exist, blaming the field that named it.
func ErrNoPost(field string) error { return FieldErrorf(NotFound, field, "there is no such post") }

// Field is what names one in a command's input.
func (s *Subject) Field() string { return s.Noun + "Id" }

// ErrAbsent is the answer to one that does not exist.
func (s *Subject) ErrAbsent() error {
	return FieldErrorf(NotFound, s.Field(), "there is no such %s", s.Noun)
}

// MayOwnMore returns an [Invalid] error where a user has as many groups as one can.
func MayOwnMore(groups []Group) error {
	if len(groups) >= MaxOwnGroups {
		return Errorf(Invalid, "you have made %d groups, the most that a user can: delete one", len(groups))
	}
	return nil
}

// NewestGroups sorts groups by when they were made.
func NewestGroups(groups []Group) {
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), b.ID.Compare(a.ID.UUID)) })
}

// ErrNoGroup is the answer to a group that does not exist.
func ErrNoGroup() error { return FieldErrorf(NotFound, "id", "there is no such group") }

// ErrNoComment is the answer to a comment that does not exist.
func ErrNoComment() error { return FieldErrorf(NotFound, "id", "there is no such comment") }

// ErrNoParent is the answer to a reply to a comment that its post does not have.
func ErrNoParent() error {
	return FieldErrorf(NotFound, "parentId", "there is no such comment on this post")
}

// ErrNoUser is the answer to a user that does not exist.
func ErrNoUser() error { return Errorf(NotFound, "there is no such user") }

// ErrTaken is the answer to a unique text that belongs to somebody else. Of an address only those hear it that have
// proved it.
func ErrTaken(field string) error { return FieldErrorf(Taken, field, "is taken; choose another") }

// errRenamedLately is the answer to a rename before the time from which one may be.
func errRenamedLately(from time.Time) error {
	whole := from.Add(time.Second - 1).Truncate(time.Second)
	return FieldErrorf(Forbidden, "username", "was changed lately: it can be changed again from %s on", whole.UTC().Format(time.RFC3339))
}

// ErrSubjectTaken is the answer to a second account for one subject.
func ErrSubjectTaken() error { return Errorf(Taken, "this subject already has an account") }

// ErrKeyReused is the answer to an idempotency key that came with another input.
func ErrKeyReused() error {
	return FieldErrorf(Invalid, "idempotencyKey", "was used with another input; take a new key for a new request")
}

// ErrGoneSince is the answer to a repeated command whose result was deleted since.
func ErrGoneSince(what string) error {
	return FieldErrorf(NotFound, "idempotencyKey", "the %s that this key created was deleted since", what)
}

// Repeated is the answer to the command once more under its key, from the account that it made or the error of
// looking for that. NotFound: it is gone, or another subject's now.
func (c CreateUser) Repeated(u User, err error) (User, error) {
	switch {
	case IsNotFound(err):
		return User{}, ErrGoneSince("account")
	case err == nil && u.Subject != c.Subject:
		return User{}, FieldErrorf(NotFound, "idempotencyKey", "the account that this key created is another subject's since")
	}
	return u, err
}

// ErrFull is the answer to a row above the bound of a partition.
func ErrFull(parent *Subject, field, what string, limit int) error {
	return FieldErrorf(Invalid, field, "the %[1]s holds %[2]d %[3]s, the most that a %[1]s can have", parent.Noun, limit, what)
}

// ErrCommentsFull is [ErrFull] where a post would have so many comments, or bytes of them, else nil.
func ErrCommentsFull(field string, rows, bytes int) error {
	switch {
	case rows > MaxCommentsOfPost:
		return ErrFull(AboutPost, field, "comments, deleted ones included", MaxCommentsOfPost)
	case bytes > MaxCommentBytesOfPost:
		return ErrFull(AboutPost, field, "bytes of comments", MaxCommentBytesOfPost)
	}
	return nil
}

// CheckVersion returns [VersionConflict] where another version was expected.
func CheckVersion(expected *int, actual int) error {
	if expected == nil || *expected == actual {
		return nil
	}
	return FieldErrorf(VersionConflict, "expectedVersion", "it was edited meanwhile and has version %d: fetch it and decide again", actual)
}
