package audit

import (
	"context"
	"fmt"

	"broadsheet/blog"
)

// subject is how the truths are read that rows are about.
type subject interface {
	// feedings read all of them in a pass.
	feedings(s *streams) []feeding
	// rebuild reads a part of them, and writes what stands of it in a table.
	rebuild(ctx context.Context, f *filling, part int, w *rowWriter) error
	// rows returns all copies that follow from one.
	rows(ctx context.Context, t Truths, of rowSubject) ([]blog.Copy, error)
	// fate returns what is known of one, whose post, if it is below one, has not ended.
	fate(ctx context.Context, t Truths, of rowSubject) (Fate, error)
}

// rowSubject is what a row is about, by the ids in its key.
type rowSubject struct {
	table   blog.Table
	user    blog.UserID
	post    blog.PostID
	comment blog.CommentID
}

func (r rowSubject) commentKey() blog.CommentKey {
	return blog.CommentKey{Post: r.post, Comment: r.comment}
}

func (r rowSubject) reactionKey() blog.ReactionKey {
	return blog.ReactionKey{Of: r.table.Reaction(), Post: r.post, User: r.user}
}

// kinds has every subject of rows, and claims with the users: [claimTables].
var kinds map[blog.Subject]subject

func init() {
	kinds = map[blog.Subject]subject{
		blog.AboutUser: users{}, blog.AboutPost: posts{}, blog.AboutComment: comments{}, blog.AboutReaction: reactions{},
	}
	for _, about := range blog.Subjects() {
		if kinds[about] == nil && about != blog.AboutClaim {
			panic(fmt.Sprintf("audit: verify would not look at rows about subject %d: give it an entry in internal/audit/subjects.go", about))
		}
	}
	for _, d := range blog.Declarations {
		if d.Table.CountsRows() && contradictions[d.Table] == nil {
			panic(fmt.Sprintf("audit: nothing judges the truths of %s: give them a line in contradictions", d.Table))
		}
	}
}

type (
	users     struct{}
	posts     struct{}
	comments  struct{}
	reactions struct{}
)

func (users) feedings(s *streams) []feeding    { return []feeding{{s.readsUsers(), s.users}} }
func (posts) feedings(s *streams) []feeding    { return []feeding{{s.readsPosts(), s.posts}} }
func (comments) feedings(s *streams) []feeding { return []feeding{{s.readsComments(), s.comments}} }

func (reactions) feedings(s *streams) (all []feeding) {
	for _, k := range blog.ReactionKinds {
		all = append(all, feeding{s.readsReactions(k), s.reactions(k)})
	}
	return all
}

func (users) rebuild(ctx context.Context, f *filling, part int, w *rowWriter) error {
	return f.truths(ctx, blog.UsersByID, part, func(r TruthRow) error { return w.rows(ctx, userRows(r.User), blog.PostID{}) })
}

func (posts) rebuild(ctx context.Context, f *filling, part int, w *rowWriter) error {
	return f.reader.EachPost(ctx, part, func(p blog.Post) error { return f.post(ctx, p, w) })
}

func (comments) rebuild(ctx context.Context, f *filling, part int, w *rowWriter) error {
	return f.truths(ctx, blog.CommentsByPost, part, func(r TruthRow) error {
		author, err := f.names.of(ctx, r.Comment.Author.ID)
		if err != nil {
			return err
		}
		return w.rows(ctx, commentRows(r.Comment, r.Head.Stamp, author), r.Comment.Post)
	})
}

func (reactions) rebuild(ctx context.Context, f *filling, part int, w *rowWriter) error {
	of := f.table.Reaction()
	return f.truths(ctx, of.Claims, part, func(r TruthRow) error {
		user, err := f.names.of(ctx, r.Reaction.User.ID)
		if err != nil {
			return err
		}
		return w.rows(ctx, reactionRows(of, r.Reaction, r.Head, user), r.Reaction.Post)
	})
}

func (users) fate(ctx context.Context, t Truths, of rowSubject) (Fate, error) {
	return t.UserFate(ctx, of.user)
}

func (posts) fate(ctx context.Context, t Truths, of rowSubject) (Fate, error) {
	return t.PostFate(ctx, of.post)
}

func (comments) fate(ctx context.Context, t Truths, of rowSubject) (Fate, error) {
	r, err := t.TrueComment(ctx, of.commentKey())
	return r.fate(blog.AboutComment), err
}

func (reactions) fate(ctx context.Context, t Truths, of rowSubject) (Fate, error) {
	r, err := t.TrueReaction(ctx, of.reactionKey())
	return r.fate(blog.AboutReaction), err
}

func (comments) rows(ctx context.Context, t Truths, of rowSubject) ([]blog.Copy, error) {
	return trueCommentRows(ctx, t, of.commentKey())
}

func (reactions) rows(ctx context.Context, t Truths, of rowSubject) ([]blog.Copy, error) {
	return trueReactionRows(ctx, t, of.reactionKey())
}
