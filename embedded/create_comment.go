package embedded

import (
	"context"

	"broadsheet/blog"
)

// CreateComment is a method of [blog.Commands].
func (s *Store) CreateComment(ctx context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error) {
	made, err := carryOut(ctx, s, c, (*tx).createComment)
	return made.comment, made.count, err
}

// commented is a comment and its post's count as of it or later.
type commented struct {
	comment blog.Comment
	count   blog.Count
}

func (tx *tx) createComment(c blog.CreateComment) (made commented, err error) {
	author, err := tx.actor(c.Author)
	if err != nil {
		return made, err
	}
	create := func() (blog.UUID, error) {
		made, err = tx.newComment(c, author.Name())
		return made.comment.ID.UUID, err
	}
	err = tx.once(c.Idempotency, create, func(id blog.UUID) error {
		made.comment, err = tx.ownComment(c.Author, blog.CommentKey{Post: c.Post, Comment: blog.CommentID{UUID: id}})
		if err != nil {
			return ifAbsent(err, blog.ErrGoneSince("comment"))
		}
		made.count, err = tx.count(tx.ctx, commentsByPost, c.Post.UUID)
		return err
	})
	return made, err
}

func (tx *tx) newComment(c blog.CreateComment, author blog.Name) (made commented, err error) {
	p, err := tx.post(c.Post, "postId")
	if err != nil {
		return made, err
	}
	parent, err := tx.parentOf(c)
	if err != nil {
		return made, err
	}
	now, err := tx.headAfter(c.Post, +1, len(c.Content))
	if err == nil {
		err = blog.ErrCommentsFull("postId", now.kept, now.bytes)
	}
	if err != nil {
		return made, err
	}
	made = commented{c.Comment(tx.ids.Comment(), author.Author(), parent), now.Count}
	tx.putCommentsHead(p.ID, now)
	tx.putCopies(blog.CopiesOfCount(blog.CommentsByPost, p.Ref(), now.Count))
	tx.putComment(made.comment, now.Stamp)
	tx.putCopies(blog.NameOfComment(made.comment, author))
	tx.append(blog.Change{Kind: blog.CommentCreated, Actor: c.Author, Post: p.ID, Comment: made.comment.ID, Comments: now.kept})
	return made, nil
}

// parentOf reads what a comment replies to, zero where that is the post.
func (tx *tx) parentOf(c blog.CreateComment) (parent blog.Comment, err error) {
	replies, err := c.Replies()
	if err != nil || !replies {
		return parent, err
	}
	parent, err = tx.comment(c.Parent)
	return parent, ifAbsent(err, blog.ErrNoParent())
}
