package embedded

import (
	"bytes"
	"context"

	"broadsheet/blog"
)

// removedAtOnce is the number of dead cells that one commit removes, for other commands wait.
const removedAtOnce = 1_000

// removeDeadRows removes what programs before revision 8 left of deleted rows: a cell each, in these lists.
func (s *Store) removeDeadRows(ctx context.Context) error {
	for _, t := range []*table{postsByAuthor, feedByBucket, commentsByPost, commentsByAuthor, tables[blog.CommentsByPostAndAuthor]} {
		var dead [][]byte
		remove := func() error {
			return s.command(ctx, func(tx *tx) error {
				for _, key := range dead {
					_ = tx.batch.Delete(key, nil)
				}
				tx.deleted, dead = len(dead), nil
				return nil
			})
		}
		err := s.scan(ctx, t, func(key, _ []byte) error {
			if key[len(key)-1] != deadCell {
				return nil
			}
			if dead = append(dead, bytes.Clone(key)); len(dead) < removedAtOnce {
				return nil
			}
			return remove()
		})
		if err == nil {
			err = remove()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
