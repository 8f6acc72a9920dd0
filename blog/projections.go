package blog

import "time"

// Copy is a write that follows from a truth: the cells of one [Group] of one row,
// or that row's deletion. Applying copies in any order, any number of times, gives
// the same table, for of two writes of a cell the higher stamp wins.
//
// Key and Values stand in the order of the group's Key and Columns. Their Go types
// are UserID, PostID, CommentID, string, *string, int, bool and time.Time.
type Copy struct {
	Group  *Group
	Key    []any
	Values []any // nil: the row is deleted, or dead, as of Stamp
	Stamp  int64 // µs
}

// Deletes reports whether the copy is a row's deletion; what becomes of the row,
// [Group.LeavesDead] says.
func (c Copy) Deletes() bool { return c.Values == nil }

// GoneForEver is how far ahead of every clock the deletion of a row whose key
// never comes back is stamped, so that no late write outlives it: 2^36 µs, 19 hours.
const GoneForEver = 1 << 36

// DeletionStamp returns the stamp of such a deletion, made now.
func DeletionStamp(clock Clock, known ...int64) int64 {
	latest := clock.Now().UnixMicro()
	for _, stamp := range known {
		latest = max(latest, stamp)
	}
	return latest + GoneForEver
}

// UserCopies returns the rows that hold a whole user: one for each unique key.
func UserCopies(u User) []Copy {
	card := []any{u.Username, u.Subject, u.Email, u.DisplayName, u.Bio, u.Version}
	copies := []Copy{
		{UsernameCard, []any{UsernameKey(u.Username), u.ID}, card, u.Stamp},
		{SubjectCard, []any{u.Subject, u.ID}, card, u.Stamp},
	}
	if u.Email != nil {
		copies = append(copies, Copy{EmailCard, []any{EmailKey(*u.Email), u.ID}, card, u.Stamp})
	}
	return copies
}

// FormerNames are what is to be known of a user as it was before an edit, or as the edit
// was to make it, to say what follows from the edit.
type FormerNames struct {
	Username    string // as it was shown; empty where its key alone is known
	UsernameKey string
	EmailKey    string // empty: it had no address
}

// FormerNames returns what is to be kept of u.
func (u User) FormerNames() FormerNames {
	f := FormerNames{Username: u.Username, UsernameKey: UsernameKey(u.Username)}
	if u.Email != nil {
		f.EmailKey = EmailKey(*u.Email)
	}
	return f
}

// UserEditCopies returns what follows from an edit of a user, for whoever made it and for
// whoever finishes it: the user's rows as it is now, and the deletions of those that any
// of its former states had. renamed tells that the name beside posts, comments and likes
// may be another than now's, and has to be written to each: so it is where a former name
// was shown otherwise, if only in another case, or is not known.
func UserEditCopies(former []FormerNames, now User) (copies []Copy, renamed bool) {
	copies = UserCopies(now)
	for _, old := range former {
		copies = append(copies, RetiredUserCopies(old, now)...)
		renamed = renamed || old.Username != now.Username
	}
	if renamed {
		copies = append(copies, AuthorNameCopies(now.Name())...)
	}
	return copies, renamed
}

// RetiredUserCopies returns the deletions of the rows that old had and now has no
// more. Those keys may come back, so they go at now's own stamp.
func RetiredUserCopies(old FormerNames, now User) []Copy {
	var copies []Copy
	kept := now.FormerNames()
	if old.UsernameKey != kept.UsernameKey {
		copies = append(copies, Copy{UsernameCard, []any{old.UsernameKey, now.ID}, nil, now.Stamp})
	}
	if old.EmailKey != "" && old.EmailKey != kept.EmailKey {
		copies = append(copies, Copy{EmailCard, []any{old.EmailKey, now.ID}, nil, now.Stamp})
	}
	return copies
}

// PostCopies returns the rows that list a post, but for the username and the
// counts, which have truths of their own.
func PostCopies(p Post) []Copy {
	ref := p.Ref()
	return []Copy{
		{AuthorPost, ref.authorKey(), []any{p.Title, p.Excerpt, p.UpdatedAt, p.Version, p.Feed.Bucket, p.Feed.Shard}, p.Stamp},
		{FeedPost, ref.feedKey(), []any{p.Author.ID, p.Title, p.Excerpt, p.UpdatedAt, p.Version}, p.Stamp},
	}
}

