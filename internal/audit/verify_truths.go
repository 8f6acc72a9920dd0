package audit

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"broadsheet/blog"
)

// TruthRow is a row of a table of truths as it stands, or the head above such rows. What lacks, or its table does not
// hold, is zero.
type TruthRow struct {
	Key      []any // that of the partition, of a head
	User     blog.User
	Post     blog.Post // with its content
	Comment  blog.Comment
	Reaction blog.Reaction
	Group    blog.Group
	Owner    blog.UserID // of a claim on a text
	Head     blog.Count  // the count above the rows, also with each of them
	Version  int64       // of the head; 0 in a store whose heads have none
	Erased   bool        // of a user: it stood, and nothing else is left of it
	Ended    bool        // of a post: it is deleted. Of a head and the rows below it: their post is, or they are
	Damaged  string
}

// Stands reports whether the row is of what has copies, and is counted: not if it is deleted, taken back or unfinished.
func (r TruthRow) Stands() bool {
	return !r.Ended && (r.User.Username != "" || r.Post.Title != "" || r.Post.Version != 0 || r.Comment.Content != "" || r.Reaction.Stands || r.Group.Version != 0)
}

// whole reports whether it stands, and nothing lacks that its copies are made from.
func (r TruthRow) whole() bool {
	p, c := r.Post, r.Comment
	lacks := contradictionOf(r.User) != "" || (p.Title == "") != (p.Version == 0) || c.Content != "" && c.Version == 0 || r.Reaction.Stands && r.Reaction.At.IsZero() || r.Group.Version != 0 && r.Group.Title == ""
	return r.Stands() && !lacks
}

// Writer returns the user who wrote it, or reacted; zero: it is a user.
func (r TruthRow) Writer() blog.UserID {
	return cmp.Or(r.Post.Author.ID, r.Comment.Author.ID, r.Reaction.User.ID, r.Group.Owner)
}

// fate is what the row says, whatever became of its post. The row of a deleted comment keeps its author, and that of a
// reaction its claim. A placeholder is the end of an abandoned createUser. A post's row with copies alone says nothing.
func (r TruthRow) fate() Fate {
	u, p := r.User, r.Post
	switch {
	case r.Key == nil:
		return Unknown
	case r.Erased:
		return Erased
	case r.Ended:
		return Ended
	case r.Damaged != "" || r.Stands() || u.Subject != "" || u.Version > 0 || !p.Author.ID.IsZero():
		return Standing
	case u.Stamp != 0 || !r.Comment.Author.ID.IsZero() || !r.Reaction.To().IsZero():
		return Ended
	}
	return Unknown
}

// faults joins what is true of the cases.
func truthFaults(cases ...any) string {
	var found []string
	for i := 0; i < len(cases); i += 2 {
		if cases[i].(bool) {
			found = append(found, cases[i+1].(string))
		}
	}
	return strings.Join(found, "; ")
}

// contradictionOf is empty for what an abandoned createUser leaves: a stamp alone.
func contradictionOf(u blog.User) string {
	if u.Username == "" {
		return truthFaults(u.Subject != "" || u.Version > 0, "an account without a username")
	}
	return truthFaults(
		u.Version < 1, "a username, but no version",
		u.Stamp == 0, "a username, but no stamp",
		u.Subject == "", "a username, but no subject",
	)
}

// ofPost also compares the excerpt with the content, which has no other second copy. The copies in a
// row that holds nothing else are judged with the copies.
func (r TruthRow) ofPost() string {
	p := r.Post
	text := p.Title != "" || p.Content != ""
	switch {
	case r.Ended:
		return truthFaults(text, "it is deleted, but holds a text")
	case !text && p.Version == 0 && p.Author.ID.IsZero():
		return ""
	}
	return truthFaults(
		p.Title == "", "a post without a title",
		p.Content == "", "a post without content",
		p.Author.ID.IsZero(), "a post without an author",
		p.Version < 1, "a post, but no version",
		p.Stamp == 0, "a post, but no stamp",
		p.Content != "" && p.Excerpt != blog.Excerpt(p.Content), fmt.Sprintf("the excerpt %s is not the beginning of the content %s: one of the two is not this post's", quote(p.Excerpt), quote(p.Content)),
	)
}

func (r TruthRow) ofComment() string {
	c := r.Comment
	if c.Content == "" || r.Ended { // deleted: its row stays
		return ""
	}
	return truthFaults(
		c.Version < 1, "a comment, but no number of edits",
		c.Author.ID.IsZero(), "a comment without an author",
		c.UpdatedAt.IsZero(), "a comment without its time",
	)
}

func (r TruthRow) ofReaction(k *blog.ReactionKind) string {
	if k == nil {
		return ""
	}
	return truthFaults(r.Reaction.Stands && !r.Ended && r.Reaction.At.IsZero(), "a "+k.Name+" without its time")
}

func (r TruthRow) ofGroup() string {
	g := r.Group
	if g.ID.IsZero() || r.Ended {
		return ""
	}
	return truthFaults(
		blog.GroupOf(g.Name) != g.ID, "a group of another name",
		g.Title == "", "a group without a title",
		g.Owner.IsZero(), "a group without an owner",
		g.CreatedAt.IsZero(), "a group without its time",
		g.Version < 1, "a group, but no version",
		g.Stamp == 0, "a group, but no stamp",
	)
}

func (r TruthRow) ofHead() string {
	if len(r.Key) > 1 { // a row below it
		return ""
	}
	return truthFaults(
		r.Head.N < 0, fmt.Sprintf("the count is %d", r.Head.N),
		r.Head.Stamp == 0 && (r.Head.N != 0 || r.Version > 0), "a count, but no stamp",
	)
}

// judge settles a truth that contradicts itself, and suspects an account whose erasure has begun.
func (s *streams) judge(ctx context.Context, table blog.Table, r TruthRow) error {
	problem := cmp.Or(r.Damaged, contradictionOf(r.User), r.ofPost(), r.ofComment(), r.ofReaction(table.Reaction()), r.ofGroup(), r.ofHead())
	switch {
	case problem != "":
		return s.settle(ctx, Drift{Table: table, Kind: Contradiction, Row: rowName(table, r.Key), Problem: problem, Key: r.Key})
	case r.User.IsErased():
		return s.leftErasure(ctx, table, r.Key, "its erasure has begun, and nothing goes on with it")
	}
	return nil
}
