package cassandra

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
)

// upserts holds, for each group of cells, the statement that writes it: the write
// time, the values, the key. An update is an upsert; no statement here reads.
var upserts = map[*blog.Group]statement{
	blog.UsernameCard: {blog.UsersByUsername, `UPDATE users_by_username USING TIMESTAMP ? SET username = ?, subject = ?, email = ?, display_name = ?, bio = ?, version = ? WHERE username_key = ? AND user_id = ?`},
	blog.EmailCard:    {blog.UsersByEmail, `UPDATE users_by_email USING TIMESTAMP ? SET username = ?, subject = ?, email = ?, display_name = ?, bio = ?, version = ? WHERE email_key = ? AND user_id = ?`},
	blog.SubjectCard:  {blog.UsersBySubject, `UPDATE users_by_subject USING TIMESTAMP ? SET username = ?, subject = ?, email = ?, display_name = ?, bio = ?, version = ? WHERE subject_key = ? AND user_id = ?`},

	blog.PostName:         {blog.PostsByID, `UPDATE posts_by_id USING TIMESTAMP ? SET username = ? WHERE post_id = ?`},
	blog.PostCommentCount: {blog.PostsByID, `UPDATE posts_by_id USING TIMESTAMP ? SET comment_count = ? WHERE post_id = ?`},
	blog.PostLikeCount:    {blog.PostsByID, `UPDATE posts_by_id USING TIMESTAMP ? SET like_count = ? WHERE post_id = ?`},

	blog.AuthorPost:             {blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET title = ?, excerpt = ?, updated_at = ?, version = ?, feed_bucket = ?, feed_shard = ? WHERE author_id = ? AND bucket = 0 AND post_id = ?`},
	blog.AuthorPostCommentCount: {blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET comment_count = ? WHERE author_id = ? AND bucket = 0 AND post_id = ?`},
	blog.AuthorPostLikeCount:    {blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET like_count = ? WHERE author_id = ? AND bucket = 0 AND post_id = ?`},
	blog.AuthorPostsName:        {blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET username = ? WHERE author_id = ? AND bucket = 0`},

	blog.FeedPost:             {blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET author_id = ?, title = ?, excerpt = ?, updated_at = ?, version = ? WHERE bucket = ? AND shard = ? AND post_id = ?`},
	blog.FeedPostName:         {blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET username = ? WHERE bucket = ? AND shard = ? AND post_id = ?`},
	blog.FeedPostCommentCount: {blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET comment_count = ? WHERE bucket = ? AND shard = ? AND post_id = ?`},
	blog.FeedPostLikeCount:    {blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET like_count = ? WHERE bucket = ? AND shard = ? AND post_id = ?`},

	blog.CommentName:        {blog.CommentsByPost, `UPDATE comments_by_post USING TIMESTAMP ? SET username = ? WHERE post_id = ? AND bucket = 0 AND comment_id = ?`},
	blog.AuthorComment:      {blog.CommentsByAuthor, `UPDATE comments_by_author USING TIMESTAMP ? SET post_id = ?, content = ?, updated_at = ?, version = ? WHERE author_id = ? AND bucket = 0 AND comment_id = ?`},
	blog.AuthorCommentsName: {blog.CommentsByAuthor, `UPDATE comments_by_author USING TIMESTAMP ? SET username = ? WHERE author_id = ? AND bucket = 0`},

	blog.PostLike:      {blog.LikesByPost, `UPDATE likes_by_post USING TIMESTAMP ? SET liked = ? WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`},
	blog.PostLikeName:  {blog.LikesByPost, `UPDATE likes_by_post USING TIMESTAMP ? SET username = ? WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`},
	blog.PostLikesHead: {blog.LikesByPost, `UPDATE likes_by_post USING TIMESTAMP ? SET like_count = ? WHERE post_id = ? AND bucket = 0`},
	blog.UserLike:      {blog.LikesByUser, `UPDATE likes_by_user USING TIMESTAMP ? SET liked_at = ? WHERE user_id = ? AND bucket = 0 AND post_id = ?`},
}

