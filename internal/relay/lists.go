package relay

import "broadsheet/blog"

// PostsByAuthor is a list of rows of posts_by_author.
func PostsByAuthor(author blog.UserID, order blog.Order) List[blog.PostID] {
	return listOf[blog.PostID](blog.PostsByAuthor, order, author.UUID[:])
}

// CommentsByPost is a list of rows of comments_by_post.
func CommentsByPost(post blog.PostID, order blog.Order) List[blog.CommentID] {
	return listOf[blog.CommentID](blog.CommentsByPost, order, post.UUID[:])
}

// CommentsByAuthor is a list of rows of comments_by_author.
func CommentsByAuthor(author blog.UserID, order blog.Order) List[blog.CommentID] {
	return listOf[blog.CommentID](blog.CommentsByAuthor, order, author.UUID[:])
}

// CommentsByPostAndAuthor is a list of rows of comments_by_post_and_author.
func CommentsByPostAndAuthor(post blog.PostID, author blog.UserID, order blog.Order) List[blog.CommentID] {
	return listOf[blog.CommentID](blog.CommentsByPostAndAuthor, order, post.UUID[:], author.UUID[:])
}

// LikesByPost is a list of rows of likes_by_post.
func LikesByPost(post blog.PostID, order blog.Order) List[blog.ReactionPosition] {
	return listOf[blog.ReactionPosition](blog.LikesByPost, order, post.UUID[:])
}

// BookmarksByUser is a list of rows of bookmarks_by_user_and_time.
func BookmarksByUser(user blog.UserID, order blog.Order) List[blog.ReactionPosition] {
	return listOf[blog.ReactionPosition](blog.BookmarksByUserAndTime, order, user.UUID[:])
}

// FollowersByUser is a list of rows of followers_by_user.
func FollowersByUser(user blog.UserID, order blog.Order) List[blog.ReactionPosition] {
	return listOf[blog.ReactionPosition](blog.FollowersByUser, order, user.UUID[:])
}

// FollowsByUser is a list of rows of follows_by_user_and_time.
func FollowsByUser(user blog.UserID, order blog.Order) List[blog.ReactionPosition] {
	return listOf[blog.ReactionPosition](blog.FollowsByUserAndTime, order, user.UUID[:])
}

// LikesByUser is a list of rows of likes_by_user_and_time.
func LikesByUser(user blog.UserID, order blog.Order) List[blog.ReactionPosition] {
	return listOf[blog.ReactionPosition](blog.LikesByUserAndTime, order, user.UUID[:])
}

// Feed is a list of rows of feed_by_bucket.
func Feed(order blog.Order) List[blog.PostID] {
	return listOf[blog.PostID](blog.FeedByBucket, order)
}
