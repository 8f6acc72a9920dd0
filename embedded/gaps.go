package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// Gaps are long runs of dead rows in one partition of a list, written down so that a reader
// passes each in one step: no row stands from a gap's low end on, below its high end. A
// read that had to go through many dead rows has a gap made of them, by a command of its
// own, in the background.
//
//	partition of a list │ ^low → high
//
// A gap must never hide a row that stands. Commands run one after the other, and a
// command that writes a row into a gap takes the gap away in the same commit. That hardly ever
// happens, for new rows are the newest, unless the machine's clock was set back.

const (
	lookAfter  = 32   // dead rows in a row, after which a reader looks for a gap, and again
	noticed    = 256  // dead rows in a row that a reader had to go through: a gap lacks
	minGap     = 128  // dead rows, below which it is as well to go through them
	gapRows    = 5000 // that a command goes through at most, for others wait
	gapMakings = 1000 // commands that follow each other at most
)

// deadRun counts the dead rows that follow each other.
type deadRun struct {
	rows    int // in no gap that was found
	looked  int // of those, when a gap was last looked for
	longest int
	end     blog.UUID // of the longest
}

func (d *deadRun) saw(r *row) {
	if !r.dead || !r.table.newestFirst() {
		return
	}
	if d.rows++; d.rows > d.longest {
		d.longest, d.end = d.rows, r.id()
	}
}

func (d *deadRun) over() { d.rows, d.looked = 0, 0 }

// gap is a range of ids of which no row stands: from low on, below high.
type gap struct{ low, high blog.UUID }

func (g gap) covers(id blog.UUID) bool { return g.low.Compare(id) <= 0 && id.Compare(g.high) < 0 }

// pass moves the iterator behind the gap in which the row lies that was read last, if it
// lies in one, and reports whether it did. there: a key follows. Where it did not move, the
// iterator stands at the next row's first cell.
func (snap *snapshot) pass(clustering []byte, backward bool) (there, passed bool) {
	if snap.dead.rows-snap.dead.looked < lookAfter {
		return true, false
	}
	snap.dead.looked = snap.dead.rows
	id := rowID(clustering)
	found, err := snap.gapAt(id)
	if err != nil {
		snap.err = err
		return false, true
	}
	if !found.covers(id) {
		return true, false
	}
	snap.dead.over()
	if backward {
		return snap.it.SeekLT(with(snap.at(blog.CommentID{UUID: found.high}), pastCells)), true
	}
	return snap.it.SeekGE(with(snap.at(blog.CommentID{UUID: found.low}), pastCells)), true
}

// gapAt returns the gap with the highest low end that is not above an id, as of the moment of
// the snapshot.
func (snap *snapshot) gapAt(id blog.UUID) (found gap, err error) {
	if snap.gaps == nil {
		prefix := gaps.partitionKey(string(snap.prefix))
		it, err := snap.it.Clone(pebble.CloneOptions{IterOptions: gapBounds(prefix)})
		if err != nil {
			return gap{}, err
		}
		snap.gaps = &gapReader{it, prefix}
	}
	return snap.gaps.at(id)
}

// notice has a gap made where a reader had to go through many dead rows.
func (snap *snapshot) notice() {
	if snap.dead.longest > noticed {
		snap.store.gapMaker.make(snap.store, string(snap.prefix), snap.dead.end)
	}
}

// gapReader reads the gaps of one partition.
type gapReader struct {
	it     *pebble.Iterator
	prefix []byte
}

func gapBounds(prefix []byte) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: prefix, UpperBound: with(prefix, endMark)}
}

func (r *gapReader) close() error {
	if r == nil {
		return nil
	}
	return r.it.Close()
}

func (r *gapReader) key(low blog.UUID) []byte {
	return gaps.appendRows(bytes.Clone(r.prefix), blog.CommentID{UUID: low})
}

// at returns the gap with the highest low end that is not above an id; an empty one where
// there is none.
func (r *gapReader) at(id blog.UUID) (gap, error) { return r.read(r.it.SeekGE(r.key(id))) }

// below returns the gap with the highest low end below an id.
func (r *gapReader) below(id blog.UUID) (gap, error) {
	return r.read(r.it.SeekGE(with(r.key(id), pastCells)))
}

// above returns the gap with the lowest low end that is not below an id.
func (r *gapReader) above(id blog.UUID) (gap, error) {
	return r.read(r.it.SeekLT(with(r.key(id), pastCells)))
}

