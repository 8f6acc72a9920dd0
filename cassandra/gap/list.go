package gap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// List is a list of rows: a partition of a table, or a part of one.
type List struct {
	Table blog.Table
	Part  string
}

// In is the list that some values name: those of its partition, and of the clustering columns above its position.
func In(table blog.Table, parent ...any) List {
	texts := make([]string, len(parent))
	for i, value := range parent {
		if id, isID := blog.IDOf(value); isID {
			value = id
		}
		texts[i] = fmt.Sprint(value)
	}
	return List{table, strings.Join(texts, "/")}
}

// Partition returns the arguments that name the list in a statement.
func (l List) Partition() []any {
	columns := slices.DeleteFunc(l.Table.Declaration().Parent(), func(c blog.Column) bool { return c.Constant })
	args, part := make([]any, len(columns)), l.Part
	for i := len(columns) - 1; i >= 0; i-- {
		at := -1
		if i > 0 { // the first one alone may hold a slash
			at = strings.LastIndexByte(part, '/')
		}
		switch text := part[at+1:]; columns[i].Type {
		case blog.TypeText:
			args[i] = text
		case blog.TypeInt:
			args[i], _ = strconv.Atoi(text)
		default:
			args[i], _ = gocql.ParseUUID(text)
		}
		part = part[:max(at, 0)]
	}
	return args
}

// Key is the key of a row of a list.
type Key struct {
	List
	ID blog.UUID
}

// CommentKey is where a comment's truth stands.
func CommentKey(key blog.CommentKey) Key {
	return Key{In(blog.CommentsByPost, key.Post), key.Comment.UUID}
}

// Keys returns where copies make, or kill, rows of lists that leave dead ones.
func Keys(copies []blog.Copy, dead bool) (keys []Key) {
	for _, c := range copies {
		last := len(c.Key) - 1
		id, isID := blog.IDOf(c.Key[last])
		if !c.Family.LeavesDead || c.Deletes() != dead || !isID { // gaps are ranges of ids
			continue
		}
		keys = append(keys, Key{In(c.Family.Table, c.Key[:last]...), id})
	}
	return keys
}
