package embedded

import (
	"context"
	"encoding/hex"
	"fmt"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

var _ audit.GapReader = (*auditReader)(nil)

// EachGap is a method of [audit.GapReader].
func (a *auditReader) EachGap(ctx context.Context, _ int, visit func(hidden [][]any) error) error {
	return a.eachTruth(ctx, gaps, func(key []any, value string) error {
		f := decode(value)
		g := gap{low: key[1].(blog.CommentID).UUID, high: field[blog.CommentID](f).UUID}
		if err := f.end(); err != nil {
			return err
		}
		hidden, err := a.hidden(ctx, key[0].(string), g)
		if err != nil {
			return err
		}
		return visit(hidden)
	})
}

// hidden returns the rows that stand in a gap, as Drift names them: the list, its partition,
// the row.
func (a *auditReader) hidden(ctx context.Context, partition string, g gap) (found [][]any, err error) {
	highest, lowest := rowKeyIn(partition, g.high, pastCells), rowKeyIn(partition, g.low, pastCells)
	err = a.each(ctx, highest, lowest, func(key []byte, _ string) error {
		rest := key[len(partition):]
		id, err := idOfRow(rest)
		if err != nil {
			return fmt.Errorf("%s: the key %x: %w", listName(partition), key, err)
		}
		if rest[len(rest)-1] == truthCell {
			found = append(found, []any{string(listName(partition)), hex.EncodeToString([]byte(partition)), id.String()})
		}
		return nil
	})
	return found, err
}

func listName(partition string) blog.Table {
	for _, t := range tables {
		if t.prefix == partition[0] {
			return t.name
		}
	}
	return ""
}

// Hides is a method of [audit.GapReader].
func (a *auditReader) Hides(ctx context.Context, key []any) (hides bool, err error) {
	err = a.EachGap(ctx, 0, func(hidden [][]any) error {
		for _, row := range hidden {
			hides = hides || audit.SameValues(row, key)
		}
		return nil
	})
	return hides, err
}

// repairGap takes a gap away in which a row stands.
func (tx *tx) repairGap(key []any) error {
	partition, err := hex.DecodeString(key[1].(string))
	if err != nil {
		return err
	}
	id, err := blog.ParseUUID(key[2].(string))
	if err != nil {
		return err
	}
	return tx.uncoverIn(string(partition), id)
}
