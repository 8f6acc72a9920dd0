package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// checkpoint is how far a repair has come, in a file: a line for each row that it mended, and for each table that it has
// done. It is not in the store, where a backup would have it too, and the repair after it pass over what was lost.
type checkpoint struct {
	audit.Verifying
	done []audit.TableReport // by runs before this one
	file *os.File            // nil: nothing is kept
	err  error               // of the first line that was not written
}

// checkpointLine has one of these.
type checkpointLine struct {
	Store  string             `json:",omitempty"` // the first line
	Mended *audit.Drift       `json:",omitempty"`
	Done   *audit.TableReport `json:",omitempty"`
}

// resumed has a repair of a store go on where a file says, and keep there how far it comes. Without the file's name it
// does neither.
func resumed(repair audit.Verifying, store, name string) (*checkpoint, error) {
	c := &checkpoint{Verifying: repair}
	if name == "" {
		return c, nil
	}
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if of := c.read(text); of != store && len(text) > 0 {
		return nil, fmt.Errorf("%s is not of a repair of %s: name another file, or remove it", name, store)
	}
	if c.file, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	c.write(checkpointLine{Store: store})
	c.Note = func(d audit.Drift) { c.write(checkpointLine{Mended: &d}) }
	c.Report = func(t audit.TableReport) {
		if repair.Report(t); !t.CutOff {
			c.write(checkpointLine{Done: &t})
		}
	}
	for _, t := range c.done {
		repair.Report(t)
	}
	return c, c.err
}

// read reads the lines, but those that were cut short, and returns of which store they are.
func (c *checkpoint) read(text []byte) (store string) {
	c.Tables = blog.Tables()
	for text := range bytes.SplitSeq(text, []byte("\n")) {
		var l checkpointLine
		switch err := json.Unmarshal(text, &l); {
		case err != nil:
		case l.Mended != nil:
			c.Mended = append(c.Mended, *l.Mended)
		case l.Done != nil:
			c.done = append(c.done, *l.Done)
			c.Tables = slices.DeleteFunc(c.Tables, func(t blog.Table) bool { return t == l.Done.Table })
		default:
			store = l.Store
		}
	}
	return store
}

// write begins a line, so that one that a kill cut short has an end.
func (c *checkpoint) write(l checkpointLine) {
	text, err := json.Marshal(l)
	if c.err == nil && err == nil {
		_, err = fmt.Fprintf(c.file, "\n%s", text)
	}
	c.err = errors.Join(c.err, err)
}

// end removes the file if the repair has come to its end, else leaves it to another.
func (c *checkpoint) end(cutOff error) error {
	if c.file == nil {
		return cutOff
	}
	if cutOff == nil {
		cutOff = os.Remove(c.file.Name())
	}
	return errors.Join(cutOff, c.err, c.file.Close())
}
