package blog

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"
)

// Auditor reads a whole store, truths and copies, for [Verify]. Each method calls
// visit for every item, in any order, and stops at visit's first error.
type Auditor interface {
	EachUser(ctx context.Context, visit func(User) error) error
	// EachPost visits the posts that are not deleted. Content, which has no
	// copies, and Username, Comments and Likes, which are copies, may be absent.
	EachPost(ctx context.Context, visit func(Post) error) error
	// EachComment visits the comments of every post; usernames are not filled in.
	EachComment(ctx context.Context, visit func(Comment) error) error
	// EachLike visits the likes that stand; usernames are not filled in.
	EachLike(ctx context.Context, visit func(Like) error) error
	// EachCount visits the two true counts of every post that was ever
	// commented on or liked.
	EachCount(ctx context.Context, visit func(post PostID, comments, likes Count) error) error
	// EachCopy visits the cells of one table's groups as they stand there.
	// Stamp may be 0.
	EachCopy(ctx context.Context, table Table, visit func(Copy) error) error
}

// VisitCounts visits the posts of two maps of counts, each post once, for an
// [Auditor] that keeps the two apart. It empties likes of what it found in comments.
func VisitCounts(comments, likes map[PostID]Count, visit func(post PostID, comments, likes Count) error) error {
	for post, count := range comments {
		if err := visit(post, count, likes[post]); err != nil {
			return err
		}
		delete(likes, post)
	}
	for post, count := range likes {
		if err := visit(post, Count{}, count); err != nil {
			return err
		}
	}
	return nil
}

// TableReport is what [Verify] found in one table.
type TableReport struct {
	Table    Table
	Rows     int     // groups of cells, as [Group] defines them, that were compared
	Drifted  int     // those that differ from their truth, lack, or are too many
	Examples []Drift // the first few
}

// Drift is one disagreement between a copy and its truth.
type Drift struct {
	Table   Table
	Row     string // the key, with the columns concerned
	Problem string
}

// Verified is the outcome of [Verify].
type Verified struct {
	Tables []TableReport
}

// Drifted returns the number of disagreements in all tables.
func (v Verified) Drifted() int {
	n := 0
	for _, t := range v.Tables {
		n += t.Drifted
	}
	return n
}

const maxExamples = 10

// Verify compares every copy with its truth and every count with its rows.
// Commands that run meanwhile may show as drift; run it again to tell. report is
// called once for each table, when it is done.
func Verify(ctx context.Context, a Auditor, report func(TableReport)) (Verified, error) {
	v := &verification{auditor: a, seed: maphash.MakeSeed(), report: report, tables: map[Table]*TableReport{}, expected: map[Table]map[uint64]expectation{}, standing: map[uint64]uint64{}}
	for _, g := range Groups() {
		if v.expected[g.Table] == nil {
			v.expected[g.Table] = map[uint64]expectation{}
			v.tables[g.Table] = &TableReport{Table: g.Table}
			v.order = append(v.order, g.Table)
		}
	}
	for _, step := range []func(context.Context) error{v.users, v.posts, v.comments, v.likes, v.counts, v.copies} {
		if err := step(ctx); err != nil {
			return v.result, err
		}
	}
	return v.result, nil
}

type expectation struct {
	value uint64
	row   string
}

type verification struct {
	auditor  Auditor
	seed     maphash.Seed
	report   func(TableReport)
	order    []Table
	tables   map[Table]*TableReport
	expected map[Table]map[uint64]expectation
	standing map[uint64]uint64 // cells that may stand or lack: a user's name above a list that was emptied
	names    map[UserID]Name
	refs     map[PostID]PostRef
	rows     map[PostID][2]int // comments and likes that stand
	result   Verified
}

func (v *verification) users(ctx context.Context) error {
	v.names = map[UserID]Name{}
	return v.auditor.EachUser(ctx, func(u User) error {
		v.names[u.ID] = u.Name()
		v.expect(UserCopies(u))
		for _, head := range []*Group{AuthorPostsName, AuthorCommentsName} {
			v.standing[v.hash(head, []any{u.ID})] = v.hash(head, []any{u.Username})
		}
		return nil
	})
}

func (v *verification) posts(ctx context.Context) error {
	v.refs = map[PostID]PostRef{}
	return v.auditor.EachPost(ctx, func(p Post) error {
		v.refs[p.ID] = p.Ref()
		v.expect(PostCopies(p))
		v.expect(PostNameCopies(p.Ref(), v.names[p.Author.ID]))
		return nil
	})
}

