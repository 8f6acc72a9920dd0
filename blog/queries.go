package blog

import "context"

// Queries is the read half of the store, the whole product on one screen. Each reads one partition of its own table,
// whatever the size of the data; a page with no rows costs one read more, to tell it from a parent that does not
// exist.
//
// A caller that was told that a command succeeded sees its effect in every query that starts afterwards. Each method
// may return [Unavailable], [Timeout] and [Internal] beside the kinds that it names. Absent is [NotFound], never a
// zero value.
type Queries interface {
	// Q1: a user by each of the keys. Names and addresses are found whatever their case. NotFound.
	UserByID(ctx context.Context, id UserID) (User, error)
	UserByUsername(ctx context.Context, username string) (User, error)
	UserByEmail(ctx context.Context, email string) (User, error)
	UserBySubject(ctx context.Context, subject string) (User, error)

	// Q2: a post with its content, its author's username and its counts. NotFound.
	PostByID(ctx context.Context, id PostID) (Post, error)

	// Q3: a user's posts, without content. NotFound: no such user.
	PostsByAuthor(ctx context.Context, author UserID, page PageRequest[PostID]) (Page[Post], error)

	// PostsByGroup returns a group's posts, without content. NotFound: no such group.
	PostsByGroup(ctx context.Context, group GroupID, page PageRequest[PostID]) (Page[Post], error)

	// Q4: a post's comments. NotFound: no such post.
	CommentsByPost(ctx context.Context, query CommentsQuery) (CommentPage, error)

	// CommentsByPostAndAuthor returns those of one user. NotFound: no such post.
	CommentsByPostAndAuthor(ctx context.Context, author UserID, query CommentsQuery) (Page[Comment], error)

	// CommentsByThread returns a post's conversations. It reads once more where a page ends below comments that are gone.
	// NotFound: no such post.
	CommentsByThread(ctx context.Context, query ThreadQuery) (Page[ThreadEntry], error)

	// Q5: a post's likes. NotFound: no such post.
	LikesByPost(ctx context.Context, post PostID, page PageRequest[ReactionPosition]) (ReactionPage, error)

	// Q6: all posts, without content. It reads one partition for each time bucket and shard that the page spans.
	Feed(ctx context.Context, page PageRequest[PostID]) (Page[Post], error)

	// CommentByKey returns one comment. NotFound.
	CommentByKey(ctx context.Context, key CommentKey) (Comment, error)

	// CommentsByAuthor returns a user's comments on all posts. NotFound: no such user.
	CommentsByAuthor(ctx context.Context, author UserID, page PageRequest[CommentID]) (Page[Comment], error)

	// LikedPosts returns the likes that a user gave to some of at most [MaxPage] posts, by one read; others are
	// left out. The user's name may be absent.
	LikedPosts(ctx context.Context, user UserID, posts []UUID) (map[UUID]Reaction, error)

	// LikesByUser returns a user's likes of all posts, without the user's name. NotFound: no such user.
	LikesByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error)

	// BookmarkedPosts returns which of at most [MaxPage] posts a user keeps, as LikedPosts does.
	BookmarkedPosts(ctx context.Context, user UserID, posts []UUID) (map[UUID]Reaction, error)

	// BookmarksByUser returns a user's bookmarks, without the user's name. NotFound: no such user.
	BookmarksByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error)

	// FollowersByUser returns who follows a user. NotFound: no such user.
	FollowersByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (ReactionPage, error)

	// FollowedUsers returns which of at most [MaxPage] users a user follows, as LikedPosts does.
	FollowedUsers(ctx context.Context, user UserID, users []UUID) (map[UUID]Reaction, error)

	// FollowCount returns how many users a user follows, none where there is no such user.
	FollowCount(ctx context.Context, user UserID) (int, error)

	// FollowsByUser returns whom a user follows, without that user's name. NotFound: no such user.
	FollowsByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error)

	// GroupByID returns a group, without its count. NotFound.
	GroupByID(ctx context.Context, id GroupID) (Group, error)

	// GroupsByOwner returns the groups that a user made, the newest first; none where there is no such user.
	GroupsByOwner(ctx context.Context, owner UserID) ([]Group, error)

	// MembersByGroup returns a group's members, by their ids: that of the newest account first. It reads [MemberShards]
	// partitions. NotFound: no such group.
	MembersByGroup(ctx context.Context, group GroupID, page PageRequest[UserID]) (Page[Reaction], error)

	// NewestMembersByGroup returns a group's members, by when they joined. NotFound: no such group.
	NewestMembersByGroup(ctx context.Context, group GroupID, page PageRequest[ReactionPosition]) (ReactionPage, error)

	// JoinedGroups returns which of at most [MaxPage] groups a user has joined, as LikedPosts does.
	JoinedGroups(ctx context.Context, user UserID, groups []UUID) (map[UUID]Reaction, error)

	// GroupsByUser returns which groups a user has joined, without the user's name. NotFound: no such user.
	GroupsByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error)

	// HomeByUser returns the posts of those whom a user follows, or has followed, by their ids: some may be gone. A post
	// is there a while after the command that wrote it has returned, and so are those of one who is followed. NotFound:
	// no such user.
	HomeByUser(ctx context.Context, user UserID, page PageRequest[PostID]) (Page[Homed], error)
}

// CommentsQuery asks for a page of a post's comments.
type CommentsQuery struct {
	Post PostID
	Page PageRequest[CommentID]
	Made bool // the page is to tell how many were made; a read more where it has no rows
}

// ThreadQuery asks for a page of a post's conversations: newest first, each with the replies below it, depth first, and
// oldest first among those to one comment. It has one order.
type ThreadQuery struct {
	Post  PostID
	Under Path // of this comment and what stands below it; empty: all
	Page  PageRequest[Path]
}
