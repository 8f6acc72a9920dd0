package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
)

var insertComment = cql.On(blog.CommentsByPost, `INSERT INTO comments_by_post (post_id, bucket, comment_id, author_id, content, updated_at, edits) VALUES (?, 0, ?, ?, ?, ?, ?) IF NOT EXISTS`)

// CreateComment writes the comment and the post's count in one conditional batch,
// then lists it among its author's and copies the count.
func (s *Store) CreateComment(ctx context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error) {
	if err := c.Validate(); err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	defer end()
	leave, err := s.comments.Enter(c.Post)
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	defer leave()
	if _, _, keyed := c.Idempotency(); keyed {
		// Who may not use the key must not take it.
		if _, err := s.userName(ctx, c.Author); err != nil {
			return blog.Comment{}, blog.Count{}, err
		}
	}
	result, err := once(ctx, s, keyed[created]{
		idempotency: c.Idempotency,
		object:      func() blog.UUID { return s.ids.Comment().UUID },
		run: func(ctx context.Context, ids attemptIDs) (created, error) {
			return s.createComment(ctx, c, ids)
		},
		again: func(ctx context.Context, object blog.UUID) (created, error) {
			return s.countedComment(ctx, blog.CommentKey{Post: c.Post, Comment: blog.CommentID{UUID: object}}, c.Author)
		},
	})
	return result.comment, result.count, err
}

// created is a comment with its post's count as of it or later.
type created struct {
	comment blog.Comment
	count   blog.Count
}

func (s *Store) createComment(ctx context.Context, c blog.CreateComment, ids attemptIDs) (created, error) {
	comment := blog.Comment{
		Post: c.Post, ID: blog.CommentID{UUID: ids.object}, Content: c.Content, UpdatedAt: ids.object.Time(), Version: 1,
	}
	var author blog.Name
	var post blog.PostRef
	var seen counted.Header
	note, err := s.noteBeside(ctx, ids.entry,
		intent{Command: ids.command, Kind: kindCreateComment, Actor: c.Author, Post: &c.Post, Comment: &comment.ID, Author: &c.Author},
		func() (err error) { author, err = s.userName(ctx, c.Author); return err },
		s.refForChange(ctx, c.Post, &post),
		s.comments.HeaderNow(ctx, c.Post, &seen),
	)
	if err != nil {
		return created{}, err
	}
	comment.Author = author.Author()
	made := comment // as it stands when the views are written
	adding := addComment(&made)
	adding.Seen, adding.Fresh, adding.Before = seen, ids.open == nil, note.before(nil)
	if ids.open != nil {
		adding.Before = note.before(func(ctx context.Context, _ counted.Header) error { return ids.open(ctx) })
	}
	now, err := s.comments.Commit(ctx, c.Post, adding)
	if err != nil {
		note.giveUp(ctx, ids, err)
		return created{}, err
	}
	state := blog.CommentState{Ref: post, Count: now.Count()}
	v := views{}
	if made.Content != "" {
		state.Comment, state.Stamp = made, now.Stamp
		v.name = author
		v.named = func(name blog.Name) []blog.Copy { return blog.NameOfComment(comment.Key(), name) }
	}
	v.copies = blog.CopiesOfComment(state)
	if v.named != nil {
		v.made = append(gapKeys(v.copies, false), commentGapKey(made.Key()))
	}
	s.publish(ctx, note.entry, v)
	return created{comment, now.OwnCount()}, nil
}

// addComment adds a comment. Where the answer was lost, its author may have seen it
// meanwhile, and have edited or deleted it: made becomes what stands then, without content
// where nothing does, for the views must not show what was before.
func addComment(made *blog.Comment) counted.Change[commentTruth] {
	c := *made
	return counted.Change[commentTruth]{
		Row:   c.ID.UUID,
		Delta: 1,
		Bytes: func() int { return len(c.Content) },
		Entries: func(counted.Header) []cql.Bound {
			return []cql.Bound{insertComment.With(cql.ID(c.Post.UUID), cql.ID(c.ID.UUID), cql.ID(c.Author.ID.UUID), c.Content, c.UpdatedAt, c.Version)}
		},
		Reread: func(now commentTruth, _ bool) (bool, error) {
			if *made = c; !now.stands() && !now.deleted() {
				return false, nil
			}
			made.Content, made.UpdatedAt, made.Version = now.Content, now.UpdatedAt, now.Version
			return true, nil
		},
	}
}

// countedComment reads the result of its author's command that ran before.
func (s *Store) countedComment(ctx context.Context, key blog.CommentKey, author blog.UserID) (created, error) {
	var name blog.Name
	var truth commentTruth
	var now counted.Header
	err := cql.Concurrently(
		func() (err error) { name, err = s.userName(ctx, author); return err },
		func() (err error) { truth, now, err = s.commentTruth(ctx, key); return err },
	)
	truth.Author = name.Author()
	return created{truth.Comment, now.Count()}, goneSince("comment", err)
}