func (r *gapReader) read(there bool) (g gap, err error) {
	if !there {
		return g, r.it.Error()
	}
	value, err := r.it.ValueAndErr()
	if err != nil {
		return g, err
	}
	if g.low, err = idOfRow(r.it.Key()[len(r.prefix):]); err != nil {
		return g, fmt.Errorf("%s: the key %x: %w", gaps.name, r.it.Key(), err)
	}
	f := decode(string(value))
	g.high = field[blog.CommentID](f).UUID
	return g, f.end()
}

// gapMaker makes gaps in the background.
type gapMaker struct {
	mu   sync.Mutex
	at   map[string]bool // partitions where one is being made
	idle chan struct{}   // closed while none is; nil at first

	ceiling blog.UUID // no gap ends above it; under the writer's lock
	known   bool      // the ceiling; under the writer's lock
}

const maxGapMakers = 2 // at once

// make makes a gap around a dead row, unless that is being done, or as many as may be are being made.
func (g *gapMaker) make(s *Store, partition string, id blog.UUID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.at[partition] || len(g.at) >= maxGapMakers {
		return
	}
	if g.at == nil {
		g.at = map[string]bool{}
	}
	if g.at[partition] = true; len(g.at) == 1 {
		g.idle = make(chan struct{})
	}
	go func() {
		defer g.made(partition)
		_ = blog.SafelyLogged(s.health.log, func() error { return s.makeGaps(partition, id) }) // the next read that goes through them makes what is left
	}()
}

