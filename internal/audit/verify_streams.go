package audit

import (
	"cmp"
	"context"
	"slices"

	"broadsheet/blog"
)

// expecting is what is done with all copies that follow from one truth. In its own subject's tables they are all that
// their rows hold; other rows may hold more.
type expecting func(ctx context.Context, about *blog.Subject, copies []blog.Copy) error

// sink is what a pass does with what it reads.
type sink interface {
	// expected is an expecting.
	expected(ctx context.Context, about *blog.Subject, copies []blog.Copy) error
	// found gets a row that is there.
	found(ctx context.Context, table blog.Table, r Row) error
}

// streams reads truths and tables, part by part.
type streams struct {
	*verification
	tables []blog.Table
	whole  bool // for a rebuild: posts come with their counts, and a truth that can't be read ends the reading
	first  bool // counts, rows without their post, truths by themselves and the feed's index are looked at too
}

// pass reads the truths that the tables follow from, then the tables.
func (s *streams) pass(ctx context.Context, to sink) error {
	var reads []func(context.Context, int) error
	for _, of := range blog.Subjects {
		if s.follows(of) {
			reads = append(reads, func(ctx context.Context, part int) error { return s.truths(ctx, of, part, to.expected) })
		}
	}
	if err := s.inParts(ctx, reads); err != nil {
		return err
	}
	for _, of := range blog.Subjects {
		s.summed[of] = s.summed[of] || s.first && s.follows(of)
	}
	// What truths ask for is settled before the rows that are there: if a comment's row names
	// another post, only the comment itself says where it belongs.
	if err := s.flush(ctx); err != nil {
		return err
	}
	reads = nil
	for _, table := range s.tables {
		reads = append(reads, func(ctx context.Context, part int) error { return s.rows(ctx, table, part, to) })
	}
	if err := s.inParts(ctx, reads); err != nil {
		return err
	}
	return s.flush(ctx)
}

// inParts does each reading for every part.
func (s *streams) inParts(ctx context.Context, reads []func(context.Context, int) error) error {
	parts := s.reader.Parts()
	return atOnce(ctx, len(reads)*parts, s.Concurrency, func(ctx context.Context, i int) error {
		return reads[i/parts](ctx, i%parts)
	})
}

// follows reports whether something of the tables follows from a kind of truths.
func (s *streams) follows(of *blog.Subject) bool {
	switch {
	case s.first && s.summed[of]:
		return false
	case s.first && (slices.Contains(s.tables, of.Table) || of == blog.AboutPost && slices.Contains(s.tables, blog.FeedBuckets)):
		return true
	}
	return slices.ContainsFunc(s.tables, func(t blog.Table) bool {
		shape := shapes[t]
		return shape.subject == of || s.first && slices.ContainsFunc(shape.families, func(g *blog.Family) bool { return g.Truth == of.Truth })
	})
}

// truths reads what follows from a kind of truths. Counts, which are truths of their own, come with what they count
// in the first pass.
func (s *streams) truths(ctx context.Context, of *blog.Subject, part int, to expecting) error {
	p := &partitions{streams: s, of: of, to: to}
	err := s.reader.EachTruth(ctx, of.Table, part, s.first, func(r TruthRow) error {
		if s.whole && r.Damaged != "" {
			return r.unreadable(of.Table)
		}
		if err := p.row(ctx, r); err != nil || !r.Stands() || !p.lives {
			return err
		}
		if s.first && of == blog.AboutPost {
			if err := s.indexed(ctx, r.Post.Feed); err != nil {
				return err
			}
		}
		writer, err := s.writer(ctx, of.Table, r.Key, r.Writer())
		if err != nil || !r.whole() {
			return err
		}
		r.Post.CountAs(blog.Post{})
		if s.whole && of == blog.AboutPost {
			if err := counted(ctx, s.reader, &r.Post); err != nil {
				return err
			}
		}
		return to(ctx, of, copiesOf(of, r, writer))
	})
	if err != nil {
		return err
	}
	return p.end(ctx)
}

// partitions follows the rows of one parent after the other.
type partitions struct {
	*streams
	of *blog.Subject
	to expecting

	parent blog.UUID
	lives  bool
	count  int
	rows   int
	strays int
	unread bool // one of them can't be read
}

// row takes a row, or the head above the rows.
func (p *partitions) row(ctx context.Context, r TruthRow) error {
	if err := p.step(ctx); err != nil {
		return err
	}
	if p.first && p.wants(p.of.Table) {
		if !p.of.Table.CountsRows() && len(p.of.Table.Families()) == 0 { // else its rows are counted elsewhere
			p.read(p.of.Table, 1)
		}
		if err := p.judge(ctx, p.of.Table, r); err != nil {
			return err
		}
	}
	if !p.of.Table.CountsRows() {
		p.lives = true
		return nil
	}
	if parent, _ := blog.IDOf(r.Key[0]); parent != p.parent {
		if err := p.end(ctx); err != nil {
			return err
		}
		if err := p.begin(ctx, parent, r.Head, r.Ended); err != nil {
			return err
		}
	}
	switch {
	case r.Damaged != "": // it was judged
		p.unread = true
	case len(r.Key) == 1: // the head
	case r.Stands():
		p.rows++
	default:
		p.strays++
	}
	return nil
}

