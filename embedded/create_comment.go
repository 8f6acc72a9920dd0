package embedded

import (
	"context"

	"broadsheet/blog"
)

// CreateComment is a method of [blog.Commands].
func (s *Store) CreateComment(ctx context.Context, c blog.CreateComment) (comment blog.Comment, count blog.Count, err error) {
	if err := c.Validate(); err != nil {
		return comment, count, err
	}
	err = s.command(ctx, func(tx *tx) error {
		author, err := tx.actor(c.Author)
		if err != nil {
			return err
		}
		create := func() (blog.UUID, error) {
			comment, count, err = tx.createComment(c, author.Name())
			return comment.ID.UUID, err
		}
		return tx.once(c.Idempotency, create, func(id blog.UUID) error {
			comment, err = tx.ownComment(c.Author, blog.CommentKey{Post: c.Post, Comment: blog.CommentID{UUID: id}})
			if err != nil {
				return ifAbsent(err, blog.ErrGoneSince("comment"))
			}
			count, err = tx.count(tx.ctx, commentsByPost, c.Post)
			return err
		})
	})
	return comment, count, err
}

func (tx *tx) createComment(c blog.CreateComment, author blog.Name) (blog.Comment, blog.Count, error) {
	p, err := tx.post(c.Post, "postId")
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	now, err := tx.commentsHead(c.Post)
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	now = now.after(tx.clock, +1, len(c.Content))
	if err := blog.ErrCommentsFull("postId", now.kept, now.bytes); err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	comment := c.Comment(tx.ids.Comment(), author.Author())
	tx.putCommentsHead(p.ID, now)
	tx.putComment(blog.CommentState{Ref: p.Ref(), Comment: comment, Stamp: now.Stamp, Count: now.Count})
	tx.putCopies(blog.NameOfComment(comment.Key(), author))
	tx.append(blog.Change{Kind: blog.CommentCreated, Actor: c.Author, Post: p.ID, Comment: comment.ID, Comments: now.kept})
	return comment, now.Count, nil
}
