package tables

import (
	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// The truths whose columns are declared.
var (
	Users     = truthOf[blog.User](blog.UserTruths)
	Posts     = truthOf[blog.Post](blog.PostText, blog.PostContent)
	PostTexts = truthOf[blog.Post](blog.PostText) // without the contents
	Comments  = truthOf[blog.Comment](blog.CommentText)
	Groups    = truthOf[blog.Group](blog.GroupText)

	OwnGroup = list(blog.OwnGroup.Columns.Names()) // a row of a user's own groups
)

// Cards has the statements that read the copies of users under a unique key: each user, its stamp, its id.
var Cards = func() map[*blog.UniqueKey]cql.Statement {
	all := map[*blog.UniqueKey]cql.Statement{}
	for _, k := range blog.UniqueKeys {
		d := k.Card.Table.Declaration()
		all[k] = cql.On(d.Table, "SELECT "+Users.Columns+", WRITETIME(username), user_id FROM "+string(d.Table)+where(d.Partition))
	}
	return all
}()

// Truth is a truth as statements have it.
type Truth[T any] struct {
	Columns string // a list of them
	Marks   string // as many arguments
	Set     string // what an edit sets: all but what is fixed
	Voided  string // what a deletion sets in a row that holds copies, too: each text to null
	Emptied string // what it sets in a row that stays among others: each text to '', its number to 0

	columns blog.Columns
	row     blog.Row[T]
}

func truthOf[T any](families ...*blog.Family) Truth[T] {
	columns := blog.ColumnsOf(families...)
	var texts []string
	for _, c := range columns {
		if c.Text() {
			texts = append(texts, c.Name+" = null")
		}
	}
	var row blog.Row[T]
	for _, g := range families {
		row = append(row, blog.RowOf[T](g)...)
	}
	return Truth[T]{
		Columns: list(columns.Names()), Marks: marks(len(columns)), Set: set(columns.Edited().Names()),
		Voided: list(texts), Emptied: emptied(columns),
		columns: columns, row: row,
	}
}

// Into returns where the columns are read to, and what is read after them.
func (t Truth[T]) Into(of *T, more ...any) []any { return Into(t.row, of, more...) }

// Values returns the arguments for the columns, and more.
func (t Truth[T]) Values(of *T, more ...any) []any { return t.arguments(of, true, more) }

// Edit returns the arguments for what an edit sets, and more.
func (t Truth[T]) Edit(of *T, more ...any) []any { return t.arguments(of, false, more) }

func (t Truth[T]) arguments(of *T, fixed bool, more []any) []any {
	args := make([]any, 0, len(t.columns)+len(more))
	for i, value := range t.row.Values(of) {
		if fixed || !t.columns[i].Fixed {
			args = append(args, ArgumentOf(t.columns[i], value))
		}
	}
	return append(args, more...)
}

// Into returns where the columns of a row are read to, and what is read after them.
func Into[T any](row blog.Row[T], of *T, more ...any) []any {
	into := make([]any, 0, len(row)+len(more))
	for _, field := range row {
		into = append(into, target(field(of)))
	}
	return append(into, more...)
}

// target is where the driver puts the value of a field.
func target(field any) any {
	if id := blog.IDAt(field); id != nil {
		return cql.Into(id)
	}
	switch v := field.(type) {
	case *blog.Count:
		return &v.N
	case *blog.CopiedText:
		return cql.IntoText(v)
	case *blog.Path:
		return (*string)(v)
	}
	return field
}

// TruthReads returns the statements that read columns of a table's rows, and their keys: those of a range of tokens, and one.
func TruthReads(table blog.Table, columns string) (every, one cql.Statement) {
	d := table.Declaration()
	rows := "SELECT " + columns + ", " + list(d.Key().Names()) + " FROM " + string(table)
	return cql.On(table, rows+ofTokens(d)), cql.On(table, rows+where(d.Key()))
}
