package audit

import (
	"context"
	"slices"

	"broadsheet/blog"
)

// kind is a kind of truths, and all that an audit knows about it.
type kind interface {
	about() blog.Subject     // of the rows that it makes
	table() blog.Table       // of the truths
	follows() blog.Truth     // by which groups of other rows follow from it; empty: none do
	key(of rowSubject) []any // of the truth that a row is about
	fault(r TruthRow) string // what is wrong with a truth in itself

	// copies returns all that follows from a truth, with the name of the user who wrote it.
	copies(r TruthRow, writer blog.Name) []blog.Copy
}

// rowSubject is what a row is about, by the ids in its key.
type rowSubject struct {
	user    blog.UserID
	post    blog.PostID
	comment blog.CommentID
}

// kinds has every kind. Claims are looked at with the users: [claimTables].
var kinds = func() []kind {
	all := []kind{users{}, posts{}, comments{}}
	for _, k := range blog.ReactionKinds {
		all = append(all, reactions{k})
	}
	return all
}()

// kindOf returns the kind of what the rows of a table are about.
func kindOf(about blog.Subject, table blog.Table) kind {
	i := slices.IndexFunc(kinds, func(k kind) bool {
		of := k.table().Reaction()
		return k.about() == about && (of == nil || table == "" || of == table.Reaction())
	})
	if i < 0 {
		return nil
	}
	return kinds[i]
}

// TableOf returns the table of a kind of truths that other rows follow from; empty: there is none.
func TableOf(truth blog.Truth) blog.Table {
	for _, k := range kinds {
		if k.follows() == truth {
			return k.table()
		}
	}
	return ""
}

// TruthTables lists the tables of truths.
func TruthTables() (tables []blog.Table) {
	for _, k := range kinds {
		tables = append(tables, k.table())
	}
	return tables
}

type (
	users     struct{}
	posts     struct{}
	comments  struct{}
	reactions struct{ of *blog.ReactionKind }
)

func (users) about() blog.Subject     { return blog.AboutUser }
func (users) table() blog.Table       { return blog.UsersByID }
func (users) follows() blog.Truth     { return "" } // names are read beside what they stand in
func (users) key(of rowSubject) []any { return []any{of.user} }
func (users) fault(r TruthRow) string { return contradictionOf(r.User) }

// copies are a user's rows and the claims that it has to hold.
func (users) copies(r TruthRow, _ blog.Name) []blog.Copy {
	rows, _ := blog.CopiesOfUser(r.User)
	return slices.Concat(slices.DeleteFunc(rows, blog.Copy.Deletes), claimRows(r.User), blog.NamesAboveLists(r.User.Name()))
}

func (posts) about() blog.Subject     { return blog.AboutPost }
func (posts) table() blog.Table       { return blog.PostsByID }
func (posts) follows() blog.Truth     { return blog.PostTruth }
func (posts) key(of rowSubject) []any { return []any{of.post} }
func (posts) fault(r TruthRow) string { return r.ofPost() }

func (posts) copies(r TruthRow, author blog.Name) []blog.Copy {
	return slices.Concat(blog.CopiesOfPost(blog.PostState{Post: r.Post}), blog.NameOfPost(r.Post.Ref(), author))
}

func (comments) about() blog.Subject     { return blog.AboutComment }
func (comments) table() blog.Table       { return blog.CommentsByPost }
func (comments) follows() blog.Truth     { return blog.CommentsTruth }
func (comments) key(of rowSubject) []any { return []any{of.post, of.comment} }
func (comments) fault(r TruthRow) string { return r.ofComment() }

func (comments) copies(r TruthRow, author blog.Name) []blog.Copy {
	state := blog.CommentState{Comment: r.Comment, Stamp: r.Head.Stamp}
	return slices.Concat(blog.CopiesOfComment(state), blog.NameOfComment(r.Comment.Key(), author))
}

func (reactions) about() blog.Subject       { return blog.AboutReaction }
func (k reactions) table() blog.Table       { return k.of.Claims }
func (k reactions) follows() blog.Truth     { return k.of.Truth }
func (reactions) key(of rowSubject) []any   { return []any{of.post, of.user} }
func (k reactions) fault(r TruthRow) string { return r.ofReaction(k.of) }

// copies are a reaction's rows, with the count that stands above them.
func (k reactions) copies(r TruthRow, user blog.Name) []blog.Copy {
	l := r.Reaction
	state := blog.ReactionState{Of: k.of, Ref: blog.PostRef{ID: l.Post}, User: l.User.ID, At: l.At, Stands: true, Count: r.Head}
	rows := slices.DeleteFunc(blog.CopiesOfReaction(state), func(c blog.Copy) bool { return c.Group.Counts() && !c.Group.Static() })
	return append(rows, blog.NameOfReaction(k.of, l.Post, l.At, user)...)
}

// trueRow reads a truth; it is an error where that can't be read.
func trueRow(ctx context.Context, t Truths, table blog.Table, key ...any) (TruthRow, error) {
	r, err := t.True(ctx, table, key...)
	if err == nil && r.Damaged != "" {
		err = r.unreadable(table)
	}
	return r, err
}

func (r TruthRow) unreadable(table blog.Table) error {
	return blog.Errorf(blog.Internal, "%s, %s: %s", table, rowName(table, r.Key), r.Damaged)
}

// living reads where a post's copies are. lives is false if there is no such post, or no more.
func living(ctx context.Context, t Truths, post blog.PostID) (ref blog.PostRef, lives bool, err error) {
	r, err := trueRow(ctx, t, blog.PostsByID, post)
	return r.Post.Ref(), !r.Ended && !r.Post.Author.ID.IsZero(), err
}

// trueUser reads the truth of a user; zero: it has no account.
func trueUser(ctx context.Context, t Truths, user blog.UserID) (blog.User, error) {
	r, err := trueRow(ctx, t, blog.UsersByID, user)
	if r.User.Username == "" {
		return blog.User{}, err
	}
	return r.User, err
}

// FateOf returns what is known of the subject of a truth.
func FateOf(ctx context.Context, t Truths, table blog.Table, key ...any) (Fate, error) {
	r, err := t.True(ctx, table, key...)
	return r.fate(), err
}
