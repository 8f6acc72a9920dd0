package cassandra

import (
	"context"

	"broadsheet/blog"
)

var (
	selectCommentTruth = statement{blog.CommentsByPost, `SELECT author_id, content, updated_at, edits, closed FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id = ?`}
	updateComment      = statement{blog.CommentsByPost, `UPDATE comments_by_post SET content = ?, updated_at = ?, edits = ? WHERE post_id = ? AND bucket = 0 AND comment_id = ? IF edits = ?`}
)

// UpdateComment edits a comment under the guard of its post's comments and of its
// own version.
func (s *Store) UpdateComment(ctx context.Context, c blog.UpdateComment) (blog.Comment, error) {
	if err := c.Validate(); err != nil {
		return blog.Comment{}, err
	}
	ctx, cancel := s.commandContext(ctx)
	defer cancel()
	actor, now, ref, err := s.commentOf(ctx, c.Actor, c.Key)
	if err != nil {
		return blog.Comment{}, err
	}
	e := commentEdit{store: s, edit: c, now: now}
	if done, err := e.decide(); err != nil || done {
		e.next.Author = actor.Author()
		return e.next, err
	}
	command := s.ids.Command()
	err = s.record(ctx, command, intent{Kind: "updateComment", Actor: c.Actor, Post: &ref, Comment: &c.Key.Comment, Author: &c.Actor})
	if err != nil {
		return blog.Comment{}, err
	}
	head, err := s.commit(ctx, s.comments, c.Key.Post, change{entries: e.entries, reread: e.reread})
	if err != nil {
		s.giveUp(ctx, attemptIDs{entry: command}, err)
		return blog.Comment{}, postGoneIsCommentGone(err)
	}
	s.publish(ctx, command, views{copies: blog.CommentCopies(e.next, head.stamp)})
	e.next.Author = actor.Author()
	return e.next, nil
}

// commentOf reads what an edit or a deletion of a comment goes by, and checks that
// the actor wrote it.
func (s *Store) commentOf(ctx context.Context, actor blog.UserID, key blog.CommentKey) (name blog.Name, c blog.Comment, ref blog.PostRef, err error) {
	err = together(
		func() (err error) { name, err = s.userName(ctx, actor); return err },
		func() (err error) { c, err = s.commentTruth(ctx, key, s.one); return err },
		func() (err error) { ref, err = s.postRef(ctx, key.Post); return postGoneIsCommentGone(err) },
	)
	if err == nil && c.Author.ID != actor {
		err = blog.ErrNotAuthor("comment")
	}
	return name, c, ref, err
}

// postGoneIsCommentGone makes an answer about the post one about its comment.
func postGoneIsCommentGone(err error) error {
	if blog.IsNotFound(err) {
		return blog.ErrNoComment()
	}
	return err
}

// commentEdit is one UpdateComment under way.
type commentEdit struct {
	store *Store
	edit  blog.UpdateComment
	now   blog.Comment // as read last
	next  blog.Comment // what the edit makes of it
}

// decide makes next of now; done: there is nothing to change.
func (e *commentEdit) decide() (done bool, err error) {
	if err := blog.CheckVersion(e.edit.ExpectedVersion, e.now.Version); err != nil {
		return false, err
	}
	next, changed := e.edit.After(e.now, e.store.clock)
	e.next = next
	return !changed, nil
}

func (e *commentEdit) entries(head) []bound {
	key := e.edit.Key
	return []bound{updateComment.with(e.next.Content, e.next.UpdatedAt, e.next.Version,
		id(key.Post.UUID), id(key.Comment.UUID), e.now.Version)}
}

func (e *commentEdit) reread(ctx context.Context, maybe bool) (stands bool, err error) {
	if e.now, err = e.store.commentTruth(ctx, e.edit.Key, e.store.oneSerial); err != nil {
		return false, err
	}
	if maybe && e.now.Version > e.next.Version {
		return false, errUnknown // another edit followed; making this one again could undo it
	}
	if maybe && e.now.Version == e.next.Version && e.now.Content == e.next.Content {
		e.next = e.now
		return true, nil
	}
	return e.decide()
}

// commentTruth reads a comment without its author's name. NotFound.
func (s *Store) commentTruth(ctx context.Context, key blog.CommentKey, read reader) (blog.Comment, error) {
	c := blog.Comment{Post: key.Post, ID: key.Comment}
	var closed bool
	err := read(ctx, selectCommentTruth.with(id(key.Post.UUID), id(key.Comment.UUID)),
		into(&c.Author.ID.UUID), &c.Content, &c.UpdatedAt, &c.Version, &closed)
	if err == errAbsent || err == nil && (c.Content == "" || closed) {
		err = blog.ErrNoComment()
	}
	return c, err
}
