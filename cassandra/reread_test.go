package cassandra

import (
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/truth"

	"github.com/gocql/gocql"
)

// The row of a change may be read again and again after one attempt: whatever was read
// before, the command goes by the last reading.

func TestCommentEditIsReadAgain(t *testing.T) {
	t.Parallel()
	author := blog.UserID{UUID: blog.FirstUUIDAt(time.Unix(1, 0))}
	mine, later := commandNo(1), commandNo(2)
	row := func(content string, version int, by ...blog.CommandID) truth.Comment {
		comment := truth.Comment{Comment: blog.Comment{Author: blog.Author{ID: author}, Content: content, Version: version}}
		for _, c := range by {
			comment.By.Recent = append(comment.By.Recent, cql.ID(c.UUID))
		}
		return comment
	}
	applied, editedOn := row("mine", 2, mine), row("another's", 3, later, mine)
	for name, c := range map[string]struct {
		rows          []truth.Comment
		version, view string
	}{
		"applied":                            {[]truth.Comment{applied}, "mine 2", "mine 2"},
		"applied, read twice":                {[]truth.Comment{applied, applied}, "mine 2", "mine 2"},
		"edited on":                          {[]truth.Comment{editedOn}, "mine 2", "another's 3"},
		"edited on, read twice":              {[]truth.Comment{editedOn, editedOn}, "mine 2", "another's 3"},
		"edited on between the two readings": {[]truth.Comment{applied, editedOn}, "mine 2", "another's 3"},
	} {
		e := commentEdit{store: &Store{clock: blog.SystemClock{}}, input: blog.UpdateComment{Actor: author, Content: "mine"}, Edit: truth.Edit{Command: mine}, commentBefore: commentBefore{comment: row("first", 1)}}
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
	standing := func(content string, version int) truth.Comment {
		return truth.Comment{Comment: blog.Comment{Content: content, Version: version}}
	}
	t.Run("a comment that was made", func(t *testing.T) {
		c := commentCreation{comment: blog.Comment{Content: "first", Version: 1}}
		for _, r := range []truth.Comment{standing("edited", 2), standing("edited", 2), standing("edited on", 3)} {
			if stands, err := c.reread(r, true); !stands || err != nil || edition(c.made.Comment) != edition(r.Comment) {
				t.Errorf("stands %v, %v, as %q", stands, err, edition(c.made.Comment))
			}
		}
		if stands, _ := c.reread(truth.Comment{}, true); stands || edition(c.made.Comment) != "first 1" {
			t.Errorf("where none stands it is made as %q", edition(c.made.Comment))
		}
	})
	t.Run("a comment that was deleted", func(t *testing.T) {
		d := commentDeletion{commentBefore: commentBefore{comment: standing("c", 1)}, command: commandNo(1)}
		for _, version := range []int{2, 2, 3} {
			if gone, err := d.reread(standing("edited", version), true); gone || err != nil {
				t.Errorf("gone %v, %v", gone, err)
			}
			if entry := d.entries(counted.Header{})[0]; entry.Args[len(entry.Args)-1] != version {
				t.Errorf("it is deleted at %v, want version %d", entry.Args, version)
			}
		}
	})
	t.Run("a reaction", func(t *testing.T) {
		r := toggle{given: true}
		for _, given := range []bool{false, true, true, false} {
			if stands, err := r.reread(commandNo(1))(truth.Reaction{Stands: given}, true); stands != given || err != nil {
				t.Errorf("stands %v, %v, want %v", stands, err, given)
			}
		}
	})
}
