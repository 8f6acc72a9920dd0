package cassandra

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

var insertComment = statement{blog.CommentsByPost, `INSERT INTO comments_by_post (post_id, bucket, comment_id, author_id, content, updated_at, edits) VALUES (?, 0, ?, ?, ?, ?, ?) IF NOT EXISTS`}

// CreateComment writes the comment and the post's count in one conditional batch,
// then lists it among its author's and copies the count.
func (s *Store) CreateComment(ctx context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error) {
	if err := c.Validate(); err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	ctx, cancel := s.commandContext(ctx)
	defer cancel()
	leave, err := s.enter(s.comments, c.Post)
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	defer leave()
	author, post, err := s.commentingOn(ctx, c)
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	result, err := once(ctx, s, keyed[counted]{
		idempotency: c.Idempotency,
		object:      func() blog.UUID { return s.ids.Comment().UUID },
		run: func(ctx context.Context, ids attemptIDs) (counted, error) {
			return s.createComment(ctx, c, author, post, ids)
		},
		again: func(ctx context.Context, object blog.UUID) (counted, error) {
			return s.countedComment(ctx, blog.CommentKey{Post: c.Post, Comment: blog.CommentID{UUID: object}})
		},
	})
	return result.comment, result.count, err
}

// commented is a post that is commented on, and the head of its comments; or why not. A
// command that ran before has its result even where the post is gone since.
type commented struct {
	ref  blog.PostRef
	head head
	err  error
}

// commentingOn reads what a comment goes by.
func (s *Store) commentingOn(ctx context.Context, c blog.CreateComment) (author blog.Name, post commented, err error) {
	var noPost, noHead error
	err = together(
		func() (err error) { author, err = s.userName(ctx, c.Author); return err },
		func() error { post.ref, noPost = s.postRef(ctx, c.Post); return nil },
		func() error { post.head, noHead = s.headNow(ctx, s.comments, c.Post); return nil },
	)
	post.err = cmp.Or(noPost, noHead)
	return author, post, err
}

// counted is a comment with its post's count as of it or later.
type counted struct {
	comment blog.Comment
	count   blog.Count
}

func (s *Store) createComment(ctx context.Context, c blog.CreateComment, author blog.Name, post commented, ids attemptIDs) (counted, error) {
	if post.err != nil {
		return counted{}, post.err
	}
	comment := blog.Comment{
		Post: c.Post, ID: blog.CommentID{UUID: ids.object}, Author: author.Author(), Content: c.Content,
		UpdatedAt: ids.object.Time(), Version: 1,
	}
	note, err := s.note(ctx, ids.entry, intent{Command: ids.command, Kind: kindCreateComment, Actor: c.Author, Post: &post.ref, Comment: &comment.ID, Author: &c.Author})
	if err != nil {
		return counted{}, err
	}
	adding := addComment(comment)
	adding.seen, adding.note, adding.fresh = post.head, note, ids.open == nil
	if ids.open != nil {
		adding.proceed = func(ctx context.Context, _ head) error { return ids.open(ctx) }
	}
	now, err := s.commit(ctx, s.comments, c.Post, adding)
	if err != nil {
		note.giveUp(ctx, ids, err)
		return counted{}, err
	}
	s.publish(ctx, note.entry, views{
		copies: append(blog.CommentCopies(comment, now.stamp), blog.CommentCountCopies(post.ref, now.count())...),
		name:   author,
		named:  func(name blog.Name) []blog.Copy { return blog.CommentNameCopies(comment.Key(), name) },
	})
	return counted{comment, now.ownCount()}, nil
}

func addComment(c blog.Comment) change {
	return change{
		row:   c.ID.UUID,
		delta: 1,
		entries: func(head) []bound {
			return []bound{insertComment.with(id(c.Post.UUID), id(c.ID.UUID), id(c.Author.ID.UUID), c.Content, c.UpdatedAt, c.Version)}
		},
		reread: func(row ledgerRow, _ bool) (bool, error) { return row.comment.stands(), nil },
	}
}

// countedComment reads the result of a command that ran before.
func (s *Store) countedComment(ctx context.Context, key blog.CommentKey) (counted, error) {
	comment, err := s.CommentByKey(ctx, key)
	if err != nil {
		return counted{}, goneSince("comment", err)
	}
	now, err := s.ledgerHead(ctx, s.comments, key.Post)
	return counted{comment, now.count()}, err
}
