package embedded

import (
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
		return posts.read(blog.Post{ID: id, Stamp: decode(r.cells[truthCell]).stamp}, func(p *blog.Post) error { return postRow.read(r, p) })
	}
	return p, snap.absent(blog.ErrNoPost("id"))
}

var (
	postRow     = newListReader(blog.PostFields, blog.PostsByID) // with the copies beside it
	postText    = readerOf[blog.Post](blog.PostText)
	postContent = readerOf[blog.Post](blog.PostContent)
)

func encodePost(p blog.Post) (text, content []byte) {
	return posts.encode(blog.PostText, p.Stamp, p), posts.encode(blog.PostContent, p.Stamp, p)
}

// decodePost reads the truth of a post, without its content where that is empty.
func decodePost(id blog.PostID, text, content string) (blog.Post, error) {
	return posts.read(blog.Post{ID: id}, func(p *blog.Post) (err error) {
		if p.Stamp, err = postText.read(text, p); err == nil {
			_, err = postContent.read(content, p)
		}
		return err
	})
}

// postExists tells an empty list from one whose post does not exist.
func (s *Store) postExists(ctx context.Context, id blog.PostID) error {
	_, err := s.PostByID(ctx, id)
	return err
}

// post reads the truth of a post, without its content; field is blamed where there
// is none.
func (tx *tx) post(id blog.PostID, field string) (blog.Post, error) {
	value, err := tx.get(postsByID, truthCell, id)
	if err != nil {
		return blog.Post{}, err
	}
	if value == "" {
		return blog.Post{}, blog.ErrNoPost(field)
	}
	return decodePost(id, value, "")
}

// wholePost reads a post with its content and with what it shows of other truths,
// from those truths.
func (tx *tx) wholePost(id blog.PostID) (p blog.Post, err error) {
	if p, err = tx.postText(id); err != nil {
		return p, err
	}
	if p.Comments, err = tx.count(commentsByPost, id); err != nil {
		return p, err
	}
	for _, k := range blog.ReactionKinds {
		if *k.Count(&p), err = tx.count(tables[k.Claims], id); err != nil {
			return p, err
		}
	}
	return p, nil
}

// postText reads a post with its content and its author's name, without its counts.
func (tx *tx) postText(id blog.PostID) (p blog.Post, err error) {
	if p, err = tx.post(id, "id"); err != nil {
		return p, err
	}
	content, err := tx.get(postsByID, contentCell, id)
	if err != nil {
		return p, err
	}
	f := decode(content)
	p.Content = field[string](f)
	if err := f.end(); err != nil {
		return p, err
	}
	author, err := tx.anyUser(p.Author.ID)
	if err != nil {
		return p, err
	}
	p.Author = author.Name().Author()
	return p, nil
}

func (tx *tx) putPost(p blog.Post) {
	truth, content := encodePost(p)
	tx.putTruth(postsByID, truth, p.ID)
	tx.put(postsByID, tx.cellKey(postsByID, contentCell, p.ID), content)
	tx.putCopies(blog.CopiesOfPost(blog.PostState{Post: p}))
}
