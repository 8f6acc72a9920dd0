package audit

import (
	"context"
	"slices"

	"broadsheet/blog"
)

// TableOf returns the table of the truths that other rows follow from.
func TableOf(truth blog.Truth) blog.Table {
	i := slices.IndexFunc(blog.Subjects, func(s *blog.Subject) bool { return s.Truth == truth })
	return blog.Subjects[i].Table
}

// copiesOf returns all that follows from a truth, with the name of the user who wrote it, and the counts it has.
func copiesOf(s *blog.Subject, r TruthRow, writer blog.Name) []blog.Copy {
	switch {
	case s.Reaction != nil: // with the count that stands above its rows
		l := r.Reaction
		l.Stands = true
		counts := slices.DeleteFunc(blog.CopiesOfCount(s.Table, l.Parent(), r.Head), func(c blog.Copy) bool { return !c.Family.Static() })
		rows := append(blog.CopiesOfReaction(s.Reaction, l, r.Head.Stamp), counts...)
		return append(rows, blog.NameOfReaction(s.Reaction, l.To(), l.At, writer)...)
	case s == blog.AboutComment:
		return slices.Concat(blog.CopiesOfComment(r.Comment, r.Head.Stamp), blog.NameOfComment(r.Comment, writer))
	case s == blog.AboutGroup:
		return blog.CopiesOfGroup(r.Group)
	case s == blog.AboutPost:
		return slices.Concat(blog.CopiesOfPost(r.Post), blog.NameOfPost(r.Post.Ref(), writer))
	}
	rows, _ := blog.CopiesOfUser(r.User) // and the claims that it has to hold
	return slices.Concat(slices.DeleteFunc(rows, blog.Copy.Deletes), claimRows(r.User), blog.NamesAboveLists(r.User.Name()))
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

// living reads where the copies of what is counted below a parent are. lives is false if there is none, or no more.
func living(ctx context.Context, t Truths, of *blog.Subject, id blog.UUID) (parent blog.Parent, lives bool, err error) {
	r, err := trueRow(ctx, t, of.Table, of.ID(id))
	switch of {
	case blog.AboutPost:
		return r.Post.Ref(), !r.Ended && !r.Post.Author.ID.IsZero(), err
	case blog.AboutGroup:
		return blog.GroupID{UUID: id}, r.Stands(), err
	}
	return blog.FollowedID{UUID: id}, r.User.Username != "", err
}

// counted reads a post's counts into it.
func counted(ctx context.Context, t Truths, p *blog.Post) error {
	tables := blog.AboutPost.Counted()
	counts, err := t.Counts(ctx, p.ID.UUID, tables...)
	for i, count := range counts {
		*p.CountOf(tables[i]) = count
	}
	return err
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
