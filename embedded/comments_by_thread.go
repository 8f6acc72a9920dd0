package embedded

import (
	"context"

	"broadsheet/blog"
)

// Threads is a method of [blog.Floor].
func (s *Store) Threads(ctx context.Context, post blog.PostID, from, to blog.Path, backward bool, limit int) (comments []blog.Comment, err error) {
	comments, err = s.threads(ctx, post, from, to, backward, limit)
	if err == nil && len(comments) == 0 {
		_, err = s.PostByID(ctx, post)
	}
	return comments, err
}

func (s *Store) threads(ctx context.Context, post blog.PostID, from, to blog.Path, backward bool, limit int) (comments []blog.Comment, err error) {
	list := commentLists[blog.CommentsByThread]
	snap, err := s.query(ctx, list.table, post)
	if err != nil {
		return nil, err
	}
	defer snap.close(&err)
	rows := snap.at()
	keys := span{appendPath(with(rows), from), appendPath(with(rows), to)}
	for r := range snap.rows(keys, backward) {
		c := blog.Comment{Post: post}
		if err := list.row(r, &c); err != nil {
			return nil, err
		}
		key := r.columns()
		if comments = append(comments, c.At(key.path())); len(comments) == limit {
			break
		}
	}
	return comments, snap.err
}
