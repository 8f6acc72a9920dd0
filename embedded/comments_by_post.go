package embedded

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

// CommentsByPost is a method of [blog.Queries]. The rows are the truth of comments,
// with copies of their authors' usernames; above them stands their true count.
func (s *Store) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (comments blog.CommentPage, err error) {
	count := func(counted string) error {
		head, err := decodeCommentsHead(counted)
		if comments.Count = head.Count; q.Made {
			comments.Made = head.kept
		}
		return err
	}
	all := list[blog.CommentID, blog.Comment]{commentLists[blog.CommentsByPost], []any{q.Post}, count}
	comments.Page, err = all.read(ctx, s, q.Page)
	return comments, err
}

// CommentByKey is a method of [blog.Queries].
func (s *Store) CommentByKey(ctx context.Context, key blog.CommentKey) (c blog.Comment, err error) {
	snap, err := s.query(ctx, commentsByPost, key.Post)
	if err != nil {
		return c, err
	}
	defer snap.close(&err)
	for r := range snap.rows(snap.under(key.Comment), false) {
		c.Post = key.Post
		err = commentLists[blog.CommentsByPost].row(r, &c)
		return c, err
	}
	return c, cmp.Or(snap.err, blog.ErrNoComment())
}

// comment reads the truth of a comment, which exists.
func (tx *tx) comment(key blog.CommentKey) (blog.Comment, error) {
	value, err := tx.get(commentsByPost, truthCell, key.Post, key.Comment)
	if err == nil && value == "" {
		err = blog.ErrNoComment()
	}
	if err != nil {
		return blog.Comment{}, err
	}
	return decodeComment(key, value)
}

// ownComment reads a comment that the actor may change.
func (tx *tx) ownComment(actor blog.UserID, key blog.CommentKey) (c blog.Comment, err error) {
	author, err := tx.actor(actor)
	if err != nil {
		return c, err
	}
	if c, err = tx.comment(key); err == nil && c.Author.ID != actor {
		err = blog.ErrNotAuthor("comment")
	}
	if err != nil {
		return blog.Comment{}, err
	}
	c.Author = author.Name().Author()
	return c, nil
}

// putComment writes the truth of a comment that stands, and its copies.
func (tx *tx) putComment(c blog.Comment, stamp int64) {
	tx.putTruth(commentsByPost, encodeFamily(blog.CommentText, stamp, c), c.Post, c.ID)
	tx.putCopies(blog.CopiesOfComment(c, stamp))
}

func (tx *tx) putCommentsHead(post blog.PostID, now commentsHead) {
	tx.put(commentsByPost, tx.cellKey(commentsByPost, countCell, post), tx.encodeHead(now))
}

// commentsHead is what stands above a post's comments: their count, and what they take.
type commentsHead struct {
	blog.Count
	kept  int // comments that were ever made, deleted ones too
	bytes int // of contents
}

func (s *scratch) encodeHead(h commentsHead) []byte { return s.encode(h.Stamp, h.N, h.kept, h.bytes) }

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

// commentsHead reads what stands above a post's comments.
func (tx *tx) commentsHead(post blog.PostID) (commentsHead, error) {
	value, err := tx.get(commentsByPost, countCell, post)
	if err != nil {
		return commentsHead{}, err
	}
	return decodeCommentsHead(value)
}

// headAfter is commentsHead after a change made now, which adds rows, or deletes them, and bytes of content.
func (tx *tx) headAfter(post blog.PostID, rows, bytes int) (commentsHead, error) {
	h, err := tx.commentsHead(post)
	h.Stamp = blog.NextStamp(tx.clock, h.Stamp)
	h.N += rows
	h.kept += max(rows, 0)
	h.bytes = max(h.bytes+bytes, 0)
	return h, err
}
