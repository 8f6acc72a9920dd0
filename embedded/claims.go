package embedded

import (
	"cmp"

	"broadsheet/blog"
)

// claim takes the text of a unique key for a user, unless another has it and does not yield it. Claims are truths
// of their own, so that a damaged copy can't make one name belong to two.
func (tx *tx) claim(k *blog.UniqueKey, text string, owner blog.UserID) error {
	holder, err := tx.owner(tx.ctx, tables[k.Claims], text)
	if err != nil || holder == owner {
		return err
	}
	if !holder.IsZero() && k.Yields == nil {
		return k.Taken()
	}
	if !holder.IsZero() {
		held, err := tx.user(holder)
		if err != nil || !k.Yields(held, text) {
			return cmp.Or(fault(err), k.Taken())
		}
	}
	tx.putTruth(tables[k.Claims], encode(0, owner), text)
	return nil
}

// moveNames takes what now has to own and old did not, and gives back what old had and now has no more; that is
// free at once.
func (tx *tx) moveNames(old, now blog.User) error {
	for _, k := range blog.KeysToClaim(old, now) {
		if err := tx.claim(k, k.Of(now), now.ID); err != nil {
			return err
		}
	}
	for i, text := range old.FormerNames().RetiredBy(now) {
		if text == "" {
			continue
		}
		claims := tables[blog.UniqueKeys[i].Claims]
		holder, err := tx.owner(tx.ctx, claims, text)
		if err != nil {
			return err
		}
		if holder == old.ID {
			tx.deleteRow(claims, text)
		}
	}
	return nil
}
