package embedded

import "broadsheet/blog"

var (
	authorPost    = readerOf[blog.Post](blog.AuthorPost)
	authorComment = readerOf[blog.Comment](blog.AuthorComment)
)

// namedList is a list of a user's own, with the copies of the name beside what a row of it names.
type namedList struct {
	table  *table
	copies func(id blog.UUID, value string) ([]blog.Copy, error)
}

// rename writes a username beside each post, comment and like that its user's own lists
// name.
func (tx *tx) rename(name blog.Name) error {
	lists := []namedList{
		{postsByAuthor, func(id blog.UUID, value string) ([]blog.Copy, error) {
			p := blog.Post{ID: blog.PostID{UUID: id}, Author: name.Author()}
			_, err := authorPost.read(value, &p)
			return blog.NameOfPost(p.Ref(), name), err
		}},
		{commentsByAuthor, func(id blog.UUID, value string) ([]blog.Copy, error) {
			c := blog.Comment{ID: blog.CommentID{UUID: id}}
			_, err := authorComment.read(value, &c)
			return blog.NameOfComment(c.Key(), name), err
		}},
	}
	for _, k := range blog.ReactionKinds {
		lists = append(lists, namedList{tables[k.ByUser], func(id blog.UUID, value string) ([]blog.Copy, error) {
			at, err := decodeTime(value)
			return blog.NameOfReaction(k, blog.PostID{UUID: id}, at, name), err
		}})
	}
	for _, list := range lists {
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
