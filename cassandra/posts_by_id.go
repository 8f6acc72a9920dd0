package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
)

// A copy's write time is the stamp of its truth.
var (
	selectPostsByID = cql.On(blog.PostsByID,
		`SELECT `+tables.Posts.Columns+`, stamp, deleted_at, username, display_name, `+tables.PostCounts+
			` FROM posts_by_id WHERE post_id = ?`)
	selectCountsByPostID = cql.On(blog.PostsByID,
		`SELECT title, deleted_at, `+tables.PostCounts+
			` FROM posts_by_id WHERE post_id = ?`)
)

// PostByID reads the truth of the post with the copies beside it.
func (s *Store) PostByID(ctx context.Context, post blog.PostID) (blog.Post, error) {
	p := blog.Post{ID: post}
	var deletedAt time.Time
	err := s.db.One(ctx, selectPostsByID.With(cql.ID(post.UUID)),
		tables.Posts.Into(&p, append([]any{&p.Stamp, &deletedAt, &p.Author.Username, cql.IntoText(&p.Author.DisplayName)}, countsOfPost(&p)...)...)...)
	if err == cql.ErrAbsent || err == nil && (!deletedAt.IsZero() || p.Title == "") {
		err = blog.ErrNoPost("id")
	}
	if err != nil {
		return blog.Post{}, err
	}
	posts := []blog.Post{p}
	err = completeNames(ctx, s, posts, postAuthor)
	return posts[0], err
}

// countsOfPost is where the counts go that posts_by_id has of a post, in the order of [tables.PostCounts].
func countsOfPost(p *blog.Post) (into []any) {
	for _, name := range tables.PostCountNames {
		count := blog.PostFields[name](p).(*blog.Count)
		into = append(into, &count.N, &count.Stamp)
	}
	return into
}

// postCounts reads the copies of a post's counts, for a list that has no row to hold them. NotFound.
func (s *Store) postCounts(ctx context.Context, post blog.PostID) (p blog.Post, err error) {
	var title string
	var deletedAt time.Time
	err = s.db.One(ctx, selectCountsByPostID.With(cql.ID(post.UUID)), append([]any{&title, &deletedAt}, countsOfPost(&p)...)...)
	if err == cql.ErrAbsent || err == nil && (!deletedAt.IsZero() || title == "") {
		return blog.Post{}, blog.ErrNoPost("id")
	}
	return p, err
}
