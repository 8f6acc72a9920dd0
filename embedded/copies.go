package embedded

import "broadsheet/blog"

// putCopies writes copies, each where its family stands: the only way in which
// anything that follows from a truth gets into a table.
//
// Stamps are stored but not compared: commands run one after another, so the later write is the newer.
func (tx *tx) putCopies(copies []blog.Copy) {
	for _, c := range copies {
		switch t := tables[c.Family.Table]; {
		case t == nil: // of a key that changes in Cassandra alone
		case c.Deletes() && c.Family.Static():
			_ = tx.batch.Delete(tx.cellKey(t, c.Family.Cell, c.Key...), nil)
		case c.Deletes():
			tx.deleteRow(t, c.Key...)
			tx.deleted++
		default:
			tx.put(t, tx.cellKey(t, c.Family.Cell, c.Key...), tx.encode(c.Stamp, c.Values...))
		}
	}
}
