package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"

	"github.com/gocql/gocql"
)

var (
	selectPostsByAuthor       = cql.On(blog.PostsByAuthor, `SELECT post_id, username, title, excerpt, updated_at, version, feed_bucket, feed_shard, comment_count, like_count FROM posts_by_author WHERE author_id = ? AND bucket = 0 AND post_id >= ? AND post_id < ? ORDER BY post_id DESC LIMIT ?`)
	selectOldestPostsByAuthor = cql.On(blog.PostsByAuthor, `SELECT post_id, username, title, excerpt, updated_at, version, feed_bucket, feed_shard, comment_count, like_count FROM posts_by_author WHERE author_id = ? AND bucket = 0 AND post_id >= ? AND post_id < ? ORDER BY post_id ASC LIMIT ?`)
	selectSomePostsByAuthor   = cql.On(blog.PostsByAuthor, `SELECT post_id, username, title, excerpt, updated_at, version, feed_bucket, feed_shard, comment_count, like_count FROM posts_by_author WHERE author_id = ? AND bucket = 0 AND post_id IN ?`)
)

// PostsByAuthor reads a page of the author's partition.
func (s *Store) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	list := newIDList(gap.OfAuthor(blog.PostsByAuthor, author), selectPostsByAuthor, selectOldestPostsByAuthor, selectSomePostsByAuthor, func(row gocql.Scanner) (blog.UUID, blog.Post, bool, error) {
		p := blog.Post{Author: blog.Author{ID: author}}
		err := row.Scan(cql.Into(&p.ID.UUID), &p.Author.Username, &p.Title, &p.Excerpt, &p.UpdatedAt, &p.Version,
			&p.Feed.Bucket, &p.Feed.Shard, &p.Comments.N, &p.Likes.N)
		return p.ID.UUID, p, p.Title != "", err
	})
	posts, err := list.rows(ctx, s, idSpan(page, true), !page.Backward, page.Limit+1)
	if err == nil && len(posts) == 0 {
		err = s.userStands(ctx, author)
	}
	if err == nil {
		err = complete(ctx, s, posts, postAuthor)
	}
	if err != nil {
		return blog.Page[blog.Post]{}, err
	}
	return blog.NewPage(page, posts), nil
}