// deletes holds, for each group that makes a row, the statement that deletes the
// row, or makes it a dead one: the write time, the key. An empty text is a value; a null
// would be a tombstone. The version 0 tells a dead row to whoever does not read its texts.
var deletes = map[*blog.Group]statement{
	blog.UsernameCard:  {blog.UsersByUsername, `DELETE FROM users_by_username USING TIMESTAMP ? WHERE username_key = ? AND user_id = ?`},
	blog.EmailCard:     {blog.UsersByEmail, `DELETE FROM users_by_email USING TIMESTAMP ? WHERE email_key = ? AND user_id = ?`},
	blog.SubjectCard:   {blog.UsersBySubject, `DELETE FROM users_by_subject USING TIMESTAMP ? WHERE subject_key = ? AND user_id = ?`},
	blog.AuthorPost:    {blog.PostsByAuthor, `UPDATE posts_by_author USING TIMESTAMP ? SET title = '', excerpt = '', version = 0 WHERE author_id = ? AND bucket = 0 AND post_id = ?`},
	blog.FeedPost:      {blog.FeedByBucket, `UPDATE feed_by_bucket USING TIMESTAMP ? SET title = '', excerpt = '', username = '', version = 0 WHERE bucket = ? AND shard = ? AND post_id = ?`},
	blog.AuthorComment: {blog.CommentsByAuthor, `UPDATE comments_by_author USING TIMESTAMP ? SET content = '', version = 0 WHERE author_id = ? AND bucket = 0 AND comment_id = ?`},
	blog.PostLike:      {blog.LikesByPost, `DELETE FROM likes_by_post USING TIMESTAMP ? WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`},
	blog.UserLike:      {blog.LikesByUser, `DELETE FROM likes_by_user USING TIMESTAMP ? WHERE user_id = ? AND bucket = 0 AND post_id = ?`},
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
func bind(c blog.Copy) bound {
	st := upserts[c.Group]
	if c.Deletes() {
		st = deletes[c.Group]
	}
	args := make([]any, 0, 1+len(c.Values)+len(c.Key))
	args = append(args, c.Stamp)
	for _, value := range c.Values {
		args = append(args, argument(value))
	}
	where := row{partition: partitionKeys[c.Group]}
	for i, value := range c.Key {
		where.key[i] = argument(value)
		args = append(args, where.key[i])
	}
	return bound{statement: st, args: args, row: where, copy: true}
}

func argument(value any) any {
	switch v := value.(type) {
	case blog.UserID:
		return id(v.UUID)
	case blog.PostID:
		return id(v.UUID)
	case blog.CommentID:
		return id(v.UUID)
	case string, *string, int, bool, time.Time:
		return v
	default:
		panic(fmt.Sprintf("cassandra: a copy holds a %T", value))
	}
}

// Cassandra refuses a batch over several partitions above 50 KiB
// (batch_size_fail_threshold); views are written in parts well below.
const maxBatchBytes = 32 << 10

// writeCopies writes copies in as few batches as their size allows. The order does
// not matter and a repetition is harmless, so after an error it may be called again.
func (s *Store) writeCopies(ctx context.Context, copies []blog.Copy) error {
	entries := make([]bound, len(copies))
	for i, c := range copies {
		entries[i] = bind(c)
	}
	return s.writeParts(ctx, entries)
}

func (s *Store) writeParts(ctx context.Context, entries []bound) error {
	for len(entries) > 0 {
		part, rest := splitBatch(entries)
		if err := s.write(ctx, part...); err != nil {
			return err
		}
		entries = rest
	}
	return nil
}

// splitBatch returns the first entries that fit into one batch, at least one, and the
// others.
func splitBatch(entries []bound) (part, rest []bound) {
	n, size := 1, entries[0].size()
	for n < len(entries) && size+entries[n].size() <= maxBatchBytes {
		size += entries[n].size()
		n++
	}
	return entries[:n:n], entries[n:]
}

// size is about what an entry adds to its batch, in bytes, and not less.
func (b bound) size() int {
	n := 0
	for _, arg := range b.args {
		switch v := arg.(type) {
		case string:
			n += len(v)
		case *string:
			if v != nil {
				n += len(*v)
			}
		}
		n += 32
	}
	return n
}
