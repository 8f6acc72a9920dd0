package audit

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// verification is one run of [Verifying].
type verification struct {
	Verifying
	store  Store
	reader Reader
	pace   *pace.Pace[struct{}]
	tables []blog.Table           // in the order of the report
	summed map[*blog.Subject]bool // whose truths the first pass has read

	mu       sync.Mutex
	names    map[blog.UserID]blog.Name // of some users
	reports  map[blog.Table]*TableReport
	suspects []suspect
	settled  map[string]bool     // so many rows, by their names
	planned  []Drift             // to be deleted in the end
	toDelete map[blog.Table]int  // rows, of those and of what was too much to remember
	reported map[blog.Table]bool // tables
	counted  map[blog.Table]bool // that have counts
	unowned  []Drift             // claims of whose owners nothing was found yet
}

func newVerification(o Verifying, store Store, reader Reader) *verification {
	v := &verification{
		Verifying: o, store: store, reader: reader, names: map[blog.UserID]blog.Name{},
		pace:   &pace.Pace[struct{}]{Every: pace.Of(o.Rate), Burst: burst},
		summed: map[*blog.Subject]bool{}, reports: map[blog.Table]*TableReport{}, settled: map[string]bool{},
		toDelete: map[blog.Table]int{}, reported: map[blog.Table]bool{}, counted: map[blog.Table]bool{},
	}
	_, indexes := reader.(FeedIndex)
	_, gaps := reader.(GapReader)
	for _, table := range blog.Tables() {
		truths := slices.ContainsFunc(blog.Subjects, func(s *blog.Subject) bool { return s.Table == table })
		compared := shapes[table].subject != nil || truths || table == blog.HomeByUser ||
			indexes && table == blog.FeedBuckets || gaps && table == blog.Gaps
		if compared && (table == o.built || reader.Holds(table)) && (o.Tables == nil || slices.Contains(o.Tables, table)) {
			v.tables = append(v.tables, table)
			v.reports[table] = &TableReport{Table: table, Kinds: map[DriftKind]int{}}
		}
	}
	for _, d := range o.Mended {
		v.count(d)
	}
	return v
}

func (v *verification) wants(table blog.Table) bool { return v.reports[table] != nil }

// run does one group of tables after the other, so that much is done when it is cut off.
func (v *verification) run(ctx context.Context) error {
	first := newDigest()
	for _, tables := range v.groups() {
		if err := v.reading(tables, true).pass(ctx, &sums{v, first}); err != nil {
			return err
		}
		dirty := slices.DeleteFunc(slices.Clone(tables), first.clean)
		if err := v.reading(dirty, false).pass(ctx, &hunt{v, first, dirty}); err != nil {
			return err
		}
		if err := v.settleUnowned(ctx); err != nil {
			return err
		}
		v.report(tables, false)
	}
	if err := v.homes(ctx); err != nil {
		return err
	}
	return v.delete(ctx)
}

// groups parts the tables by what they follow from. Posts come after what is counted at them, so that the sums of each
// group are whole once it was read. Claims come last: their repair depends on the copies of users.
func (v *verification) groups() [][]blog.Table {
	last := len(blog.Subjects)
	groups := make([][]blog.Table, last+1)
	for _, table := range v.tables {
		if table == blog.HomeByUser {
			continue
		}
		i := last
		if table.UniqueKey() == nil {
			of := func(s *blog.Subject) bool { return s.Table == table || s == shapes[table].subject }
			i -= 1 + slices.IndexFunc(blog.Subjects, of)
		}
		groups[i] = append(groups[i], table)
	}
	return groups
}

// reading reads the rows of some tables, and the truths that they follow from.
func (v *verification) reading(tables []blog.Table, first bool) *streams {
	return &streams{verification: v, tables: tables, first: first}
}

// report reports the tables that are done, once.
func (v *verification) report(tables []blog.Table, cutOff bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, table := range tables {
		if v.reported[table] || v.toDelete[table] > 0 {
			continue
		}
		v.reported[table] = true
		v.reports[table].CutOff = cutOff
		if v.Report != nil {
			v.Report(*v.reports[table])
		}
	}
}

// result reports the other tables, and returns all. cutOff: nothing more will be done.
func (v *verification) result(cutOff bool) Verified {
	for _, d := range v.planned {
		if d.Left != "" {
			v.drifted(d)
		}
	}
	v.toDelete = nil
	v.report(v.tables, cutOff)
	var found Verified
	for _, table := range v.tables {
		found.Tables = append(found.Tables, *v.reports[table])
	}
	return found
}

