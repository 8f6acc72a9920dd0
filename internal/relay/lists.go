package relay

import "broadsheet/blog"

// The lists that one id names, of rows of the tables.
var (
	PostsByAuthor    = by[blog.UserID, blog.PostID](blog.PostsByAuthor)
	PostsByGroup     = by[blog.GroupID, blog.PostID](blog.PostsByGroup)
	CommentsByPost   = by[blog.PostID, blog.CommentID](blog.CommentsByPost)
	CommentsByAuthor = by[blog.UserID, blog.CommentID](blog.CommentsByAuthor)
	LikesByPost      = by[blog.PostID, blog.ReactionPosition](blog.LikesByPost)
	LikesByUser      = by[blog.UserID, blog.ReactionPosition](blog.LikesByUserAndTime)
	BookmarksByUser  = by[blog.UserID, blog.ReactionPosition](blog.BookmarksByUserAndTime)
	FollowersByUser  = by[blog.UserID, blog.ReactionPosition](blog.FollowersByUser)
	FollowsByUser    = by[blog.UserID, blog.ReactionPosition](blog.FollowsByUserAndTime)
	MembersByGroup   = by[blog.GroupID, blog.UserID](blog.MembersByGroup)
	NewestMembers    = by[blog.GroupID, blog.ReactionPosition](blog.NewestMembersByGroup)
	GroupsByUser     = by[blog.UserID, blog.ReactionPosition](blog.GroupsByUserAndTime)
	HomeByUser       = by[blog.UserID, blog.PostID](blog.HomeByUser)
)

func by[ID ~struct{ blog.UUID }, P Position](table blog.Table) func(of ID, order blog.Order) List[P] {
	return func(of ID, order blog.Order) List[P] {
		id := struct{ blog.UUID }(of).UUID
		return listOf[P](table, order, id[:])
	}
}

// CommentsByPostAndAuthor is a list of rows of comments_by_post_and_author.
func CommentsByPostAndAuthor(post blog.PostID, author blog.UserID, order blog.Order) List[blog.CommentID] {
	return listOf[blog.CommentID](blog.CommentsByPostAndAuthor, order, post.UUID[:], author.UUID[:])
}

// Threads is a list of rows of comments_by_thread. Its kind of cursors is that of the first order: it has but one.
func Threads(post blog.PostID) List[blog.Path] {
	return listOf[blog.Path](blog.CommentsByThread, blog.NewestFirst, post.UUID[:])
}

// Thread is a part of that: a comment and what stands below it.
func Thread(key blog.CommentKey) List[blog.Path] {
	return listOf[blog.Path](blog.CommentsByThread, blog.OldestFirst, key.Post.UUID[:], key.Comment.UUID[:])
}

// Feed is a list of rows of feed_by_bucket.
func Feed(order blog.Order) List[blog.PostID] {
	return listOf[blog.PostID](blog.FeedByBucket, order)
}
