package audit

import (
	"context"
	"fmt"

	"broadsheet/blog"
)

// subject is how the truths are read that rows are about.
type subject struct {
	// feedings read all of them in a pass.
	feedings func(s *streams) []feeding
	// rebuild reads a part of them, and writes what stands of it in a table; nil: such tables are not rebuilt.
	rebuild func(f *filling, ctx context.Context, part int, w *rowWriter) error
	// rows returns all copies that follow from one.
	rows func(ctx context.Context, t Truths, of rowSubject) ([]blog.Copy, error)
	// fate returns what is known of one, whose post, if it is below one, has not ended.
	fate func(ctx context.Context, t Truths, of rowSubject) (Fate, error)
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

// kinds has every subject: one that lacks keeps the program from starting, for verify would not look at its rows.
var kinds map[blog.Subject]subject

func init() {
	kinds = map[blog.Subject]subject{
		blog.AboutUser: {
			feedings: func(s *streams) []feeding { return []feeding{{s.readsUsers(), s.users}} },
			rebuild:  (*filling).users, rows: userRowsOf,
			fate: func(ctx context.Context, t Truths, of rowSubject) (Fate, error) { return t.UserFate(ctx, of.user) },
		},
		blog.AboutPost: {
			feedings: func(s *streams) []feeding { return []feeding{{s.readsPosts(), s.posts}} },
			rebuild:  (*filling).posts, rows: postRowsOf,
			fate: func(ctx context.Context, t Truths, of rowSubject) (Fate, error) { return t.PostFate(ctx, of.post) },
		},
		blog.AboutComment: {
			feedings: func(s *streams) []feeding { return []feeding{{s.readsComments(), s.comments}} },
			rebuild:  (*filling).comments,
			rows: func(ctx context.Context, t Truths, of rowSubject) ([]blog.Copy, error) {
				return trueCommentRows(ctx, t, of.commentKey())
			},
			fate: func(ctx context.Context, t Truths, of rowSubject) (Fate, error) {
				r, err := t.TrueComment(ctx, of.commentKey())
				return r.fate(blog.AboutComment), err
			},
		},
		blog.AboutReaction: {
			feedings: func(s *streams) (all []feeding) {
				for _, k := range blog.ReactionKinds {
					all = append(all, feeding{s.readsReactions(k), s.reactions(k)})
				}
				return all
			},
			rebuild: (*filling).reactions,
			rows: func(ctx context.Context, t Truths, of rowSubject) ([]blog.Copy, error) {
				return trueReactionRows(ctx, t, of.reactionKey())
			},
			fate: func(ctx context.Context, t Truths, of rowSubject) (Fate, error) {
				r, err := t.TrueReaction(ctx, of.reactionKey())
				return r.fate(blog.AboutReaction), err
			},
		},
		blog.AboutClaim: {feedings: func(*streams) []feeding { return nil }}, // they come with the users: claimTables
	}
	for _, about := range blog.Subjects() {
		if kinds[about].feedings == nil {
			panic(fmt.Sprintf("audit: subject %d has no entry: give it one in internal/audit/subjects.go", about))
		}
	}
	for _, d := range blog.Declarations {
		if d.MakesRows() && kinds[d.About].rebuild == nil {
			panic(fmt.Sprintf("audit: nothing rebuilds %s: give its subject a way in internal/audit/subjects.go", d.Table))
		}
		if d.Table.CountsRows() && contradictions[d.Table] == nil {
			panic(fmt.Sprintf("audit: nothing judges the truths of %s: give them a line in contradictions", d.Table))
		}
	}
}
