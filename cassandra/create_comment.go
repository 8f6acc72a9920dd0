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
	made := comment // as it stands when the views are written
	adding := addComment(&made)
	adding.seen, adding.note, adding.fresh = post.head, note, ids.open == nil
	if ids.open != nil {
		adding.proceed = func(ctx context.Context, _ head) error { return ids.open(ctx) }
	}
	now, err := s.commit(ctx, s.comments, c.Post, adding)
	if err != nil {
		note.giveUp(ctx, ids, err)
		return counted{}, err
	}
	v := views{copies: blog.CommentCountCopies(post.ref, now.count())}
	if made.Content != "" {
		v.copies = append(v.copies, blog.CommentCopies(made, now.stamp)...)
		v.name = author
		v.named = func(name blog.Name) []blog.Copy { return blog.CommentNameCopies(comment.Key(), name) }
	}
	s.publish(ctx, note.entry, v)
	return counted{comment, now.ownCount()}, nil
}

// addComment adds a comment. Where the answer was lost, its author may have seen it
// meanwhile, and have edited or deleted it: made becomes what stands then, without content
// where nothing does, for the views must not show what was before.
func addComment(made *blog.Comment) change {
	c := *made
	return change{
		row:   c.ID.UUID,
		delta: 1,
		entries: func(head) []bound {
			return []bound{insertComment.with(id(c.Post.UUID), id(c.ID.UUID), id(c.Author.ID.UUID), c.Content, c.UpdatedAt, c.Version)}
		},
		reread: func(row ledgerRow, _ bool) (bool, error) {
			now := row.comment
			if *made = c; !now.stands() && !now.deleted() {
				return false, nil
			}
			made.Content, made.UpdatedAt, made.Version = now.Content, now.UpdatedAt, now.Version
			return true, nil
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
