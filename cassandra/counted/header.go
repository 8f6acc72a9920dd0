package counted

import "broadsheet/blog"

// Header is a partition's static cells; all zero where nothing was ever written.
type Header struct {
	Rows    int // that count
	Version int64
	Stamp   int64
	Closed  bool
	Stored  int // rows that the partition holds, dead ones too; less than Rows: not known
	Bytes   int // of their contents
}

// Size is how many rows the partition holds.
func (h Header) Size() int { return max(h.Rows, h.Stored) }

// Count is what copies hold.
func (h Header) Count() blog.Count { return blog.Count{N: h.Rows, Stamp: h.Stamp} }

// Guard returns the arguments of the conditions under which a header is replaced. A version of 0 stands for absent
// cells, which a condition names by null.
func (h Header) Guard() (version, rows any) {
	if h.Version == 0 {
		return nil, nil
	}
	return h.Version, h.Rows
}

// Columns returns where a statement that reads a header puts it: count, version, stamp, closed, and, of a partition
// that bounds its contents, what it holds.
func (h *Header) Columns(sized bool) []any {
	columns := []any{&h.Rows, &h.Version, &h.Stamp, &h.Closed}
	if sized {
		columns = append(columns, &h.Stored, &h.Bytes)
	}
	return columns
}

// Outcome is a change that exists, with the header as of its batch or later: what copies are made of.
type Outcome struct {
	Header
	Own int // rows as of the change itself or later: what its command answers
}

// OwnCount is the count that the change's command answers.
func (o Outcome) OwnCount() blog.Count { return blog.Count{N: o.Own, Stamp: o.Stamp} }
