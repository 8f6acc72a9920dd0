package cqlnode_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/cassandratest/cqlnode"

	"github.com/gocql/gocql"
)

// The same random statements are given to a Cassandra and to the double: rows, write times, pages
// and the answers to conditions are the same.
func TestAnswersAsCassandra(t *testing.T) {
	t.Parallel()
	cassandratest.Real(t, "comparing with it")
	seed := mathrand.Uint64()
	if set := os.Getenv("CQLNODE_SEED"); set != "" {
		seed, _ = strconv.ParseUint(set, 10, 64)
	}
	t.Logf("CQLNODE_SEED=%d", seed)
	d := newDifferential(t, seed)
	for range 600 {
		if d.draw(3) > 0 {
			d.write()
		} else {
			d.read()
		}
	}
	for range 40 {
		d.read()
	}
	t.Logf("%d statements: %v", d.made, d.kinds)
}

const both = `CREATE TABLE %s.both (
    p int, q text, c uuid, d int, s int static, v bigint static, closed boolean static, tags set<text> static,
    a int, b text, at timestamp, list frozen<list<uuid>>, labels set<text>,
    PRIMARY KEY ((p, q), c, d)
) WITH CLUSTERING ORDER BY (c DESC, d ASC)`

// differential is a Cassandra, the double, and a stream of random statements.
type differential struct {
	*testing.T
	random   *mathrand.Rand
	sessions [2]*gocql.Session // of Cassandra, and of the double
	rows     []gocql.UUID
	far      int64 // a write time that no conditional write reaches
	made     int
	kinds    map[string]int
	last     []string
}

func newDifferential(t *testing.T, seed uint64) *differential {
	n, err := cqlnode.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	d := &differential{T: t, random: mathrand.New(mathrand.NewPCG(seed, 3)), kinds: map[string]int{}, far: time.Now().Add(time.Hour).UnixMicro()}
	for range 4 {
		var id gocql.UUID
		for i := range id {
			id[i] = byte(d.draw(256))
		}
		id[6], id[8] = id[6]&0x0f|byte(4+3*d.draw(2))<<4, id[8]&0x3f|0x80
		d.rows = append(d.rows, id)
	}
	keyspace := "cqlnode_" + strings.ToLower(rand.Text())
	for i, hosts := range [][]string{cassandratest.Hosts(t), {n.Host()}} {
		d.sessions[i] = d.connect(hosts, keyspace)
	}
	t.Cleanup(func() {
		for _, s := range d.sessions {
			_ = s.Query("DROP KEYSPACE " + keyspace).Exec()
			s.Close()
		}
	})
	return d
}

func (d *differential) connect(hosts []string, keyspace string) *gocql.Session {
	d.Helper()
	_, port, err := cassandratest.SplitHosts(hosts)
	if err != nil {
		d.Fatal(err)
	}
	c := gocql.NewCluster(hosts...)
	c.Port, c.ProtoVersion, c.Timeout, c.DefaultTimestamp = port, 4, time.Minute, false
	plain, err := c.CreateSession()
	if err != nil {
		d.Fatal(err)
	}
	defer plain.Close()
	for _, cql := range []string{"CREATE KEYSPACE %s WITH replication = {'class': 'NetworkTopologyStrategy', 'replication_factor': 1}", both} {
		if err := plain.Query(fmt.Sprintf(cql, keyspace)).Exec(); err != nil {
			d.Fatal(err)
		}
	}
	c.Keyspace = keyspace
	s, err := c.CreateSession()
	if err != nil {
		d.Fatal(err)
	}
	return s
}

func (d *differential) draw(n int) int { return d.random.IntN(n) }

func pick[T any](d *differential, all ...T) T { return all[d.draw(len(all))] }

// orNull returns a value, or null.
func orNull[T any](d *differential, v T) any {
	if d.draw(4) == 0 {
		return nil
	}
	return v
}

type entry struct {
	cql  string
	args []any
}

func (d *differential) key() []any  { return []any{d.draw(3), pick(d, "x", "y")} }
func (d *differential) row() []any  { return append(d.key(), pick(d, d.rows...), d.draw(3)) }
func (d *differential) time() int64 { return pick(d, 0, d.far) + int64(d.draw(6)) }
func (d *differential) number() int { return d.draw(4) }

const (
	ofKey = " WHERE p = ? AND q = ?"
	ofRow = ofKey + " AND c = ? AND d = ?"
)