// DeletedPostCopies returns the deletions of the rows that list a post. stamp is
// a [DeletionStamp].
func DeletedPostCopies(ref PostRef, stamp int64) []Copy {
	return []Copy{
		{AuthorPost, ref.authorKey(), nil, stamp},
		{FeedPost, ref.feedKey(), nil, stamp},
	}
}

// PostNameCopies returns the copies of a post's author's username.
func PostNameCopies(ref PostRef, author Name) []Copy {
	return []Copy{
		{PostName, []any{ref.ID}, []any{author.Username}, author.Stamp},
		{AuthorPostsName, []any{ref.Author}, []any{author.Username}, author.Stamp},
		{FeedPostName, ref.feedKey(), []any{author.Username}, author.Stamp},
	}
}

// CommentCountCopies returns the copies of a post's number of comments.
func CommentCountCopies(ref PostRef, count Count) []Copy {
	return []Copy{
		{PostCommentCount, []any{ref.ID}, []any{count.N}, count.Stamp},
		{AuthorPostCommentCount, ref.authorKey(), []any{count.N}, count.Stamp},
		{FeedPostCommentCount, ref.feedKey(), []any{count.N}, count.Stamp},
	}
}

// LikeCountCopies returns the copies of a post's number of likes.
func LikeCountCopies(ref PostRef, count Count) []Copy {
	return []Copy{
		{PostLikesHead, []any{ref.ID}, []any{count.N}, count.Stamp},
		{PostLikeCount, []any{ref.ID}, []any{count.N}, count.Stamp},
		{AuthorPostLikeCount, ref.authorKey(), []any{count.N}, count.Stamp},
		{FeedPostLikeCount, ref.feedKey(), []any{count.N}, count.Stamp},
	}
}

// CommentCopies returns the row that lists a comment among its author's. stamp is
// that of the post's comments as of the comment's last change.
func CommentCopies(c Comment, stamp int64) []Copy {
	return []Copy{{AuthorComment, []any{c.Author.ID, c.ID}, []any{c.Post, c.Content, c.UpdatedAt, c.Version}, stamp}}
}

// DeletedCommentCopies returns the deletion of that row. stamp is a [DeletionStamp].
func DeletedCommentCopies(c Comment, stamp int64) []Copy {
	return []Copy{{AuthorComment, []any{c.Author.ID, c.ID}, nil, stamp}}
}

// CommentNameCopies returns the copies of a comment's author's username.
func CommentNameCopies(key CommentKey, author Name) []Copy {
	return []Copy{
		{CommentName, []any{key.Post, key.Comment}, []any{author.Username}, author.Stamp},
		{AuthorCommentsName, []any{author.User}, []any{author.Username}, author.Stamp},
	}
}

// LikeCopies returns the rows of a like that stands (liked) or was taken back.
// stamp is that of the post's likes as of the like's last change.
func LikeCopies(key LikeKey, likedAt time.Time, liked bool, stamp int64) []Copy {
	postLike := Copy{PostLike, []any{key.Post, likedAt, key.User}, nil, stamp}
	userLike := Copy{UserLike, []any{key.User, key.Post}, nil, stamp}
	if liked {
		postLike.Values = []any{true}
		userLike.Values = []any{likedAt}
	}
	return []Copy{postLike, userLike}
}

// LikeNameCopies returns the copy of the username beside a like that stands.
func LikeNameCopies(post PostID, likedAt time.Time, user Name) []Copy {
	return []Copy{{PostLikeName, []any{post, likedAt, user.User}, []any{user.Username}, user.Stamp}}
}

func (r PostRef) authorKey() []any { return []any{r.Author, r.ID} }

func (r PostRef) feedKey() []any { return []any{r.Feed.Bucket, r.Feed.Shard, r.ID} }

// AuthorNameCopies returns the copies of a username that stand once above a whole
// list of its user's.
func AuthorNameCopies(author Name) []Copy {
	return []Copy{
		{AuthorPostsName, []any{author.User}, []any{author.Username}, author.Stamp},
		{AuthorCommentsName, []any{author.User}, []any{author.Username}, author.Stamp},
	}
}

// DeletedPostLikeCopies returns the deletion of a like among its user's, where the
// post is gone for ever. stamp is a [DeletionStamp].
func DeletedPostLikeCopies(key LikeKey, stamp int64) []Copy {
	return []Copy{{UserLike, []any{key.User, key.Post}, nil, stamp}}
}