func (v *verification) comments(ctx context.Context) error {
	v.rows = map[PostID][2]int{}
	return v.auditor.EachComment(ctx, func(c Comment) error {
		n := v.rows[c.Post]
		n[0]++
		v.rows[c.Post] = n
		v.expect(CommentCopies(c, 0))
		v.expect(CommentNameCopies(c.Key(), v.names[c.Author.ID]))
		return nil
	})
}

func (v *verification) likes(ctx context.Context) error {
	return v.auditor.EachLike(ctx, func(l Like) error {
		n := v.rows[l.Post]
		n[1]++
		v.rows[l.Post] = n
		v.expect(LikeCopies(l.Key(), l.LikedAt, true, 0))
		v.expect(LikeNameCopies(l.Post, l.LikedAt, v.names[l.User.ID]))
		return nil
	})
}

func (v *verification) counts(ctx context.Context) error {
	return v.auditor.EachCount(ctx, func(post PostID, comments, likes Count) error {
		rows := v.rows[post]
		v.compareCount(CommentsByPost, post, comments, rows[0])
		v.compareCount(LikeClaims, post, likes, rows[1])
		delete(v.rows, post)
		ref, lives := v.refs[post]
		if lives && comments.Stamp > 0 {
			v.expect(CommentCountCopies(ref, comments))
		}
		if lives && likes.Stamp > 0 {
			v.expect(LikeCountCopies(ref, likes))
		}
		return nil
	})
}

func (v *verification) compareCount(table Table, post PostID, count Count, rows int) {
	if v.tables[table] == nil {
		v.tables[table] = &TableReport{Table: table}
		v.order = append(v.order, table)
	}
	v.tables[table].Rows++
	if count.N != rows {
		v.drift(table, "post "+post.String(), fmt.Sprintf("the count is %d, the rows are %d", count.N, rows))
	}
}

func (v *verification) copies(ctx context.Context) error {
	for post, rows := range v.rows {
		v.drift(CommentsByPost, "post "+post.String(), fmt.Sprintf("%d comments and %d likes without a count", rows[0], rows[1]))
	}
	for _, table := range v.order {
		found := v.tables[table]
		if expected, ok := v.expected[table]; ok {
			if err := v.table(ctx, table, found, expected); err != nil {
				return err
			}
		}
		v.result.Tables = append(v.result.Tables, *found)
		if v.report != nil {
			v.report(*found)
		}
	}
	return nil
}

func (v *verification) table(ctx context.Context, table Table, found *TableReport, expected map[uint64]expectation) error {
	err := v.auditor.EachCopy(ctx, table, func(c Copy) error {
		found.Rows++
		key := v.hash(c.Group, c.Key)
		value := v.hash(c.Group, c.Values)
		standing, stands := v.standing[key]
		switch want, ok := expected[key]; {
		case !ok && stands && value == standing:
		case !ok:
			v.drift(table, rowName(c), "stands there but follows from no truth")
		case want.value != value:
			v.drift(table, rowName(c), fmt.Sprintf("holds %v, which is not what its truth says", plain(c.Values)))
		}
		delete(expected, key)
		return nil
	})
	for _, missing := range expected {
		v.drift(table, missing.row, "is missing")
	}
	return err
}

func (v *verification) expect(copies []Copy) {
	for _, c := range copies {
		v.expected[c.Group.Table][v.hash(c.Group, c.Key)] = expectation{value: v.hash(c.Group, c.Values), row: rowName(c)}
	}
}

func (v *verification) drift(table Table, row, problem string) {
	t := v.tables[table]
	t.Drifted++
	if len(t.Examples) < maxExamples {
		t.Examples = append(t.Examples, Drift{Table: table, Row: row, Problem: problem})
	}
}

func (v *verification) hash(g *Group, values []any) uint64 {
	var h maphash.Hash
	h.SetSeed(v.seed)
	h.WriteString(g.Columns[0])
	for _, value := range plain(values) {
		fmt.Fprintf(&h, "\x00%v", value)
	}
	return h.Sum64()
}

func rowName(c Copy) string {
	return fmt.Sprintf("%v = %v: %v", c.Group.Key, plain(c.Key), c.Group.Columns)
}

// plain makes values comparable by their text: texts that may be absent are
// quoted, times are UTC.
func plain(values []any) []any {
	out := make([]any, len(values))
	for i, value := range values {
		switch x := value.(type) {
		case *string:
			if x == nil {
				out[i] = "null"
			} else {
				out[i] = fmt.Sprintf("%q", *x)
			}
		case string:
			out[i] = fmt.Sprintf("%q", x)
		case time.Time:
			out[i] = x.UTC().Format(time.RFC3339Nano)
		default:
			out[i] = x
		}
	}
	return out
}
