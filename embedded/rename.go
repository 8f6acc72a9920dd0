package embedded

import "broadsheet/blog"

// rename writes a username beside each post, comment and like that its user's own lists
// name.
func (tx *tx) rename(name blog.Name) error {
	for _, list := range []struct {
		table  *table
		copies func(id blog.UUID, value string) ([]blog.Copy, error)
	}{
		{postsByAuthor, func(id blog.UUID, value string) ([]blog.Copy, error) {
			p, err := decodeAuthorPost(blog.Post{ID: blog.PostID{UUID: id}, Author: name.Author()}, value)
			return blog.NameOfPost(p.Ref(), name), err
		}},
		{commentsByAuthor, func(id blog.UUID, value string) ([]blog.Copy, error) {
			c, err := decodeAuthorComment(blog.Comment{ID: blog.CommentID{UUID: id}, Author: name.Author()}, value)
			return blog.NameOfComment(c.Key(), name), err
		}},
		{likesByUser, func(id blog.UUID, value string) ([]blog.Copy, error) {
			l, err := decodeUserLike(blog.Like{Post: blog.PostID{UUID: id}, User: name.Author()}, value)
			return blog.NameOfLike(l.Post, l.LikedAt, name), err
		}},
	} {
		err := tx.walk(list.table, name.User, func(r *row) error {
			copies, err := list.copies(r.id(), r.cells[1])
			tx.putRowCopies(copies)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
