package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

var updateComment = cql.On(blog.CommentsByPost,
	`UPDATE comments_by_post SET `+tables.Comments.Set+`, recent_commands = ?`+
		` WHERE post_id = ? AND bucket = 0 AND comment_id = ? IF edits = ?`)

// UpdateComment edits a comment under the guard of its post's comments and of its own version.
func (s *Store) UpdateComment(ctx context.Context, c blog.UpdateComment) (blog.Comment, error) {
	ctx, end, err := s.startOn(ctx, s.truths.Comments, c.Key.Post.UUID, c.Validate)
	if err != nil {
		return blog.Comment{}, err
	}
	defer end()
	var role blog.Role // moderators edit no more than others
	before, err := s.readComment(ctx, journal.UpdateComment, c.Actor, &role, c.Key)
	if err == nil && before.comment.Author.ID != c.Actor {
		err = blog.ErrNotAuthor("comment")
	}
	if err != nil {
		return blog.Comment{}, err
	}
	ids := s.fresh()
	e := commentEdit{store: s, input: c, commentBefore: before, Edit: truth.Edit{Command: ids.command}, now: counted.Outcome{Header: before.header}}
	done, err := e.decide()
	switch {
	case err == nil && done:
		err = s.again(ctx, before.comment.By, func(journal.Intent) effects { return e.follow() })
	case err == nil:
		err = s.run(ctx, ids, &e)
	}
	e.made.Author = before.actor.Author()
	return e.made, postGoneIsCommentGone(err)
}

// commentBefore is what an edit or a deletion of a comment goes by.
type commentBefore struct {
	kind    string // of the command
	actor   blog.Name
	comment truth.Comment
	post    blog.PostRef
	header  counted.Header // of the post's comments
}

// intent names the comment's author, whom its row does not once it is deleted.
func (b *commentBefore) intent() journal.Intent {
	author := b.comment.Author.ID
	return journal.Intent{Kind: b.kind, Actor: b.actor.User, About: journal.About{Post: &b.comment.Post, Comment: &b.comment.ID, Author: &author}}
}

// readComment reads a comment that an actor is about to change. Forbidden, Suspended: the actor may
// change nothing. What the actor may do takes the place of the role that the command comes with.
func (s *Store) readComment(ctx context.Context, kind string, actor blog.UserID, role *blog.Role, key blog.CommentKey) (b commentBefore, err error) {
	b.kind = kind
	err = cql.Concurrently(
		func() (err error) { b.actor, err = s.truths.Users.ActorAs(ctx, actor, role); return err },
		func() (err error) { b.comment, b.header, err = s.truths.Comments.Read(ctx, key); return err },
		s.truths.Posts.RefForChange(ctx, key.Post, &b.post),
	)
	return b, postGoneIsCommentGone(err)
}

// postGoneIsCommentGone makes an answer about the post one about its comment.
func postGoneIsCommentGone(err error) error {
	if blog.IsNotFound(err) {
		return blog.ErrNoComment()
	}
	return err
}

type commentEdit struct {
	truth.Edit
	commentBefore // the comment as it was read last
	store         *Store
	input         blog.UpdateComment
	made          blog.Comment    // what the edit makes of it: what its command answers
	next          blog.Comment    // what it makes of it, and those that edited it on: what copies show
	now           counted.Outcome // of the post's comments, when it stands
}

func (e *commentEdit) apply(ctx context.Context, note *journal.Note) (err error) {
	e.now, err = e.store.truths.Comments.Commit(ctx, e.input.Key.Post.UUID, counted.Change[truth.Comment]{
		Row: e.input.Key.Comment.UUID, Seen: e.header, Before: note.Before(&e.comment.By, nil), Field: "content",
		Bytes: e.grows, Entries: e.entries, Reread: e.reread,
	})
	return err
}

func (e *commentEdit) follow() effects {
	return effects{copies: blog.CopiesOfComment(e.next, e.now.Stamp)}
}

// decide makes next of the comment; done: there is nothing to change.
func (e *commentEdit) decide() (done bool, err error) {
	if err := blog.CheckVersion(e.input.ExpectedVersion, e.comment.Version); err != nil {
		return false, err
	}
	next, changed := e.input.After(e.comment.Comment, e.store.clock)
	e.made, e.next = next, next
	return !changed, nil
}

func (e *commentEdit) grows() int { return len(e.next.Content) - len(e.comment.Content) }

func (e *commentEdit) entries(counted.Header) []cql.Bound {
	key := e.input.Key
	return []cql.Bound{updateComment.With(tables.Comments.Edit(&e.next, e.comment.By.With(e.Command),
		cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID), e.comment.Version)...)}
}

// reread looks for the edit in the comment's history, where it may have been applied, however many others followed.
// Copies must not show its text at the stamp of a later one.
func (e *commentEdit) reread(now truth.Comment, maybe bool) (stands bool, err error) {
	if maybe {
		e.Lost(e.comment.Version)
	}
	if !now.Stands() {
		return false, blog.ErrNoComment()
	}
	e.comment = now
	e.comment.Post, e.comment.ID = e.input.Key.Post, e.input.Key.Comment
	if stands, err = e.In(now.By, now.Version); err != nil {
		return false, err
	}
	if !stands {
		return e.decide()
	}
	e.next = e.comment.Comment
	if later := e.comment.By.Since(e.Command); later > 0 { // others have edited it on
		e.made.Version = e.comment.Version - later
	} else {
		e.made = e.next
	}
	return true, nil
}