// plain returns a write without a condition, on a partition's key and more.
func (d *differential) plain() entry {
	at := d.time()
	switch d.draw(12) {
	case 0, 1, 2:
		return entry{"UPDATE both USING TIMESTAMP ? SET a = ?, b = ?" + ofRow, append([]any{at, orNull(d, d.number()), orNull(d, pick(d, "", "m", "n"))}, d.row()...)}
	case 3:
		return entry{"UPDATE both USING TIMESTAMP ? SET at = ?, list = ?" + ofRow, append([]any{at, orNull(d, time.UnixMilli(int64(d.number()))), orNull(d, d.rows[:d.draw(3)])}, d.row()...)}
	case 4:
		return entry{"UPDATE both USING TIMESTAMP ? SET s = ?, v = ?" + ofKey, append([]any{at, orNull(d, d.number()), orNull(d, int64(d.number()))}, d.key()...)}
	case 5:
		return entry{"INSERT INTO both (p, q, c, d, a) VALUES (?, ?, ?, ?, ?) USING TIMESTAMP ?", append(d.row(), orNull(d, d.number()), at)}
	case 6:
		return entry{"DELETE FROM both USING TIMESTAMP ?" + ofRow, append([]any{at}, d.row()...)}
	case 7:
		return entry{"DELETE a, b FROM both USING TIMESTAMP ?" + ofRow, append([]any{at}, d.row()...)}
	case 8:
		slice := pick(d, " AND c >= ?", " AND c < ?", " AND c = ?")
		return entry{"DELETE FROM both USING TIMESTAMP ?" + ofKey + slice, append([]any{at}, append(d.key(), pick(d, d.rows...))...)}
	case 9:
		if d.draw(3) > 0 {
			return entry{"DELETE s FROM both USING TIMESTAMP ?" + ofKey, append([]any{at}, d.key()...)}
		}
		return entry{"DELETE FROM both USING TIMESTAMP ?" + ofKey, append([]any{at}, d.key()...)}
	case 10:
		sign := pick(d, "+", "-")
		return entry{"UPDATE both USING TIMESTAMP ? SET labels = labels " + sign + " ?" + ofRow, append([]any{at, []string{pick(d, "k", "l"), "m"}[:1+d.draw(2)]}, d.row()...)}
	}
	if d.draw(3) == 0 {
		return entry{"DELETE tags FROM both USING TIMESTAMP ?" + ofKey, append([]any{at}, d.key()...)}
	}
	return entry{"UPDATE both USING TIMESTAMP ? SET tags = tags + ?" + ofKey, append([]any{at, []string{pick(d, "k", "l")}}, d.key()...)}
}

// conditional returns a write in a partition, at a row of it.
func (d *differential) conditional(row []any) entry {
	key := row[:2]
	switch d.draw(8) {
	case 0:
		return entry{"INSERT INTO both (p, q, c, d, a, b) VALUES (?, ?, ?, ?, ?, ?) IF NOT EXISTS", append(slices.Clone(row), orNull(d, d.number()), "ins")}
	case 1:
		return entry{"UPDATE both SET a = ?" + ofRow + " IF a = ?", append(append([]any{orNull(d, d.number())}, row...), orNull(d, d.number()))}
	case 2:
		return entry{"UPDATE both SET b = ?" + ofRow + " IF a = ? AND s = ?", append(append([]any{"upd"}, row...), orNull(d, d.number()), orNull(d, d.number()))}
	case 3:
		return entry{"UPDATE both SET s = ?, v = ?" + ofKey + " IF s = ? AND closed = null", append(append([]any{d.number(), int64(d.number())}, key...), orNull(d, d.number()))}
	case 4:
		return entry{"DELETE FROM both" + ofRow + " IF EXISTS", row}
	case 5:
		return entry{"DELETE FROM both" + ofRow + " IF a = ?", append(slices.Clone(row), orNull(d, d.number()))}
	case 6:
		return entry{"UPDATE both SET a = ?" + ofRow + " IF EXISTS", append([]any{d.number()}, row...)}
	}
	return entry{"UPDATE both SET v = ?" + ofKey + " IF v = ?", append(append([]any{int64(d.number())}, key...), orNull(d, int64(d.number())))}
}

func (d *differential) write() {
	switch d.draw(6) {
	case 0, 1:
		d.kinds["write"]++
		e := d.plain()
		d.same(e.String(), func(s *gocql.Session) (string, error) { return "", s.Query(e.cql, e.args...).Exec() })
	case 2:
		d.kinds["batch"]++
		d.batch(gocql.UnloggedBatch, []entry{d.plain(), d.plain(), d.plain()})
	case 3, 4:
		d.kinds["conditional write"]++
		e := d.conditional(d.row())
		d.same(e.String(), func(s *gocql.Session) (string, error) {
			held := map[string]any{}
			applied, err := s.Query(e.cql, e.args...).MapScanCAS(held)
			return fmt.Sprint(applied, shownRow(held)), err
		})
	default:
		d.kinds["conditional batch"]++
		key := d.key()
		var all []entry
		for _, text := range []string{"static", "row", "row", "range"}[:1+d.draw(4)] {
			row := append(slices.Clone(key), d.rows[len(all)], d.draw(3)) // another one each time
			switch text {
			case "static":
				all = append(all, entry{"UPDATE both SET s = ?, v = ?" + ofKey + " IF s = ?", append(append([]any{d.number(), int64(d.number())}, key...), orNull(d, d.number()))})
			case "range":
				all = append(all, entry{"DELETE FROM both" + ofKey + " AND c >= ? AND c <= ?", append(slices.Clone(key), d.rows[1], d.rows[2])})
			default:
				all = append(all, d.conditional(row))
			}
		}
		d.batch(gocql.UnloggedBatch, all)
	}
}