func (p *partitions) begin(ctx context.Context, parent blog.UUID, count blog.Count, closed bool) error {
	*p = partitions{streams: p.streams, of: p.of, to: p.to, parent: parent, count: count.N}
	if count.Stamp != 0 {
		p.mu.Lock()
		p.counted[p.of.Table] = true
		p.mu.Unlock()
	}
	if closed {
		return nil
	}
	of, lives, err := living(ctx, p.reader, p.of.Parent, parent)
	if p.lives = lives; err != nil || !lives || !p.first || count.Stamp == 0 {
		return err
	}
	copies := blog.CopiesOfCount(p.of.Table, of, count)
	return p.to(ctx, p.of.Parent, slices.DeleteFunc(copies, func(c blog.Copy) bool { return c.Family.Static() }))
}

// end compares the count with the rows.
func (p *partitions) end(ctx context.Context) error {
	if !p.first || p.parent.IsZero() || !p.wants(p.of.Table) {
		return nil
	}
	if len(p.of.Table.Families()) == 0 { // the rows of others are counted where its copies are read
		p.read(p.of.Table, p.rows+p.strays)
	}
	if p.unread || p.lives && p.count == p.rows || !p.lives && p.rows+p.strays == 0 {
		return nil
	}
	key := p.of.Table.Declaration().Partition[0].Type.ID(p.parent)
	return p.suspect(ctx, suspect{Drift: Drift{Table: p.of.Table, Key: []any{key}}, asked: true})
}

// rows reads a part of a table, if it has anything but truths.
func (s *streams) rows(ctx context.Context, table blog.Table, part int, to sink) error {
	switch {
	case table == blog.Gaps:
		return s.gaps(ctx, part)
	case table == blog.FeedBuckets && part == 0:
		return s.feedIndex(ctx)
	case shapes[table].subject == nil:
		return nil
	}
	return s.eachRow(ctx, table, part, func(r Row) error {
		if err := s.step(ctx); err != nil {
			return err
		}
		if s.first {
			s.read(table, 1)
		}
		return to.found(ctx, table, r)
	})
}

// eachRow visits the rows of a table with copies, or of one of claims.
func (s *streams) eachRow(ctx context.Context, table blog.Table, part int, visit func(Row) error) error {
	in, claim := claimTables[table]
	if !claim {
		return s.reader.EachRow(ctx, table, part, visit)
	}
	return s.reader.EachTruth(ctx, table, part, false, func(r TruthRow) error {
		if r.Damaged != "" {
			return r.unreadable(table)
		}
		c := in.row(r.Key[0].(string), r.Owner, 0)
		return visit(Row{Key: c.Key, Cells: []blog.Copy{c}})
	})
}

// sums is the sink of the first pass.
type sums struct {
	*verification
	*digest
}

func (s *sums) expected(_ context.Context, _ *blog.Subject, copies []blog.Copy) error {
	for _, c := range copies {
		if !s.wants(c.Family.Table) {
			continue
		}
		if key := rowOf(c, copies); key != nil {
			s.add(c.Family.Table, key, c, +1)
		}
	}
	return nil
}

// rowOf returns the key of the row that a copy stands in, or above; nil where the
// copies don't tell.
func rowOf(c blog.Copy, among []blog.Copy) []any {
	if !c.Family.Static() {
		return c.Key
	}
	for _, other := range among {
		if other.Family.Table == c.Family.Table && !other.Family.Static() && SameValues(c.Key, other.Key[:len(c.Key)]) {
			return other.Key
		}
	}
	return nil
}

func (s *sums) found(ctx context.Context, table blog.Table, r Row) error {
	if r.Leaving || r.Dead {
		return nil
	}
	if len(r.Key) < len(shapes[table].key) {
		return s.suspect(ctx, suspect{Drift: Drift{Table: table, Key: r.Key}})
	}
	if r.Damaged != "" {
		s.add(table, r.Key, blog.Copy{Family: shapes[table].families[0], Values: []any{r.Damaged}}, -1)
	}
	for _, c := range r.Cells {
		s.add(table, r.Key, c, -1)
	}
	return nil
}

// hunt is the sink of the second pass: it finds suspects among the rows of some tables.
type hunt struct {
	*verification
	*digest
	tables []blog.Table
}

func (h *hunt) expected(ctx context.Context, about *blog.Subject, copies []blog.Copy) error {
	var seen []blog.Table
	post := First[blog.PostID](copies)
	for _, c := range copies {
		table := c.Family.Table
		if c.Family.Static() || shapes[table].subject != about || !slices.Contains(h.tables, table) || slices.Contains(seen, table) || !h.digest.suspects(table, c.Key) {
			continue
		}
		seen = append(seen, table)
		if err := h.suspect(ctx, suspect{Drift: Drift{Table: table, Key: c.Key, Post: post}, asked: true}); err != nil {
			return err
		}
	}
	return nil
}

// First returns the first value of a type that copies have in their keys or among their values; zero: none.
func First[T comparable](copies []blog.Copy) (first T) {
	for _, c := range copies {
		if found := cmp.Or(inKey[T](c.Key), inKey[T](c.Values)); found != first {
			return found
		}
	}
	return first
}

func (h *hunt) found(ctx context.Context, table blog.Table, r Row) error {
	if r.Leaving || r.Dead || len(r.Key) < len(shapes[table].key) || !h.digest.suspects(table, r.Key) {
		return nil
	}
	if err := h.suspect(ctx, suspect{Drift: Drift{Table: table, Key: r.Key, Post: First[blog.PostID](r.Cells)}}); err != nil {
		return err
	}
	if partition := staticKey(table, r.Key); partition != nil {
		return h.suspect(ctx, suspect{Drift: Drift{Table: table, Key: partition}})
	}
	return nil
}

// staticKey returns the key of what is stored above a row; nil: nothing can be.
func staticKey(table blog.Table, key []any) []any {
	for _, g := range shapes[table].families {
		if g.Static() {
			return key[:len(g.Key)]
		}
	}
	return nil
}
