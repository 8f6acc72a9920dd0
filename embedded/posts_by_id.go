package embedded

import (
	"context"
	"time"

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
		if p, err = decodePost(id, r.cells[truthCell], r.cells[contentCell]); err != nil {
			return p, err
		}
		err = decodeShared(&p, r)
		return p, err
	}
	return p, snap.absent(blog.ErrNoPost("id"))
}

func encodePost(p blog.Post) (truth, content []byte) {
	return encode(p.Stamp, p.Author.ID, p.Title, p.Excerpt, p.UpdatedAt, p.Version, p.Feed.Bucket, p.Feed.Shard), encode(p.Stamp, p.Content)
}

// decodePost reads the truth of a post, without its content where that is empty.
func decodePost(id blog.PostID, truth, content string) (blog.Post, error) {
	f := decode(truth)
	p := blog.Post{
		ID:        id,
		Stamp:     f.stamp,
		Author:    blog.Author{ID: field[blog.UserID](f)},
		Title:     field[string](f),
		Excerpt:   field[string](f),
		UpdatedAt: field[time.Time](f),
		Version:   field[int](f),
		Feed:      blog.FeedPlace{Bucket: field[string](f), Shard: field[int](f)},
	}
	if err := f.end(); content == "" || err != nil {
		return p, err
	}
	f = decode(content)
	p.Content = field[string](f)
	return p, f.end()
}

// decodeShared reads what a post shows of other truths.
func decodeShared(p *blog.Post, r *row) (err error) {
	if p.Author.Username, err = decodeName(r.cells[blog.PostName.Cell]); err != nil {
		return err
	}
	if p.Comments, err = decodeCount(r.cells[blog.PostCommentCount.Cell]); err != nil {
		return err
	}
	for _, k := range blog.ReactionKinds {
		if *k.Count(p), err = decodeCount(r.cells[k.InPosts.Cell]); err != nil {
			return err
		}
	}
	return nil
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
