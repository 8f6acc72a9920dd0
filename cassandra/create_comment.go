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

var insertComment = cql.On(blog.CommentsByPost,
	`INSERT INTO comments_by_post (`+tables.Comments.Columns+`, post_id, bucket, comment_id, number,`+
		` recent_commands) VALUES (`+tables.Comments.Marks+`, ?, 0, ?, ?, ?) IF NOT EXISTS`)

// CreateComment writes the comment and the post's count in one conditional batch, then lists it among its author's and
// copies the count.
func (s *Store) CreateComment(ctx context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error) {
	ctx, end, err := s.startOn(ctx, s.truths.Comments, c.Post.UUID, c.Validate)
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	defer end()
	if _, _, keyed := c.Idempotency(); keyed {
		// Who may not use the key must not take it.
		if _, err := s.truths.Users.Actor(ctx, c.Author); err != nil {
			return blog.Comment{}, blog.Count{}, err
		}
	}
	result, err := once(ctx, s, &commentCreation{CreateComment: c, store: s})
	return result.comment, result.count, err
}

// created is a comment with its post's count as of it or later.
type created struct {
	comment blog.Comment
	count   blog.Count
}

type commentCreation struct {
	blog.CreateComment
	store   *Store
	ids     attemptIDs
	comment blog.Comment
	made    truth.Comment // as it is when the copies are written
	author  blog.Name
	parent  blog.Comment // zero: the post
	post    blog.PostRef
	seen    counted.Header
	now     counted.Outcome
}

func (c *commentCreation) draw() blog.UUID { return c.store.ids.Comment().UUID }

func (c *commentCreation) create(ctx context.Context, ids attemptIDs) (created, error) {
	c.ids, c.comment = ids, c.Comment(blog.CommentID{UUID: ids.object}, blog.Author{ID: c.Author}, blog.Comment{})
	err := c.store.run(ctx, ids, c)
	return created{c.comment, c.now.OwnCount()}, err
}

// again reads the result of its author's command that ran before.
func (c *commentCreation) again(ctx context.Context, object blog.UUID) (created, error) {
	var name blog.Name
	var comment truth.Comment
	var now counted.Header
	err := cql.Concurrently(
		func() (err error) { name, err = c.store.truths.Users.Name(ctx, c.Author); return err },
		func() (err error) {
			comment, now, err = c.store.truths.Comments.Read(ctx, blog.CommentKey{Post: c.Post, Comment: blog.CommentID{UUID: object}})
			return err
		},
	)
	comment.Author = name.Author()
	return created{comment.Comment, now.Count()}, goneSince("comment", err)
}

func (c *commentCreation) intent() journal.Intent {
	return journal.Intent{Command: c.ids.command, Kind: journal.CreateComment, Actor: c.Author, About: journal.About{Post: &c.Post, Comment: &c.comment.ID, Author: &c.Author}}
}

func (c *commentCreation) reads(ctx context.Context) []func() error {
	return []func() error{
		func() (err error) { c.author, err = c.store.truths.Users.Actor(ctx, c.Author); return err },
		c.store.truths.Posts.RefForChange(ctx, c.comment.Post, &c.post),
		c.store.truths.Comments.HeaderNow(ctx, c.comment.Post.UUID, &c.seen),
		c.readParent(ctx),
	}
}

// readParent reads what the comment replies to. That may be deleted since another attempt has made the comment.
func (c *commentCreation) readParent(ctx context.Context) func() error {
	replies, err := c.Replies()
	if err == nil && !replies {
		return nil
	}
	return func() error {
		if err != nil {
			return err
		}
		parent, _, err := c.store.truths.Comments.Read(ctx, c.Parent)
		if c.parent = parent.Comment; !blog.IsNotFound(err) {
			return err
		}
		if !c.ids.again || !parent.Deleted() {
			return blog.ErrNoParent()
		}
		made, _, err := c.store.truths.Comments.ReadSerial(ctx, c.comment.Key())
		if err = cql.AbsentIsZero(err); err == nil && !made.Stands() && !made.Deleted() {
			err = blog.ErrNoParent()
		}
		return err
	}
}

func (c *commentCreation) apply(ctx context.Context, note *journal.Note) (err error) {
	c.comment = c.Comment(c.comment.ID, c.author.Author(), c.parent)
	c.made.Comment = c.comment
	before := note.Before(nil, nil)
	if c.ids.key != nil {
		before = note.Before(nil, func(ctx context.Context, _ counted.Header) error {
			return c.store.unlessConcluded(ctx, c.ids)
		})
	}
	c.now, err = c.store.truths.Comments.Commit(ctx, c.comment.Post.UUID, counted.Change[truth.Comment]{
		Row: c.comment.ID.UUID, Fresh: c.ids.key == nil, Delta: 1, Seen: c.seen, Before: before,
		Bytes: c.grows, Entries: c.entries, Reread: c.reread,
	})
	if err == nil {
		note.Number = c.made.Number
	}
	return err
}

func (c *commentCreation) follow() effects {
	counts := blog.CopiesOfCount(blog.CommentsByPost, c.post, c.now.Count())
	if !c.made.Stands() {
		return effects{copies: counts}
	}
	return ofComment(c.made.Comment, c.now.Stamp, counts, c.author)
}

func (c *commentCreation) grows() int { return len(c.comment.Content) }

func (c *commentCreation) entries(next counted.Header) []cql.Bound {
	c.made.Number = next.Stored
	key, by := c.comment.Key(), truth.History{}.With(c.ids.command)
	return []cql.Bound{insertComment.With(tables.Comments.Values(&c.comment,
		cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID), next.Stored, by)...)}
}

// reread takes over what stands: where the answer was lost, the author may have seen the comment meanwhile, and
// have edited or deleted it. Without content nothing stands; the copies must not show what was before.
func (c *commentCreation) reread(now truth.Comment, _ bool) (exists bool, err error) {
	exists = now.Stands() || now.Deleted()
	if c.made = (truth.Comment{Comment: c.comment}); exists {
		c.made = now
		c.made.ID, c.made.Post, c.made.Author = c.comment.ID, c.comment.Post, c.comment.Author
	}
	return exists, nil
}
