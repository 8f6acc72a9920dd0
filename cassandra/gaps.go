package cassandra

import (
	"context"
	"strconv"
	"strings"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// Gaps are long runs of dead rows in one partition of a list, written down so that a
// reader passes each in one step:
//
//	posts_by_author, newest ▷  ■ ■ · · · · · · · … · · · · ■ ■ · ■     ■ stands, · dead
//	                               └────── gap ──────────┘
//	                               high (exclusive)     low
//
// A gap must never hide a row that stands, and a row may come late into an old range: by
// recovery, by a command that is repeated under its key, by a repair. So a partition's gaps
// hang on one version, which every change of them raises by a conditional batch:
//
//	maker   making = true, version 5 │ reads the rows │ gap, IF version = 5 … 6
//	writer  writes its row           │ making, or a gap over it? raises the version, cuts the gap
//
// Either the maker reads after the row was acknowledged, and finds it; or the writer looks
// after making was set, and what the maker goes by has moved. Fresh rows need not look:
// a gap covers nothing that is younger than gapAge, and every row is written before that, or
// its writer looks.

var (
	selectGapsHead = cql.On(blog.Gaps, `SELECT DISTINCT version, making FROM gaps WHERE list = ? AND part = ?`)
	selectGap      = cql.On(blog.Gaps, `SELECT low, high FROM gaps WHERE list = ? AND part = ? AND low <= ? ORDER BY low DESC LIMIT 1`)
	selectGapBelow = cql.On(blog.Gaps, `SELECT low, high FROM gaps WHERE list = ? AND part = ? AND low < ? ORDER BY low DESC LIMIT 1`)
	selectGapAbove = cql.On(blog.Gaps, `SELECT low, high FROM gaps WHERE list = ? AND part = ? AND low >= ? ORDER BY low ASC LIMIT 1`)
	moveGaps       = cql.On(blog.Gaps, `UPDATE gaps SET version = ?, making = ? WHERE list = ? AND part = ? IF version = ?`)
	putGap         = cql.On(blog.Gaps, `UPDATE gaps SET high = ? WHERE list = ? AND part = ? AND low = ?`)
	dropGaps       = cql.On(blog.Gaps, `DELETE FROM gaps WHERE list = ? AND part = ? AND low > ? AND low < ?`)
)

const (
	// gapAge is how old a row must be before a gap may cover it, lateAge from when on who
	// writes a row looks for gaps: between them lies what clocks may be apart, and as much
	// again.
	gapAge  = lateAge + 2*blog.ClockSkew
	lateAge = cql.CommandDeadline

	minGap = 128 // dead rows, below which it is as well to read them
)

// gapPlace is a partition of a list.
type gapPlace struct {
	list blog.Table
	part string
}

func commentsGaps(post blog.PostID) gapPlace {
	return gapPlace{blog.CommentsByPost, post.String()}
}

func feedGaps(place blog.FeedPlace) gapPlace {
	return gapPlace{blog.FeedByBucket, place.Bucket + "/" + strconv.Itoa(place.Shard)}
}

func authorGaps(list blog.Table, author blog.UserID) gapPlace {
	return gapPlace{list, author.String()}
}

// partition returns the arguments that name the partition in a statement on the list.
func (p gapPlace) partition() []any {
	if p.list != blog.FeedByBucket {
		key, _ := gocql.ParseUUID(p.part)
		return []any{key}
	}
	at := strings.LastIndexByte(p.part, '/')
	shard, _ := strconv.Atoi(p.part[at+1:])
	return []any{p.part[:max(at, 0)], shard}
}

// gapKey is the key of a row in a partition of a list.
type gapKey struct {
	gapPlace
	key blog.UUID
}

// commentGapKey is where a comment's truth stands.
func commentGapKey(key blog.CommentKey) gapKey {
	return gapKey{commentsGaps(key.Post), key.Comment.UUID}
}

// gapKeys returns where copies make, or kill, rows of lists that leave dead ones.
func gapKeys(copies []blog.Copy, dead bool) (keys []gapKey) {
	for _, c := range copies {
		if !c.Group.LeavesDead() || c.Deletes() != dead {
			continue
		}
		switch key := c.Key; c.Group {
		case blog.FeedPost:
			keys = append(keys, gapKey{feedGaps(blog.FeedPlace{Bucket: key[0].(string), Shard: key[1].(int)}), key[2].(blog.PostID).UUID})
		case blog.AuthorPost:
			keys = append(keys, gapKey{authorGaps(c.Group.Table, key[0].(blog.UserID)), key[1].(blog.PostID).UUID})
		case blog.AuthorComment:
			keys = append(keys, gapKey{authorGaps(c.Group.Table, key[0].(blog.UserID)), key[1].(blog.CommentID).UUID})
		}
	}
	return keys
}

// gap is a range without a row that stands: from low on, below high. One that was cut at its
// lowest key is empty.
type gap struct{ low, high blog.UUID }

func (g gap) covers(key blog.UUID) bool {
	return g.low.Compare(key) <= 0 && key.Compare(g.high) < 0
}

// gapBy returns the gap that a statement finds; an empty one where there is none.
func (s *Store) gapBy(ctx context.Context, read cql.Reader, st cql.Statement, place gapPlace, key blog.UUID) (g gap, err error) {
	err = read(ctx, st.With(string(place.list), place.part, cql.ID(key)), cql.Into(&g.low), cql.Into(&g.high))
	return g, cql.AbsentIsZero(err)
}

// gapsHead is what stands above the gaps of a partition; all zero where there never was one.
type gapsHead struct {
	version int64
	making  bool
}

func (s *Store) gapsHead(ctx context.Context, place gapPlace) (h gapsHead, err error) {
	err = s.db.OneSerial(ctx, selectGapsHead.With(string(place.list), place.part), &h.version, &h.making)
	return h, cql.AbsentIsZero(err)
}

// changeGaps changes the gaps of a partition, under the guard of the head before. It reports
// false where somebody was faster, or may have been.
func (s *Store) changeGaps(ctx context.Context, place gapPlace, before gapsHead, making bool, changes ...cql.Bound) (bool, error) {
	var guard any
	if before.version > 0 {
		guard = before.version
	}
	batch := append([]cql.Bound{moveGaps.With(before.version+1, making, string(place.list), place.part, guard)}, changes...)
	applied, _, err := s.db.CompareAndSet(ctx, batch...)
	return applied, err
}

func (p gapPlace) put(g gap) cql.Bound {
	return putGap.With(cql.ID(g.high), string(p.list), p.part, cql.ID(g.low))
}

func (p gapPlace) drop(above, below blog.UUID) cql.Bound {
	return dropGaps.With(string(p.list), p.part, cql.ID(above), cql.ID(below))
}

// uncoverLate makes sure that no gap hides rows that were just written, where they are so
// old that one may.
func (s *Store) uncoverLate(ctx context.Context, copies []blog.Copy) error {
	return s.uncover(ctx, s.late(gapKeys(copies, false)))
}

// late returns the keys that are older than fresh ones.
func (s *Store) late(keys []gapKey) (old []gapKey) {
	now := s.clocks.Now()
	for _, k := range keys {
		if now.Sub(k.key.Time()) > lateAge {
			old = append(old, k)
		}
	}
	return old
}

// uncover cuts the gaps that cover any of the keys, and keeps those that are being made from
// covering them. Rows at the keys are acknowledged.
func (s *Store) uncover(ctx context.Context, keys []gapKey) error {
	if len(keys) == 0 {
		return nil
	}
	places := map[gapPlace][]blog.UUID{}
	for _, k := range keys {
		places[k.gapPlace] = append(places[k.gapPlace], k.key)
	}
	var cuts []func() error
	for place, keys := range places {
		cuts = append(cuts, func() error {
			return cql.Insist(ctx, func(ctx context.Context) error { return s.uncoverAt(ctx, place, keys) })
		})
	}
	return cql.Concurrently(cuts...)
}

func (s *Store) uncoverAt(ctx context.Context, place gapPlace, keys []blog.UUID) error {
	var others cql.Contest
	for {
		head, err := s.gapsHead(ctx, place)
		if err != nil || head.version == 0 {
			return err
		}
		key, over, err := s.covered(ctx, place, keys)
		if err != nil || over == (gap{}) && !head.making {
			return err
		}
		var cut []cql.Bound
		if over != (gap{}) {
			cut = []cql.Bound{place.put(gap{cql.After(key), over.high}), place.put(gap{over.low, key})}
		}
		if _, err = s.changeGaps(ctx, place, head, false, cut...); err != nil {
			return err
		}
		if err := others.Pause(ctx); err != nil {
			return err
		}
	}
}

// covered returns the first of some keys that a gap covers, and the gap.
func (s *Store) covered(ctx context.Context, place gapPlace, keys []blog.UUID) (blog.UUID, gap, error) {
	for _, key := range keys {
		over, err := s.gapBy(ctx, s.db.OneSerial, selectGap, place, key)
		if err != nil || over.covers(key) {
			return key, over, err
		}
	}
	return blog.UUID{}, gap{}, nil
}

// newestInGap is the lowest id that no gap may cover yet: by the cluster's time, for readers
// make gaps too, whose server's clock may be wrong.
func (s *Store) newestInGap() blog.UUID {
	return blog.FirstUUIDAt(s.clocks.Now().Add(-gapAge))
}
