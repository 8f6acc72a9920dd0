package relay

import "broadsheet/blog"

// PostsByAuthor is a list of rows of posts_by_author.
func PostsByAuthor(author blog.UserID) List[blog.PostID] {
	return listOf[blog.PostID]('P', author.UUID[:])
}

// CommentsByPost is a list of rows of comments_by_post.
func CommentsByPost(post blog.PostID, order blog.Order) List[blog.CommentID] {
	return listOf[blog.CommentID](inOrder(order, 'C', 'O'), post.UUID[:])
}

// CommentsByAuthor is a list of rows of comments_by_author.
func CommentsByAuthor(author blog.UserID) List[blog.CommentID] {
	return listOf[blog.CommentID]('A', author.UUID[:])
}

// CommentsByPostAndAuthor is a list of rows of comments_by_post_and_author.
func CommentsByPostAndAuthor(post blog.PostID, author blog.UserID, order blog.Order) List[blog.CommentID] {
	return listOf[blog.CommentID](inOrder(order, 'B', 'D'), post.UUID[:], author.UUID[:])
}

// LikesByPost is a list of rows of likes_by_post.
func LikesByPost(post blog.PostID) List[blog.ReactionPosition] {
	return listOf[blog.ReactionPosition]('L', post.UUID[:])
}

// Feed is a list of rows of feed_by_bucket.
func Feed() List[blog.PostID] {
	return listOf[blog.PostID]('F')
}
