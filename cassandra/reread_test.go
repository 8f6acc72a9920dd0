package cassandra

import (
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// The row of a change may be read again and again after one attempt: whatever was read
// before, the command goes by the last reading.

func TestCommentEditIsReadAgain(t *testing.T) {
	t.Parallel()
	author := blog.UserID{UUID: blog.FirstUUIDAt(time.Unix(1, 0))}
	mine, later := commandNo(1), commandNo(2)
	row := func(content string, version int, by ...blog.CommandID) commentTruth {
		truth := commentTruth{Comment: blog.Comment{Author: blog.Author{ID: author}, Content: content, Version: version}}
		for _, c := range by {
			truth.by.recent = append(truth.by.recent, cql.ID(c.UUID))
		}
		return truth
	}
	applied, editedOn := row("mine", 2, mine), row("another's", 3, later, mine)
	for name, c := range map[string]struct {
		rows          []commentTruth
		version, view string
	}{
		"applied":                            {[]commentTruth{applied}, "mine 2", "mine 2"},
		"applied, read twice":                {[]commentTruth{applied, applied}, "mine 2", "mine 2"},
		"edited on":                          {[]commentTruth{editedOn}, "mine 2", "another's 3"},
		"edited on, read twice":              {[]commentTruth{editedOn, editedOn}, "mine 2", "another's 3"},
		"edited on between the two readings": {[]commentTruth{applied, editedOn}, "mine 2", "another's 3"},
	} {
		e := commentEdit{store: &Store{clock: blog.SystemClock{}}, input: blog.UpdateComment{Actor: author, Content: "mine"}, edit: edit{command: mine}, ownComment: ownComment{comment: row("first", 1)}}
		if done, err := e.decide(); done || err != nil {
			t.Fatal(done, err)
		}
		for _, r := range c.rows {
			if stands, err := e.reread(r, true); !stands || err != nil {
				t.Errorf("%s: stands %v, %v", name, stands, err)
			}
		}
		if got := edition(e.made); got != c.version {
			t.Errorf("%s: the answer is %q, want %q", name, got, c.version)
		}
		if got := edition(e.next); got != c.view {
			t.Errorf("%s: copies show %q, want %q", name, got, c.view)
		}
	}
}

func edition(c blog.Comment) string { return c.Content + " " + string(rune('0'+c.Version)) }

func commandNo(n byte) (c blog.CommandID) {
	c.UUID = blog.UUID(gocql.UUIDFromTime(time.Unix(int64(n), 0)))
	return c
}

func TestOtherChangesAreReadAgain(t *testing.T) {
	t.Parallel()
	standing := func(content string, version int) commentTruth {
		return commentTruth{Comment: blog.Comment{Content: content, Version: version}}
	}
	t.Run("a comment that was made", func(t *testing.T) {
		made := blog.Comment{Content: "first", Version: 1}
		c := addComment(&made)
		for _, r := range []commentTruth{standing("edited", 2), standing("edited", 2), standing("edited on", 3)} {
			if stands, err := c.Reread(r, true); !stands || err != nil || edition(made) != edition(r.Comment) {
				t.Errorf("stands %v, %v, as %q", stands, err, edition(made))
			}
		}
		if stands, _ := c.Reread(commentTruth{}, true); stands || edition(made) != "first 1" {
			t.Errorf("where none stands it is made as %q", edition(made))
		}
	})
	t.Run("a comment that was deleted", func(t *testing.T) {
		c := removeComment(standing("c", 1))
		for _, version := range []int{2, 2, 3} {
			if gone, err := c.Reread(standing("edited", version), true); gone || err != nil {
				t.Errorf("gone %v, %v", gone, err)
			}
			if entry := c.Entries(counted.Header{})[0]; entry.Args[len(entry.Args)-1] != version {
				t.Errorf("it is deleted at %v, want version %d", entry.Args, version)
			}
		}
	})
	t.Run("a like", func(t *testing.T) {
		l := toggle{liked: true}
		for _, liked := range []bool{false, true, true, false} {
			if stands, err := l.reread(likeClaim{liked: liked}, true); stands != liked || err != nil {
				t.Errorf("stands %v, %v, want %v", stands, err, liked)
			}
		}
	})
}
