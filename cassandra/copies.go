package cassandra

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// upserts holds, for each group of cells, the statement that writes it: the write
// time, the values, the key. An update is an upsert; no statement here reads.
var upserts = map[*blog.Group]cql.Statement{
	blog.UsernameCard: cql.On(blog.UsersByUsername, `UPDATE users_by_username USING TIMESTAMP ? SET username = ?, subject = ?, email = ?, display_name = ?, bio = ?, version = ? WHERE username_key = ? AND user_id = ?`),
	blog.EmailCard:    cql.On(blog.UsersByEmail, `UPDATE users_by_email USING TIMESTAMP ? SET username = ?, subject = ?, email = ?, display_name = ?, bio = ?, version = ? WHERE email_key = ? AND user_id = ?`),
	blog.SubjectCard:  cql.On(blog.UsersBySubject, `UPDATE users_by_subject USING TIMESTAMP ? SET username = ?, subject = ?, email = ?, display_name = ?, bio = ?, version = ? WHERE subject_key = ? AND user_id = ?`),

	blog.PostName:         cql.On(blog.PostsByID, `UPDATE posts_by_id USING TIMESTAMP ? SET username = ? WHERE post_id = ?`),
	blog.PostCommentCount: cql.On(blog.PostsByID, `UPDATE posts_by_id USING TIMESTAMP ? SET comment_count = ? WHERE post_id = ?`),
	blog.PostLikeCount:    cql.On(blog.PostsByID, `UPDATE posts_by_id USING TIMESTAMP ? SET like_count = ? WHERE post_id = ?`),

	blog.AuthorPost:             cql.On(blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET title = ?, excerpt = ?, updated_at = ?, version = ?, feed_bucket = ?, feed_shard = ? WHERE author_id = ? AND bucket = 0 AND post_id = ?`),
	blog.AuthorPostCommentCount: cql.On(blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET comment_count = ? WHERE author_id = ? AND bucket = 0 AND post_id = ?`),
	blog.AuthorPostLikeCount:    cql.On(blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET like_count = ? WHERE author_id = ? AND bucket = 0 AND post_id = ?`),
	blog.AuthorPostsName:        cql.On(blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET username = ? WHERE author_id = ? AND bucket = 0`),

	blog.FeedPost:             cql.On(blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET author_id = ?, title = ?, excerpt = ?, updated_at = ?, version = ? WHERE bucket = ? AND shard = ? AND post_id = ?`),
	blog.FeedPostName:         cql.On(blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET username = ? WHERE bucket = ? AND shard = ? AND post_id = ?`),
	blog.FeedPostCommentCount: cql.On(blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET comment_count = ? WHERE bucket = ? AND shard = ? AND post_id = ?`),
	blog.FeedPostLikeCount:    cql.On(blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET like_count = ? WHERE bucket = ? AND shard = ? AND post_id = ?`),

	blog.CommentName:        cql.On(blog.CommentsByPost, `UPDATE comments_by_post USING TIMESTAMP ? SET username = ? WHERE post_id = ? AND bucket = 0 AND comment_id = ?`),
	blog.AuthorComment:      cql.On(blog.CommentsByAuthor, `UPDATE comments_by_author USING TIMESTAMP ? SET post_id = ?, content = ?, updated_at = ?, version = ? WHERE author_id = ? AND bucket = 0 AND comment_id = ?`),
	blog.AuthorCommentsName: cql.On(blog.CommentsByAuthor, `UPDATE comments_by_author USING TIMESTAMP ? SET username = ? WHERE author_id = ? AND bucket = 0`),

	blog.PostLike:      cql.On(blog.LikesByPost, `UPDATE likes_by_post USING TIMESTAMP ? SET liked = ? WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`),
	blog.PostLikeName:  cql.On(blog.LikesByPost, `UPDATE likes_by_post USING TIMESTAMP ? SET username = ? WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`),
	blog.PostLikesHead: cql.On(blog.LikesByPost, `UPDATE likes_by_post USING TIMESTAMP ? SET like_count = ? WHERE post_id = ? AND bucket = 0`),
	blog.UserLike:      cql.On(blog.LikesByUser, `UPDATE likes_by_user USING TIMESTAMP ? SET liked_at = ? WHERE user_id = ? AND bucket = 0 AND post_id = ?`),
}

