package tables

import (
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// Counted are the statements of a table whose partitions count their rows. The count is in a
// header above the rows, with a version, a stamp, and whether the partition is closed.
type Counted struct {
	Header, Update, Close cql.Statement // Update replaces the header under the guard of the one before, if it is not closed
	Clear, Delete         cql.Statement // of a closed partition: the count, and the rows between two keys
	Rows, Row             cql.Statement // those with some keys, and one, each with the header
	Sweep                 cql.Statement // the rows behind a key, so many: their keys, users and commands
	CountAudit
}

// CountAudit is how a count is compared with the rows that it counts, and mended.
type CountAudit struct {
	Each          cql.Statement   // all rows: the key, the text or flag that makes the row count, when so many cells were written
	Counts        blog.ColumnType // of that text or flag
	Cells         int
	Mend, Orphans cql.Statement // of a header, by its version alone; of rows between two keys, as of a stamp
}

// Counting has the statements of each table that counts its rows.
var Counting = func() map[blog.Table]Counted {
	comments := blog.CommentText
	content := comments.Columns[slices.IndexFunc(comments.Columns, blog.Column.Text)]
	all := map[blog.Table]Counted{blog.CommentsByPost: countedOf(blog.CommentsByPost, countedCells{
		stored: []string{"comment_rows", "comment_bytes"}, row: append(comments.Columns.Names(), "number"),
		copies: blog.CommentName.Columns.Names(), counts: content, swept: []string{comments.Columns[0].Name, "reply_path", "number"},
	})}
	for _, k := range blog.ReactionKinds {
		claims := k.TruthFamily().Columns
		all[k.Table] = countedOf(k.Table, countedCells{row: claims.Names(), counts: claims[0], swept: claims[1:].Names()})
	}
	return all
}()

// countColumn is where a count stands, as its copies do.
func countColumn(of *blog.Subject) string {
	if of.Reaction != nil {
		return of.Reaction.Name + "_count"
	}
	families := blog.Families()
	return families[slices.IndexFunc(families, func(g *blog.Family) bool { return g.Counts() && g.Truth == of.Truth })].Columns[0].Name
}

// countedCells are the columns of such a table.
type countedCells struct {
	stored []string // of the header: what the partition holds, where that is bounded
	row    []string
	copies []string    // in the row
	counts blog.Column // the text or flag that makes a row count
	swept  []string    // what says what follows from a row
}

func countedOf(table blog.Table, c countedCells) Counted {
	d := table.Declaration()
	key, of, written := d.Clustering[0], where(d.Partition), slices.Concat(c.row, c.copies)
	update, from, between := "UPDATE "+string(table)+" SET ", " FROM "+string(table), of+" AND "+key.Name+" >= ? AND "+key.Name+" <= ?"
	count := countColumn(d.About)
	counts := []string{count, "version", "stamp"}
	header := list(counts, []string{"closed"}, c.stored)
	row := "SELECT " + list([]string{key.Name}, c.row) + ", recent_commands, " + header + from + of + " AND " + key.Name
	behind, order := " > ?", " ASC"
	if key.Descending {
		behind, order = " < ?", " DESC"
	}
	on := func(text string) cql.Statement { return cql.On(table, text) }
	return Counted{
		Header: on("SELECT DISTINCT " + header + from + of),
		Update: on(update + set(slices.Concat(counts, c.stored)) + of + " IF version = ? AND " + count + " = ? AND closed = null"),
		Close:  on(update + "closed = true, version = ?, stamp = ?" + of + " IF version = ? AND closed = null"),
		Clear:  on(update + count + " = 0" + of + " IF closed = true"),
		Delete: on("DELETE" + from + between),
		Rows:   on(row + " IN ?"), Row: on(row + " = ?"),
		Sweep: on("SELECT " + list([]string{key.Name}, c.swept) + ", recent_commands" + from + of + " AND " + key.Name + behind + " ORDER BY " + key.Name + order + " LIMIT ?"),
		CountAudit: CountAudit{
			Each:   on("SELECT " + list([]string{key.Name, c.counts.Name}, times(written)) + from + of),
			Counts: c.counts.Type, Cells: len(written),
			Mend:    on(update + set(counts) + of + " IF version = ? AND closed = null"),
			Orphans: on("DELETE" + from + " USING TIMESTAMP ?" + between),
		},
	}
}
