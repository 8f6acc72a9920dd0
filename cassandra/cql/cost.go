package cql

import (
	"slices"

	"broadsheet/blog"
)

// touched returns how many rows and partitions the entries of one write touch in each table,
// in the order of the entries. Several may write cells of one row.
func touched(entries []Bound) []blog.TableCost {
	if len(entries) == 1 {
		return []blog.TableCost{{Table: entries[0].Table, Partitions: 1, Rows: 1}}
	}
	var tables []blog.TableCost
	seen := make(map[touchedKey]struct{}, 2*len(entries))
	count := func(n *int, key touchedKey) {
		if _, known := seen[key]; !known {
			seen[key] = struct{}{}
			*n++
		}
	}
	for _, entry := range entries {
		of := slices.IndexFunc(tables, func(c blog.TableCost) bool { return c.Table == entry.Table })
		if of < 0 {
			of, tables = len(tables), append(tables, blog.TableCost{Table: entry.Table})
		}
		count(&tables[of].Rows, touchedKey{table: entry.Table, row: entry.Row})
		count(&tables[of].Partitions, touchedKey{table: entry.Table, row: entry.Row.above(), partition: true})
	}
	return tables
}

type touchedKey struct {
	table     blog.Table
	row       Row
	partition bool // all of it
}

// above returns what is above the rows of the row's partition.
func (r Row) above() Row {
	clear(r.Key[r.Partition:])
	return r
}
