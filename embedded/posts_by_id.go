package embedded

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

// PostByID is a method of [blog.Queries]. A row holds the truth of a post in two
// cells, and beside it copies of its author's username and of its counts.
func (s *Store) PostByID(ctx context.Context, id blog.PostID) (p blog.Post, err error) {
	snap, err := s.query(ctx, postsByID, id)
	if err != nil {
		return p, err
	}
	defer snap.close(&err)
	for r := range snap.rows(span{}, false) {
		p.ID, p.Stamp = id, decode(r.cells[truthCell]).stamp
		err = postLists[blog.PostsByID].row(r, &p)
		return p, err
	}
	return p, cmp.Or(snap.err, blog.ErrNoPost("id"))
}

// post reads the truth of a post, without its content; field is blamed where there is none.
func (tx *tx) post(id blog.PostID, field string) (blog.Post, error) {
	value, err := tx.get(postsByID, truthCell, id)
	if err == nil && value == "" {
		err = blog.ErrNoPost(field)
	}
	if err != nil {
		return blog.Post{}, err
	}
	return decodePost(id, value, "")
}

// postText reads a post with its content and its author's name, without its counts.
func (tx *tx) postText(id blog.PostID) (p blog.Post, err error) {
	if p, err = tx.post(id, "id"); err != nil {
		return p, err
	}
	content, err := tx.get(postsByID, contentCell, id)
	if err == nil {
		_, err = postContent.read(content, &p)
	}
	if err != nil {
		return p, err
	}
	author, err := tx.anyUser(p.Author.ID)
	p.Author = author.Name().Author()
	return p, err
}

func (tx *tx) putPost(p blog.Post) {
	tx.putTruth(postsByID, encodeFamily(blog.PostText, p.Stamp, p), p.ID)
	tx.put(postsByID, tx.cellKey(postsByID, contentCell, p.ID), encodeFamily(blog.PostContent, p.Stamp, p))
	tx.putCopies(blog.CopiesOfPost(p))
}
