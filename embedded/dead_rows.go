package embedded

import (
	"context"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// deadCell is all that programs before revision 8 left of a deleted row.
const deadCell = 0xfe

// removedAtOnce is the number of dead cells that one batch removes.
const removedAtOnce = 1_000

// removeDeadRows removes what they left, of the lists that had some, and their notes of long runs of it.
func (s *Store) removeDeadRows() error {
	batch := s.db.NewBatch()
	_ = batch.DeleteRange([]byte{gapsPrefix}, []byte{gapsPrefix + 1}, nil) // fails, if it does, when it is committed
	for _, name := range []blog.Table{blog.PostsByAuthor, blog.FeedByBucket, blog.CommentsByPost, blog.CommentsByAuthor, blog.CommentsByPostAndAuthor} {
		t := tables[name]
		err := eachCell(s.db, []byte{t.prefix}, []byte{t.prefix + 1}, context.Background().Err, func(key, _ []byte) error {
			if key[len(key)-1] == deadCell {
				_ = batch.Delete(key, nil)
			}
			if batch.Count() < removedAtOnce {
				return nil
			}
			defer batch.Reset()
			return batch.Commit(pebble.NoSync)
		})
		if err != nil {
			return err
		}
	}
	if err := batch.Commit(pebble.Sync); err != nil {
		return err
	}
	_, err := s.db.AsyncFlush() // as deletions by commands do
	return err
}
