package embedded

import "broadsheet/blog"

// rename writes a username beside each post, comment and like that its user's own lists
// name.
func (tx *tx) rename(name blog.Name) error {
	for _, list := range writings {
		err := tx.walk(list.table, name.User, func(r *row) error {
			copies, err := list.names(r.id(), r.cells[1], name)
			tx.putRowCopies(copies)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
