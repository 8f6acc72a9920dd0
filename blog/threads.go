package blog

import "slices"

// readPaths reads the comments of a span of paths, at least from and below to, so many from its beginning, or from its
// end where backward.
type readPaths func(from, to Path, backward bool, limit int) ([]Comment, error)

// page reads a page. No row says that a comment is gone: its entry is made where a reply below it is read. So an entry
// of one that is gone is lacking as soon as its last reply is.
func (q ThreadQuery) page(read readPaths) (page Page[ThreadEntry], err error) {
	from, to := q.span()
	rows, err := read(from, to, q.Page.Backward, q.Page.Limit+1)
	if err != nil {
		return page, err
	}
	more := len(rows) > q.Page.Limit
	var last Path // the one before the next entry
	if q.Page.Backward {
		slices.Reverse(rows)
		if more {
			last, rows = rows[0].Place(), rows[1:] // what is above it stands before it
		}
	}
	for _, c := range rows {
		page.Items, last = q.with(page.Items, c.Place(), from, last), c.Place()
		page.Items = append(page.Items, ThreadEntry{q.Post, last, &c})
	}
	if q.Page.Before != nil && (q.Page.Backward || !more) {
		page.Items, err = q.ending(page.Items, read, from, last)
	}
	if over := len(page.Items) - q.Page.Limit; over > 0 {
		more = true
		if q.Page.Backward {
			page.Items = page.Items[over:]
		} else {
			page.Items = page.Items[:q.Page.Limit]
		}
	}
	page.HasNext, page.HasPrevious = more, q.Page.After != nil
	if q.Page.Backward {
		page.HasPrevious, page.HasNext = more, q.Page.Before != nil
	}
	return page, err
}

// span returns the paths between the cursors: at least from, below to.
func (q ThreadQuery) span() (from, to Path) {
	from, to = q.Under, LastPath
	if q.Under != "" {
		to = q.Under.Past()
	}
	if q.Page.After != nil {
		from = max(from, q.Page.After.Next())
	}
	if q.Page.Before != nil {
		to = min(to, *q.Page.Before)
	}
	return from, to
}

// with appends the entries of the comments above a path that are gone: those that lie behind the last entry. One that
// is there was the last, or was passed.
func (q ThreadQuery) with(entries []ThreadEntry, of, from, last Path) []ThreadEntry {
	for _, above := range of.Above() {
		if above >= from && above > last {
			entries = append(entries, ThreadEntry{Post: q.Post, Path: above})
		}
	}
	return entries
}

// ending appends the entries at the end of a page before a cursor whose living replies all stand behind that. The first
// row there shows which have some.
func (q ThreadQuery) ending(entries []ThreadEntry, read readPaths, from, last Path) ([]ThreadEntry, error) {
	gone := q.with(nil, *q.Page.Before, from, last)
	if len(gone) == 0 {
		return entries, nil
	}
	rows, err := read(*q.Page.Before, gone[0].Path.Past(), false, 1)
	for _, entry := range gone {
		if len(rows) > 0 && rows[0].Place().Under(entry.Path) {
			entries = append(entries, entry)
		}
	}
	return entries, err
}
