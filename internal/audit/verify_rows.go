package audit

import (
	"broadsheet/blog"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// shape is what is known about a table with copies.
type shape struct {
	families []*blog.Family
	key      []string
	subject  *blog.Subject
}

// shapes holds every table with copies, and those of claims; the others have no subject.
var shapes = func() map[blog.Table]shape {
	all := map[blog.Table]shape{}
	for _, d := range blog.Declarations {
		if families := d.Table.Families(); len(families) > 0 {
			all[d.Table] = shape{families, d.Table.RowKey(), d.About}
		}
	}
	all[blog.HomeByUser] = shape{families: all[blog.HomeByUser].families, key: all[blog.HomeByUser].key} // of two truths: see homes
	for table, c := range claimTables {
		all[table] = shape{[]*blog.Family{c.family}, c.family.Key, blog.AboutUser}
	}
	return all
}()

// inKey returns the first value of a type in a key; zero where there is none.
func inKey[T any](key []any) (found T) {
	for _, value := range key {
		if typed, ok := value.(T); ok {
			return typed
		}
	}
	return found
}

// RowCopies returns the copies in one row, or above the rows of one partition, that follow from the
// truths as they are; none if no truth asks for the row. post is that of a comment whose row's key
// does not name it.
func RowCopies(ctx context.Context, t Truths, table blog.Table, key []any, post blog.PostID) ([]blog.Copy, error) {
	all, err := rowsOf(ctx, t, table, key, post)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(inRow(all, table, key), nameless), nil // nothing is to be written there
}

// Uncounted returns the tables whose counts a row is to have, as its truth stands, but that have none for it.
func Uncounted(d Drift, copies []blog.Copy) (tables []blog.Table) {
	for _, g := range d.Table.Families() {
		has := func(c blog.Copy) bool { return c.Family == g }
		if d.Kind == WrongCount && g.Counts() && !g.Static() && len(copies) > 0 && !slices.ContainsFunc(copies, has) {
			tables = append(tables, TableOf(g.Truth))
		}
	}
	return tables
}

// inRow returns those of a truth's copies that stand in one row, or above the rows of one
// partition.
func inRow(all []blog.Copy, table blog.Table, key []any) []blog.Copy {
	copies := slices.DeleteFunc(slices.Clone(all), func(c blog.Copy) bool {
		return c.Family.Table != table || len(c.Key) > len(key) || !SameValues(c.Key, key[:len(c.Key)])
	})
	if !slices.ContainsFunc(copies, func(c blog.Copy) bool { return len(c.Key) == len(key) }) {
		return nil // what stands above the rows makes no row
	}
	return copies
}

// nameless reports whether the copy is that of a username which is not known, as the user's truth is lost.
func nameless(c blog.Copy) bool {
	return c.Family.Names() && len(c.Values) > 0 && c.Values[0] == ""
}

// aboutRow returns what a row is about, the id of its parent, or its own where it is one, and the key of its truth. post
// is that of a comment whose row's key does not name it.
func aboutRow(table blog.Table, key []any, post blog.PostID) (about *blog.Subject, parent blog.UUID, truth []any) {
	about = shapes[table].subject
	user, followed, group := inKey[blog.UserID](key), inKey[blog.FollowedID](key), inKey[blog.GroupID](key)
	post = cmp.Or(inKey[blog.PostID](key), post)
	if len(key) < len(shapes[table].key) {
		switch about = blog.AboutUser; {
		case !followed.IsZero():
			about, user = blog.AboutFollowed, blog.UserID(followed)
		case !group.IsZero():
			about = blog.AboutGroup
		case user.IsZero():
			about = blog.AboutPost
		}
	}
	parent = cmp.Or(post.UUID, followed.UUID, group.UUID)
	for _, c := range about.Table.Declaration().Key() {
		switch c.Type {
		case blog.TypeUser:
			truth = append(truth, user)
		case blog.TypeFollowed:
			truth = append(truth, followed)
		case blog.TypePost:
			truth = append(truth, post)
		case blog.TypeGroup:
			truth = append(truth, group)
		case blog.TypeComment:
			truth = append(truth, cmp.Or(inKey[blog.CommentID](key), inKey[blog.Path](key).Comment()))
		}
	}
	return about, parent, truth
}

// fateOf returns what is known about a row's subject. What belonged to a parent that is gone has ended with it.
func fateOf(ctx context.Context, t Truths, table blog.Table, key []any, post blog.PostID) (Fate, error) {
	about, parent, truth := aboutRow(table, key, post)
	if of := about.Parent; of != nil {
		if fate, err := FateOf(ctx, t, of.Table, of.ID(parent)); err != nil || fate >= Ended {
			return fate, err
		}
	}
	return FateOf(ctx, t, about.Table, truth...)
}

// rowsOf returns all that follows from a row's subject; none if that does not exist.
func rowsOf(ctx context.Context, t Truths, table blog.Table, key []any, post blog.PostID) ([]blog.Copy, error) {
	if table == blog.HomeByUser {
		return homed(ctx, t, key)
	}
	about, parent, truth := aboutRow(table, key, post)
	if about.Parent != nil {
		if _, lives, err := living(ctx, t, about.Parent, parent); err != nil || !lives {
			return nil, err
		}
	}
	r, err := trueRow(ctx, t, about.Table, truth...)
	if err != nil || !r.whole() {
		return nil, err
	}
	switch about {
	case blog.AboutPost:
		if err := counted(ctx, t, &r.Post); err != nil {
			return nil, err
		}
	case blog.AboutFollowed:
		return countAbove(ctx, t, blog.FollowClaims, blog.FollowedID{UUID: parent}, parent)
	case blog.AboutGroup:
		if static := len(key) < len(shapes[table].key); static {
			return countAbove(ctx, t, blog.MemberClaims, blog.GroupID{UUID: parent}, parent)
		}
	}
	writer, err := trueUser(ctx, t, r.Writer())
	return copiesOf(about, r, writer.Name()), err
}

// countAbove returns the copies of a count that stand above lists alone.
func countAbove(ctx context.Context, t Truths, counted blog.Table, parent blog.Parent, id blog.UUID) ([]blog.Copy, error) {
	counts, err := t.Counts(ctx, id, counted)
	if err != nil {
		return nil, err
	}
	return blog.CopiesOfCount(counted, parent, counts[0]), nil
}

// compare says what is wrong with a row that was read after its truth. No kind:
// nothing.
func compare(table blog.Table, expected []blog.Copy, row Row) (DriftKind, string) {
	static := len(row.Key) < len(shapes[table].key)
	wanted, standing := cellsOf(expected, static), cellsOf(row.Cells, static)
	switch {
	case row.Leaving:
		return "", ""
	case row.Damaged != "":
		return Damaged, row.Damaged
	case len(wanted) == 0 && len(standing) == 0:
		return "", ""
	case len(wanted) == 0 && !static && !stands(standing):
		return Ghost, "cells without their row: " + describe(row.Cells)
	case len(wanted) == 0:
		return RowTooMany, "follows from no truth: " + describe(row.Cells)
	}
	return compareCells(shapes[table].families, wanted, standing, static && !row.Below)
}

// compareCells compares a row that a truth asks for. optional: it may lack.
func compareCells(families []*blog.Family, wanted, standing map[*blog.Family]blog.Copy, optional bool) (DriftKind, string) {
	var lacking, differing, lost []string
	kind := WrongCount
	for _, g := range families {
		want, wants := wanted[g]
		have, has := standing[g]
		switch {
		case !wants && !has, wants && has && agree(want, have), wants && !has && (optional || nameless(want)):
		case wants && !has:
			if g.Row {
				return MissingRow, "is missing"
			}
			lacking = append(lacking, g.Columns.Names()...)
		case !wants && g.Counts() && have.Values[0] == 0: // nothing was ever counted
		case !wants && g.Counts() && !g.Static():
			differing = append(differing, fmt.Sprintf("%s is %s, and nothing was counted", g.Columns[0].Name, show(have.Values)))
		case !wants, nameless(want):
			lost = append(lost, fmt.Sprintf("%s is %s, and what it follows from is lost", g.Columns[0].Name, show(have.Values)))
		default:
			if !g.Counts() {
				kind = StaleValue
			}
			differing = append(differing, fmt.Sprintf("%v is %v, by its truth %v", strings.Join(g.Columns.Names(), ", "), show(have.Values), show(want.Values)))
		}
	}
	switch {
	case len(differing) > 0:
		return kind, strings.Join(differing, "; ")
	case len(lacking) > 0:
		return MissingCells, "lacks " + strings.Join(lacking, ", ")
	case len(lost) > 0:
		return LostTruth, strings.Join(lost, "; ")
	}
	return "", ""
}

// agree reports whether a copy holds what it is to hold. One of names may be of before copies held the display name: then
// readers ask the account.
func agree(want, have blog.Copy) bool {
	if want.Family.Names() && have.Values[1] == (*string)(nil) {
		return have.Values[0] == want.Values[0]
	}
	return SameValues(want.Values, have.Values)
}

func cellsOf(copies []blog.Copy, static bool) map[*blog.Family]blog.Copy {
	cells := map[*blog.Family]blog.Copy{}
	for _, c := range copies {
		if c.Family.Static() == static {
			cells[c.Family] = c
		}
	}
	return cells
}

// stands reports whether readers would see the row.
func stands(cells map[*blog.Family]blog.Copy) bool {
	for g, c := range cells {
		for i, column := range g.Columns {
			if g.Row && column.Name == g.Mandatory() && !reflect.ValueOf(c.Values[i]).IsZero() {
				return true
			}
		}
	}
	return false
}

// SameValues reports whether two lists of values, as a [blog.Copy] has them, are equal.
func SameValues(a, b []any) bool {
	return slices.Equal(appendValues(nil, a), appendValues(nil, b))
}

// appendValues writes values so that other values give other bytes.
func appendValues(b []byte, values []any) []byte {
	for _, value := range values {
		if id, isID := blog.IDOf(value); isID {
			b = append(b, id[:]...)
			continue
		}
		switch v := value.(type) {
		case string:
			b = append(binary.AppendUvarint(append(b, 1), uint64(len(v))), v...)
		case *string:
			if v == nil {
				b = append(b, 0)
			} else {
				b = append(binary.AppendUvarint(append(b, 1), uint64(len(*v))), *v...)
			}
		case blog.Path:
			b = append(binary.AppendUvarint(append(b, 1), uint64(len(v))), v...)
		case int:
			b = binary.BigEndian.AppendUint64(b, uint64(v))
		case time.Time:
			b = binary.BigEndian.AppendUint64(b, uint64(v.UnixMilli()))
		default:
			b = fmt.Appendf(b, "%T %v", v, v)
		}
	}
	return b
}

// show makes values readable.
func show(values []any) string {
	if values == nil {
		return "nothing"
	}
	parts := make([]string, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case *string:
			if parts[i] = "null"; v != nil {
				parts[i] = quote(*v)
			}
		case string:
			parts[i] = quote(v)
		case blog.Path:
			parts[i] = fmt.Sprintf("%x", string(v))
		case time.Time:
			parts[i] = v.UTC().Format(time.RFC3339Nano)
		default:
			parts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(parts, ", ")
}

// quote shortens: a report is no place for a whole comment.
func quote(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

func describe(cells []blog.Copy) string {
	var parts []string
	for _, c := range cells {
		parts = append(parts, fmt.Sprintf("%s = %s", strings.Join(c.Family.Columns.Names(), ", "), show(c.Values)))
	}
	return strings.Join(parts, "; ")
}

// rowName names a row for people.
func rowName(table blog.Table, key []any) string {
	columns := table.RowKey()
	parts := make([]string, len(key))
	for i := range key {
		parts[i] = show(key[i : i+1])
		if i < len(columns) {
			parts[i] = columns[i] + " " + parts[i]
		}
	}
	return strings.Join(parts, ", ")
}
