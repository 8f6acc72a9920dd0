package cqlnode_test

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"broadsheet/internal/cassandratest/cqlnode"

	"github.com/gocql/gocql"
)

// started returns a node and a session on a keyspace of it, with a table.
func started(t *testing.T) (*cqlnode.Node, *gocql.Session) {
	t.Helper()
	n, err := cqlnode.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	_, port, _ := net.SplitHostPort(n.Host())
	c := gocql.NewCluster(n.Host())
	c.Port, _ = strconv.Atoi(port)
	c.ProtoVersion, c.NumConns, c.Timeout = 4, 1, time.Minute
	s, err := c.CreateSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	execute(t, s, "CREATE KEYSPACE k WITH replication = {'class': 'NetworkTopologyStrategy', 'replication_factor': 1}")
	execute(t, s, "CREATE TABLE k.words (id int PRIMARY KEY, word text)")
	return n, s
}

func execute(t *testing.T, s *gocql.Session, cql string, args ...any) {
	t.Helper()
	if err := s.Query(cql, args...).Exec(); err != nil {
		t.Fatal(err)
	}
}

func wordOf(t *testing.T, s *gocql.Session, id int) (word string) {
	t.Helper()
	if err := s.Query("SELECT word FROM k.words WHERE id = ?", id).Scan(&word); err != nil && err != gocql.ErrNotFound {
		t.Fatal(err)
	}
	return word
}

// What the node does not know it refuses, and names the text.
func TestUnknownTexts(t *testing.T) {
	t.Parallel()
	_, s := started(t)
	for _, cql := range []string{
		"GRANT ALL ON KEYSPACE k TO ann",
		"SELECT word FROM k.words WHERE word = 'a'",
		"SELECT word, FROM k.words",
		"SELECT colour FROM k.words",
		"SELECT word FROM k.colours",
		"SELECT word FROM nowhere.words",
		"UPDATE k.words SET id = 2 WHERE id = 1",
		"UPDATE k.words SET word = 'a' WHERE id = 1 IF word > 'a'",
		"INSERT INTO k.words (id, word) VALUES (1)",
		"INSERT INTO k.words (id, word) VALUES ('one', 'a')",
		"INSERT INTO k.words (id, word) VALUES (1, 'a') IF NOT EXISTS USING TIMESTAMP 1",
		"DELETE FROM k.words WHERE word = 'a'",
		"CREATE TABLE k.more (id duration PRIMARY KEY)",
		"CREATE TABLE k.words (id int PRIMARY KEY)",
		"CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"ALTER TABLE k.words RENAME word TO text",
		"ALTER TABLE k.words DROP id",
		"DROP TABLE k.colours",
		"DROP KEYSPACE nowhere",
		"SELECT word FROM k.words; SELECT word FROM k.words",
		"SELECT £ FROM k.words",
	} {
		err := s.Query(cql).Exec()
		var refused gocql.RequestError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", cql, err)
			continue
		}
		if refused.Code() == gocql.ErrCodeSyntax && !strings.Contains(err.Error(), cql) {
			t.Errorf("%s is not named: %v", cql, err)
		}
	}
}

// Each fault does what it says, and nothing fails once the node is healed.
func TestFaults(t *testing.T) {
	t.Parallel()
	for id, c := range map[int]struct {
		name    string
		faults  cqlnode.Faults
		fails   bool
		applied bool // before the node heals
		arrives bool // when it does
	}{
		1: {"not sent", cqlnode.Faults{NotSent: 100}, true, false, false},
		2: {"lost", cqlnode.Faults{Lost: 100}, true, true, true},
		3: {"late", cqlnode.Faults{Late: 100}, true, false, true},
		4: {"again", cqlnode.Faults{Again: 100}, false, true, true},
		5: {"unavailable", cqlnode.Faults{Unavailable: 100}, true, false, false},
		6: {"overloaded", cqlnode.Faults{Overloaded: 100}, true, false, false},
		7: {"slow", cqlnode.Faults{Slow: 100, Longest: time.Millisecond}, false, true, true},
		8: {"cut before", cqlnode.Faults{Cut: 100}, true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n, s := started(t)
			execute(t, s, "INSERT INTO k.words (id, word) VALUES (?, ?)", 0, "before")
			n.Break(1, c.faults)
			err := s.Query("INSERT INTO k.words (id, word) VALUES (?, ?)", id, c.name).Exec()
			if (err != nil) != c.fails {
				t.Errorf("%v, want a failure: %v", err, c.fails)
			}
			n.Break(1, cqlnode.Faults{})
			for s.Query("SELECT word FROM k.words WHERE id = 0").Exec() != nil { // its connection was cut
				<-time.After(time.Millisecond)
			}
			if got := wordOf(t, s, id) != ""; got != c.applied {
				t.Errorf("applied: %v, want %v", got, c.applied)
			}
			n.Heal()
			if got := wordOf(t, s, id) != ""; got != c.arrives {
				t.Errorf("applied in the end: %v, want %v", got, c.arrives)
			}
		})
	}
	t.Run("unread", func(t *testing.T) {
		t.Parallel()
		n, s := started(t)
		execute(t, s, "INSERT INTO k.words (id, word) VALUES (?, ?)", 0, "before")
		n.Break(1, cqlnode.Faults{Unread: 100})
		var timeout *gocql.RequestErrReadTimeout
		if err := s.Query("SELECT word FROM k.words WHERE id = 0").RetryPolicy(nil).Exec(); !errors.As(err, &timeout) {
			t.Errorf("read: %v", err)
		}
		if met := n.Heal(); met["unread"] == 0 {
			t.Errorf("met %v", met)
		}
		if got := wordOf(t, s, 0); got != "before" {
			t.Errorf("healed, it reads %q", got)
		}
	})
}

// What a conditional batch deletes as rows is older than what it writes, as in a Cassandra, where
// both are the ballot's: a row that it inserts in a range that it deletes stands.
func TestABallotHidesNothingOfItsOwn(t *testing.T) {
	t.Parallel()
	_, s := started(t)
	execute(t, s, "CREATE TABLE k.pages (book int, page int, word text, PRIMARY KEY (book, page))")
	execute(t, s, "INSERT INTO k.pages (book, page, word) VALUES (1, 1, 'old')")
	b := s.NewBatch(gocql.UnloggedBatch)
	b.Query("INSERT INTO k.pages (book, page, word) VALUES (1, 2, 'new') IF NOT EXISTS")
	b.Query("DELETE FROM k.pages WHERE book = 1 AND page >= 0 AND page <= 9")
	if applied, _, err := s.MapExecuteBatchCAS(b, map[string]any{}); !applied || err != nil {
		t.Fatal(applied, err)
	}
	var page int
	var word string
	rows := s.Query("SELECT page, word FROM k.pages WHERE book = 1").Iter()
	if !rows.Scan(&page, &word) || page != 2 || rows.Scan(&page, &word) {
		t.Errorf("page %d, %q", page, word)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
}
