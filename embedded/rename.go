package embedded

import (
	"slices"

	"broadsheet/blog"
)

// rename writes a username beside each post, comment and like that its user's own lists name.
func (tx *tx) rename(name blog.Name) error {
	for _, list := range ownLists {
		if !list.name.Named() {
			continue
		}
		err := tx.walk(list, name.User, func(r *row) error {
			copies, err := nameBeside(list, r, name)
			above := func(c blog.Copy) bool { return c.Family.Static() } // these were written before
			tx.putCopies(slices.DeleteFunc(copies, above))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