func (e entry) String() string { return fmt.Sprint(e.cql, e.args) }

// batch makes a batch, with all rows of a refusal.
func (d *differential) batch(kind gocql.BatchType, all []entry) {
	conditional := strings.Contains(all[0].cql, " IF ")
	d.same(fmt.Sprint(all), func(s *gocql.Session) (string, error) {
		b := s.NewBatch(kind)
		for _, e := range all {
			b.Query(e.cql, e.args...)
		}
		if !conditional {
			return "", s.ExecuteBatch(b)
		}
		held := map[string]any{}
		applied, iter, err := s.MapExecuteBatchCAS(b, held)
		if err != nil {
			return "", err
		}
		rows := []string{shownRow(held)}
		for more := (map[string]any{}); iter.MapScan(more); more = map[string]any{} {
			rows = append(rows, shownRow(more))
		}
		return fmt.Sprint(applied, rows), iter.Close()
	})
}

// read compares one query, page by page.
func (d *differential) read() {
	d.kinds["read"]++
	const columns = "p, q, c, d, s, v, closed, tags, a, b, at, list, labels, WRITETIME(a), WRITETIME(b), WRITETIME(s), WRITETIME(list)"
	e := entry{"SELECT " + columns + " FROM both", nil}
	order := pick(d, "", " ORDER BY c DESC, d ASC", " ORDER BY c ASC, d DESC")
	limit := pick(d, "", "", " LIMIT 3")
	page := pick(d, 1, 2, 3, 1000)
	switch d.draw(9) {
	case 0:
		e = entry{e.cql + limit, nil}
	case 1:
		e = entry{e.cql + ofKey + order + limit, d.key()}
	case 2:
		e = entry{e.cql + ofKey + " AND c >= ? AND c < ?" + order + limit, append(d.key(), pick(d, d.rows...), pick(d, d.rows...))}
	case 3:
		e = entry{e.cql + ofKey + " AND c = ? AND d > ?" + order + limit, append(d.key(), pick(d, d.rows...), d.draw(3))}
	case 4:
		e = entry{e.cql + ofKey + " AND c IN ? AND d IN ?" + order, append(d.key(), d.rows[d.draw(2):], []int{2, 0})}
		page = 1000
	case 5:
		e = entry{"SELECT DISTINCT p, q, s, v, tags FROM both", nil}
	case 6:
		e = entry{"SELECT DISTINCT s, closed, tags FROM both" + ofKey, d.key()}
	case 7:
		e = entry{e.cql + " WHERE token(p, q) > ? AND token(p, q) <= ?", []any{d.random.Int64() - 1<<62, d.random.Int64()}}
	default:
		e = entry{e.cql + ofRow, d.row()}
		page = 1000
	}
	d.same(fmt.Sprint(e, " by ", page), func(s *gocql.Session) (string, error) { return pages(s, e, page) })
}

// pages reads all pages of a query.
func pages(s *gocql.Session, e entry, size int) (string, error) {
	var all []string
	var state []byte
	for range 1000 {
		iter := s.Query(e.cql, e.args...).PageSize(size).PageState(state).Iter()
		state = iter.PageState()
		for row := (map[string]any{}); iter.MapScan(row); row = map[string]any{} {
			all = append(all, shownRow(row))
		}
		if err := iter.Close(); err != nil {
			return "", err
		}
		if len(state) == 0 {
			return strings.Join(all, "\n"), nil
		}
		all = append(all, "——")
	}
	return "", errors.New("the pages have no end")
}

// shownRow writes a row. Ballots are times of now, and differ.
func shownRow(row map[string]any) string {
	var b strings.Builder
	for _, column := range slices.Sorted(maps.Keys(row)) {
		v := row[column]
		if at, is := v.(int64); is && strings.HasPrefix(column, "writetime") && at > 1<<50 && time.Until(time.UnixMicro(at)) < 30*time.Minute {
			v = "a ballot"
		}
		if at, is := v.(*int64); is && at != nil {
			v = *at
		}
		fmt.Fprintf(&b, " %s=%v", column, v)
	}
	return b.String()
}

// same fails where the two answer differently.
func (d *differential) same(what string, ask func(*gocql.Session) (string, error)) {
	d.Helper()
	d.made++
	d.last = append(d.last, what)
	var answers [2]string
	for i, s := range d.sessions {
		answer, err := ask(s)
		if err != nil {
			answer = "refused"
			var refused gocql.RequestError
			if !errors.As(err, &refused) {
				d.Fatalf("%s: %v", what, err)
			}
			answer += fmt.Sprintf(" with %x", refused.Code())
			if i == 0 {
				d.kinds["refused"]++
			}
		}
		answers[i] = answer
	}
	if answers[0] != answers[1] {
		d.Fatalf("%s\n  Cassandra:\n%s\n  the double:\n%s\nThe last statements:\n%s", what, answers[0], answers[1], strings.Join(d.last[max(0, len(d.last)-400):], "\n"))
	}
}