// note changes the report of a table that is wanted.
func (v *verification) note(table blog.Table, change func(*TableReport)) {
	if report := v.reports[table]; report != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		change(report)
	}
}

// read counts rows of a table.
func (v *verification) read(table blog.Table, rows int) {
	v.note(table, func(r *TableReport) { r.Rows += rows })
}

// step is called for each row that is read.
func (v *verification) step(ctx context.Context) error {
	if v.Progress != nil {
		_ = v.Progress.Add(1)
	}
	return v.pace.Wait(ctx, struct{}{}, 1)
}

// drifted counts what has drifted, and notes what is mended.
func (v *verification) drifted(d Drift) {
	v.count(d)
	if v.Repair && d.Left == "" && v.Note != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.Note(d)
	}
}

func (v *verification) count(d Drift) {
	v.note(d.Table, func(r *TableReport) {
		r.Drifted++
		r.Kinds[d.Kind]++
		if v.Repair && d.Left == "" {
			r.Repaired++
			r.Deleted += d.Deletes
		}
		if len(r.Examples) < maxExamples {
			r.Examples = append(r.Examples, d)
		}
	})
}

// feedIndex looks for entries of the feed's index that are wrong in themselves. An entry
// without a post is not: its posts were deleted.
func (v *verification) feedIndex(ctx context.Context) error {
	return v.reader.(FeedIndex).EachBucket(ctx, func(key []any, fault string) error {
		v.read(blog.FeedBuckets, 1)
		if fault == "" {
			return nil
		}
		return v.settle(ctx, Drift{Table: blog.FeedBuckets, Kind: RowTooMany, Row: rowName(blog.FeedBuckets, key), Problem: fault, Key: key, Deletes: 1})
	})
}

// indexed checks that the feed's index names a post's bucket. It is written before
// the first post in it, so there is nothing in flight.
func (v *verification) indexed(ctx context.Context, place blog.FeedPlace) error {
	if !v.wants(blog.FeedBuckets) {
		return nil
	}
	named, err := v.reader.(FeedIndex).Indexed(ctx, place)
	if err != nil || named {
		return err
	}
	d := Drift{Table: blog.FeedBuckets, Kind: MissingRow, Key: []any{place.Bucket, place.Shard}}
	d.Row, d.Problem = rowName(d.Table, d.Key), "a post stands in a bucket that the index does not name"
	if again, _ := v.remember(d); again {
		return nil
	}
	return v.settle(ctx, d)
}

// digest is 65,536 sums for each table with copies, of which those exist that were asked for, and their neighbours.
type digest struct {
	seed maphash.Seed
	sums map[blog.Table][]atomic.Pointer[digestSums]
}

type digestSums [1 << 8]atomic.Uint64

func newDigest() *digest {
	d := &digest{seed: maphash.MakeSeed(), sums: map[blog.Table][]atomic.Pointer[digestSums]{}}
	for table := range shapes {
		d.sums[table] = make([]atomic.Pointer[digestSums], 1<<8)
	}
	return d
}

// sum returns a row's sum, which it shares with others.
func (d *digest) sum(table blog.Table, key []any) *atomic.Uint64 {
	hash := maphash.Bytes(d.seed, appendValues(append([]byte(table), 0), key))
	sums := &d.sums[table][uint8(hash>>8)]
	if sums.Load() == nil {
		sums.CompareAndSwap(nil, new(digestSums))
	}
	return &sums.Load()[uint8(hash)]
}

// suspects reports whether a row's sum is not 0.
func (d *digest) suspects(table blog.Table, key []any) bool { return d.sum(table, key).Load() != 0 }

// add adds, or by a sign of -1 subtracts, a family of cells to its row's sum.
func (d *digest) add(table blog.Table, key []any, c blog.Copy, sign int) {
	value := maphash.Bytes(d.seed, appendValues(append(appendValues([]byte(c.Family.Columns[0].Name), key), 0), c.Values))
	if sign < 0 {
		value = -value
	}
	d.sum(table, key).Add(value)
}

// clean reports whether all sums of a table are 0.
func (d *digest) clean(table blog.Table) bool {
	for i := range d.sums[table] {
		for k, sums := 0, d.sums[table][i].Load(); sums != nil && k < len(sums); k++ {
			if sums[k].Load() != 0 {
				return false
			}
		}
	}
	return true
}

// burst is how far the rows may run ahead of their pace: a timer for each row would cost more than it.
const burst = 20 * time.Millisecond

// atOnce calls work for 0 to n-1, so many at once, and returns the first error in
// time; no more is begun after it.
func atOnce(ctx context.Context, n, limit int, work func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, limit) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := blog.Safely(func() error { return work(ctx, i) }); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