func (s *Store) makeGaps(partition string, id blog.UUID) error {
	for range gapMakings {
		more := false
		err := s.command(context.Background(), func(tx *tx) (err error) {
			more, err = tx.makeGap(partition, id)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (g *gapMaker) made(partition string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if delete(g.at, partition); len(g.at) == 0 {
		close(g.idle)
	}
}

// wait returns when no gap is being made.
func (g *gapMaker) wait(ctx context.Context) error {
	g.mu.Lock()
	idle := g.idle
	g.mu.Unlock()
	return whenClosed(ctx, idle)
}

// makeGap makes one gap of the dead rows around an id and of the gaps that they touch. more:
// the run may go on behind it.
func (tx *tx) makeGap(partition string, id blog.UUID) (more bool, err error) {
	if err := tx.knowCeiling(); err != nil {
		return false, err
	}
	s, err := tx.survey(partition, id)
	if err != nil || s.dead < minGap && (len(s.gaps) == 0 || s.dead == 0) {
		return false, err
	}
	for _, low := range s.gaps {
		tx.dropGap(partition, low)
	}
	tx.put(gaps, tx.cellKey(gaps, truthCell, partition, blog.CommentID{UUID: s.low}), tx.encode(0, blog.CommentID{UUID: s.high}))
	if s.high.Compare(tx.gapMaker.ceiling) > 0 {
		tx.gapMaker.ceiling = s.high
	}
	return s.cut, nil
}

func (tx *tx) dropGap(partition string, low blog.UUID) {
	key := tx.cellKey(gaps, truthCell, partition, blog.CommentID{UUID: low})
	tx.writes(gaps, key)
	_ = tx.batch.Delete(key, nil)
}

// knowCeiling reads, once, how far up gaps go.
func (tx *tx) knowCeiling() error {
	g := tx.gapMaker
	if g.known {
		return nil
	}
	err := tx.scanFrom(tx.ctx, gaps, nil, func(_, value []byte) error {
		f := decode(string(value))
		if high := field[blog.CommentID](f).UUID; high.Compare(g.ceiling) > 0 {
			g.ceiling = high
		}
		return f.end()
	})
	g.known = err == nil
	return err
}

// uncover takes the gap away that covers a row which the command writes.
func (tx *tx) uncover(t *table, key ...any) {
	if !t.newestFirst() {
		return
	}
	if err := tx.knowCeiling(); err != nil {
		tx.fault = err
		return
	}
	id := idOf(key[len(key)-1])
	if id.Compare(tx.gapMaker.ceiling) >= 0 {
		return
	}
	tx.fault = errors.Join(tx.fault, tx.uncoverIn(string(t.partitionKey(key[:len(key)-1]...)), id))
}

func (tx *tx) uncoverIn(partition string, id blog.UUID) error {
	return tx.readGaps(partition, func(r *gapReader) error {
		found, err := r.at(id)
		if err == nil && found.covers(id) {
			tx.dropGap(partition, found.low)
		}
		return err
	})
}

func idOf(key any) blog.UUID {
	if post, ok := key.(blog.PostID); ok {
		return post.UUID
	}
	return key.(blog.CommentID).UUID
}

// readGaps reads the gaps of a partition as they are.
func (tx *tx) readGaps(partition string, do func(*gapReader) error) (err error) {
	prefix := gaps.partitionKey(partition)
	it, err := tx.db.NewIter(gapBounds(prefix))
	if err != nil {
		return err
	}
	r := &gapReader{it, prefix}
	defer func() { err = ended(it.Close, recover(), err) }()
	return do(r)
}

// survey is a range of ids of which no row stands.
type survey struct {
	gap
	dead int         // rows in it that lie in no gap yet
	gaps []blog.UUID // the low ends of gaps in it
	cut  bool        // it was left off before a row that stands
}

// survey finds how far the dead rows around an id go.
func (tx *tx) survey(partition string, id blog.UUID) (s survey, err error) {
	s.low, s.high = id, id
	it, err := tx.db.NewIter(&pebble.IterOptions{LowerBound: []byte(partition), UpperBound: with([]byte(partition), endMark)})
	if err != nil {
		return s, err
	}
	defer func() { err = ended(it.Close, recover(), err) }()
	err = tx.readGaps(partition, func(r *gapReader) error {
		over, err := r.at(id)
		if err != nil {
			return err
		}
		if over.covers(id) {
			s.gap, s.gaps = over, append(s.gaps, over.low)
		}
		if err := s.down(it, partition, r); err != nil {
			return err
		}
		return s.up(it, partition, r)
	})
	return s, err
}

// down lowers the range to the next row that stands. Where none does, it takes in all that
// lies below.
func (s *survey) down(it *pebble.Iterator, partition string, r *gapReader) error {
	for {
		below, err := r.below(s.low)
		if err != nil {
			return err
		}
		stopped, err := s.rows(it.SeekGE(rowKeyIn(partition, s.low, pastCells)), it, it.Next, partition, func(id blog.UUID) bool {
			if id.Compare(below.high) < 0 {
				return false
			}
			s.low = id
			return true
		})
		switch {
		case err != nil || stopped:
			return err
		case below == gap{}:
			s.low = blog.UUID{}
			return nil
		}
		s.low, s.gaps = below.low, append(s.gaps, below.low)
	}
}

// up raises the range to the next row that stands.
func (s *survey) up(it *pebble.Iterator, partition string, r *gapReader) error {
	for {
		above, err := r.above(s.high)
		if err != nil {
			return err
		}
		stopped, err := s.rows(it.SeekLT(rowKeyIn(partition, s.high, pastCells)), it, it.Prev, partition, func(id blog.UUID) bool {
			if above != (gap{}) && id.Compare(above.low) >= 0 {
				return false
			}
			s.high = nextID(id)
			return true
		})
		if err != nil || stopped || above == (gap{}) {
			return err
		}
		s.high, s.gaps = above.high, append(s.gaps, above.low)
	}
}

// rows goes through rows from where the iterator stands, and takes in the dead ones until
// take refuses. stopped: at a row that stands, or because they are many.
func (s *survey) rows(there bool, it *pebble.Iterator, move func() bool, partition string, take func(blog.UUID) bool) (stopped bool, err error) {
	var last blog.UUID
	for ; there; there = move() {
		key := it.Key()[len(partition):]
		if len(key) > 0 && key[0] != rowMark {
			break
		}
		id, err := idOfRow(key)
		if err != nil {
			return false, fmt.Errorf("the key %x: %w", it.Key(), err)
		}
		cell := key[len(key)-1]
		if cell == truthCell {
			return true, nil
		}
		if cell != deadCell || id == last {
			continue
		}
		if s.dead >= gapRows {
			s.cut = true
			return true, nil
		}
		if !take(id) {
			return false, nil
		}
		last = id
		s.dead++
	}
	return false, it.Error()
}

// newestFirst reports whether the rows of a partition are a list ordered by one id, the
// newest first. Of others there are no gaps: their dead rows are gone through.
func (t *table) newestFirst() bool {
	return len(t.clustering) == 1 && t.clustering[0].inverted != 0 && fixedLength(t.clustering[0].ColumnType) == len(blog.UUID{})
}

// rowID reads the id by which a list's rows are ordered.
func rowID(clustering []byte) (id blog.UUID) {
	for i := range id {
		id[i] = ^clustering[i]
	}
	return id
}

// idOfRow reads the id by which the rows of a list are ordered in what follows the
// partition in the key of a cell.
func idOfRow(row []byte) (blog.UUID, error) {
	if len(row) != 1+len(blog.UUID{})+1 || row[0] != rowMark {
		return blog.UUID{}, errKey
	}
	return rowID(row[1:]), nil
}

// rowKeyIn returns a key in a list's row.
func rowKeyIn(partition string, id blog.UUID, cell byte) []byte {
	key := append(append(make([]byte, 0, len(partition)+18), partition...), rowMark)
	for _, b := range id {
		key = append(key, ^b)
	}
	return append(key, cell)
}

// nextID returns the lowest id above another.
func nextID(id blog.UUID) blog.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}
