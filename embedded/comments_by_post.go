package embedded

import (
	"context"
	"time"

	"broadsheet/blog"
)

// CommentsByPost is a method of [blog.Queries]. The rows are the truth of comments,
// with copies of their authors' usernames; above them stands their true count.
func (s *Store) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (blog.CommentPage, error) {
	comments, err := s.commentsByPost(ctx, q)
	if err == nil && len(comments.Items) == 0 {
		err = s.postExists(ctx, q.Post)
	}
	return comments, err
}

func (s *Store) commentsByPost(ctx context.Context, q blog.CommentsQuery) (comments blog.CommentPage, err error) {
	v, err := s.query(ctx, commentsByPost, q.Post)
	if err != nil {
		return comments, err
	}
	defer v.close(&err)
	if comments.Count, err = decodeCount(v.static(countCell)); err != nil {
		return comments, err
	}
	comments.Page, err = page(v, list[blog.CommentID, blog.Comment]{
		span:        between(v, q),
		oldestFirst: q.Order == blog.OldestFirst,
		at:          func(id blog.CommentID) []byte { return v.at(id) },
		item: func(r *row) (blog.Comment, error) {
			return decodeNamedComment(blog.CommentKey{Post: q.Post, Comment: blog.CommentID{UUID: descendingID(r.clustering)}}, r)
		},
	}, q.Page)
	return comments, err
}

// between returns the keys between a query's two times. The newest key is the
// lowest: an id below to lies above to's key, an id from on at from's or below.
func between(v *view, q blog.CommentsQuery) span {
	var keys span
	from, to := q.Bounds()
	if to != nil {
		keys.lower = with(v.at(*to), pastCells)
	}
	if from != nil {
		keys.upper = with(v.at(*from), pastCells)
	}
	return keys
}

// CommentByKey is a method of [blog.Queries].
func (s *Store) CommentByKey(ctx context.Context, key blog.CommentKey) (c blog.Comment, err error) {
	v, err := s.query(ctx, commentsByPost, key.Post)
	if err != nil {
		return c, err
	}
	defer v.close(&err)
	at := v.at(key.Comment)
	for r := range v.rows(span{at, with(at, pastCells)}, false) {
		return decodeNamedComment(key, r)
	}
	return c, v.absent(blog.ErrNoComment())
}

func encodeComment(c blog.Comment, stamp int64) []byte {
	return encode(stamp, c.Author.ID, c.Content, c.UpdatedAt, c.Version)
}

func decodeComment(key blog.CommentKey, value string) (blog.Comment, error) {
	f := decode(value)
	c := blog.Comment{
		Post: key.Post, ID: key.Comment,
		Author:    blog.Author{ID: field[blog.UserID](f)},
		Content:   field[string](f),
		UpdatedAt: field[time.Time](f),
		Version:   field[int](f),
	}
	return c, f.end()
}

func decodeNamedComment(key blog.CommentKey, r *row) (c blog.Comment, err error) {
	if c, err = decodeComment(key, r.cells[truthCell]); err != nil {
		return c, err
	}
	c.Author.Username, err = decodeName(r.cells[2])
	return c, err
}

// comment reads the truth of a comment.
func (tx *tx) comment(key blog.CommentKey) (blog.Comment, error) {
	value, err := tx.get(commentsByPost, truthCell, key.Post, key.Comment)
	if err != nil {
		return blog.Comment{}, err
	}
	if value == "" {
		return blog.Comment{}, blog.ErrNoComment()
	}
	return decodeComment(key, value)
}

// ownComment reads a comment that the actor may change.
func (tx *tx) ownComment(actor blog.UserID, key blog.CommentKey) (blog.Comment, error) {
	author, err := tx.actor(actor)
	if err != nil {
		return blog.Comment{}, err
	}
	c, err := tx.comment(key)
	if err != nil {
		return blog.Comment{}, err
	}
	if c.Author.ID != actor {
		return blog.Comment{}, blog.ErrNotAuthor("comment")
	}
	c.Author = author.Name().Author()
	return c, nil
}

// putComment writes the truth of a comment that stands, and its copies.
func (tx *tx) putComment(s blog.CommentState) {
	c := s.Comment
	tx.uncover(commentsByPost, c.Post, c.ID)
	tx.putTruth(commentsByPost, encodeComment(c, s.Stamp), c.Post, c.ID)
	tx.putCopies(blog.CopiesOfComment(s))
}

func (tx *tx) putCommentsHead(post blog.PostID, now commentsHead) {
	tx.scratch.value = appendCommentsHead(tx.scratch.value[:0], now)
	tx.put(commentsByPost, tx.staticKey(commentsByPost, countCell, post), tx.scratch.value)
}

// commentsHead is what stands above a post's comments: their count, and what they take.
type commentsHead struct {
	blog.Count
	kept  int // rows, dead ones too
	bytes int // of contents
}

// after returns the head after a change made now, which adds rows that stand, or makes them
// dead, and bytes of content.
func (h commentsHead) after(clock blog.Clock, rows, bytes int) commentsHead {
	h.Stamp = blog.NextStamp(clock, h.Stamp)
	h.N += rows
	h.kept += max(rows, 0)
	h.bytes = max(h.bytes+bytes, 0)
	return h
}

func appendCommentsHead(b []byte, h commentsHead) []byte {
	return appendValue(b, h.Stamp, h.N, h.kept, h.bytes)
}

// decodeCommentsHead reads a head. One of an earlier program has the count alone.
func decodeCommentsHead(value string) (h commentsHead, err error) {
	if value == "" {
		return h, nil
	}
	f := decode(value)
	h.Count = blog.Count{N: field[int](f), Stamp: f.stamp}
	h.kept, h.bytes = added[int](f), added[int](f)
	h.kept = max(h.kept, h.N)
	err = f.end()
	return h, err
}
