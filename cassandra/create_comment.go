package cassandra

import (
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
	author, err := s.userName(ctx, c.Author)
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	result, err := once(ctx, s, keyed[counted]{
		idempotency: c.Idempotency,
		object:      func() blog.UUID { return s.ids.Comment().UUID },
		run: func(ctx context.Context, ids attemptIDs) (counted, error) {
			return s.createComment(ctx, c, author, ids)
		},
		again: func(ctx context.Context, object blog.UUID) (counted, error) {
			return s.countedComment(ctx, blog.CommentKey{Post: c.Post, Comment: blog.CommentID{UUID: object}})
		},
	})
	return result.comment, result.count, err
}

// counted is a comment with its post's count as of it or later.
type counted struct {
	comment blog.Comment
	count   blog.Count
}

func (s *Store) createComment(ctx context.Context, c blog.CreateComment, author blog.Name, ids attemptIDs) (counted, error) {
	ref, err := s.postRef(ctx, c.Post)
	if err != nil {
		return counted{}, err
	}
	comment := blog.Comment{
		Post: c.Post, ID: blog.CommentID{UUID: ids.object}, Author: author.Author(), Content: c.Content,
		UpdatedAt: ids.object.Time(), Version: 1,
	}
	err = s.record(ctx, ids.entry, intent{Command: ids.command, Kind: "createComment", Actor: c.Author, Post: &ref, Comment: &comment.ID, Author: &c.Author})
	if err != nil {
		return counted{}, err
	}
	adding := s.addComment(comment)
	if ids.open != nil {
		adding.proceed = func(ctx context.Context, _ head) error { return ids.open(ctx) }
	}
	now, err := s.commit(ctx, s.comments, c.Post, adding)
	if err != nil {
		s.giveUp(ctx, ids, err)
		return counted{}, err
	}
	s.publish(ctx, ids.entry, views{
		copies: append(blog.CommentCopies(comment, now.stamp), blog.CommentCountCopies(ref, now.count())...),
		name:   author,
		named:  func(name blog.Name) []blog.Copy { return blog.CommentNameCopies(comment.Key(), name) },
	})
	return counted{comment, now.count()}, nil
}

func (s *Store) addComment(c blog.Comment) change {
	return change{
		delta: 1,
		entries: func(head) []bound {
			return []bound{insertComment.with(id(c.Post.UUID), id(c.ID.UUID), id(c.Author.ID.UUID), c.Content, c.UpdatedAt, c.Version)}
		},
		reread: func(ctx context.Context, _ bool) (bool, error) {
			_, err := s.commentTruth(ctx, c.Key(), s.oneSerial)
			if blog.IsNotFound(err) {
				return false, nil
			}
			return err == nil, err
		},
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