// deletes holds, for each group that makes a row, the statement that deletes the
// row, or makes it a dead one: the write time, the key. An empty text is a value; a null
// would be a tombstone. The version 0 tells a dead row to whoever does not read its texts.
var deletes = map[*blog.Group]cql.Statement{
	blog.UsernameCard:  cql.On(blog.UsersByUsername, `DELETE FROM users_by_username USING TIMESTAMP ? WHERE username_key = ? AND user_id = ?`),
	blog.EmailCard:     cql.On(blog.UsersByEmail, `DELETE FROM users_by_email USING TIMESTAMP ? WHERE email_key = ? AND user_id = ?`),
	blog.SubjectCard:   cql.On(blog.UsersBySubject, `DELETE FROM users_by_subject USING TIMESTAMP ? WHERE subject_key = ? AND user_id = ?`),
	blog.AuthorPost:    cql.On(blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET title = '', excerpt = '', version = 0 WHERE author_id = ? AND bucket = 0 AND post_id = ?`),
	blog.FeedPost:      cql.On(blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET title = '', excerpt = '', username = '', version = 0 WHERE bucket = ? AND shard = ? AND post_id = ?`),
	blog.AuthorComment: cql.On(blog.CommentsByAuthor, `UPDATE comments_by_author USING TIMESTAMP ? SET content = '', version = 0 WHERE author_id = ? AND bucket = 0 AND comment_id = ?`),
	blog.PostLike:      cql.On(blog.LikesByPost, `DELETE FROM likes_by_post USING TIMESTAMP ? WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`),
	blog.UserLike:      cql.On(blog.LikesByUser, `DELETE FROM likes_by_user USING TIMESTAMP ? WHERE user_id = ? AND bucket = 0 AND post_id = ?`),
}

// partitionKeys says how many of the columns of a group's key are the partition's.
var partitionKeys = func() map[*blog.Group]int {
	keys := map[*blog.Group]int{}
	for _, g := range blog.Groups() {
		keys[g] = len(g.Table.PartitionKey())
	}
	return keys
}()

// bind returns the statement that makes a copy.
func bind(c blog.Copy) cql.Bound {
	st := upserts[c.Group]
	if c.Deletes() {
		st = deletes[c.Group]
	}
	args := make([]any, 0, 1+len(c.Values)+len(c.Key))
	args = append(args, c.Stamp)
	for _, value := range c.Values {
		args = append(args, argument(value))
	}
	where := cql.Row{Partition: partitionKeys[c.Group]}
	for i, value := range c.Key {
		where.Key[i] = argument(value)
		args = append(args, where.Key[i])
	}
	return cql.Bound{Statement: st, Args: args, Row: where, Copy: true}
}

func argument(value any) any {
	switch v := value.(type) {
	case blog.UserID:
		return cql.ID(v.UUID)
	case blog.PostID:
		return cql.ID(v.UUID)
	case blog.CommentID:
		return cql.ID(v.UUID)
	case string, *string, int, bool, time.Time:
		return v
	default:
		panic(fmt.Sprintf("cassandra: a copy holds a %T", value))
	}
}

// writeCopies writes copies in as few batches as their size allows. The order does
// not matter and a repetition is harmless, so after an error it may be called again.
func (s *Store) writeCopies(ctx context.Context, copies []blog.Copy) error {
	entries := make([]cql.Bound, len(copies))
	for i, c := range copies {
		entries[i] = bind(c)
	}
	return s.db.WriteParts(ctx, entries)
}
