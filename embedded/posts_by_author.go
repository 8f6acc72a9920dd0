package embedded

import (
	"context"
	"time"

	"broadsheet/blog"
)

// PostsByAuthor is a method of [blog.Queries].
func (s *Store) PostsByAuthor(ctx context.Context, author blog.UserID, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	posts, err := s.postsByAuthor(ctx, author, request)
	if err == nil && len(posts.Items) == 0 {
		err = s.userExists(ctx, author)
	}
	return posts, err
}

func (s *Store) postsByAuthor(ctx context.Context, id blog.UserID, request blog.PageRequest[blog.PostID]) (posts blog.Page[blog.Post], err error) {
	snap, err := s.query(ctx, postsByAuthor, id)
	if err != nil {
		return posts, err
	}
	defer snap.close(&err)
	username, err := decodeName(snap.static(1))
	if err != nil {
		return posts, err
	}
	author := blog.Author{ID: id, Username: username}
	return page(snap, list[blog.PostID, blog.Post]{
		at: func(id blog.PostID) []byte { return snap.at(id) },
		item: func(r *row) (blog.Post, error) {
			p, err := decodeAuthorPost(blog.PostID{UUID: r.id()}, author, r.cells[1])
			if err == nil {
				err = decodeCounts(&p, r.cells[2], r.cells[3])
			}
			return p, err
		},
	}, request)
}

func decodeAuthorPost(id blog.PostID, author blog.Author, value string) (blog.Post, error) {
	f := decode(value)
	p := blog.Post{
		ID:        id,
		Author:    author,
		Title:     field[string](f),
		Excerpt:   field[string](f),
		UpdatedAt: field[time.Time](f),
		Version:   field[int](f),
		Feed:      blog.FeedPlace{Bucket: field[string](f), Shard: field[int](f)},
	}
	return p, f.end()
}
