package embedded

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

// dropLeft takes back the reactions that a program left behind which did not know their kind: it deleted the parent,
// or erased the account.
func (s *Store) dropLeft(ctx context.Context, known int) error {
	for _, of := range blog.ReactionKinds {
		claims := tables[of.Table]
		if of.Table.Declaration().Embedded.Since <= known {
			continue
		}
		var all []blog.ReactionKey
		err := s.scan(ctx, claims, func(key, _ []byte) error {
			if k, ok := claims.parse(key); ok && !k.static {
				all = append(all, blog.ReactionKey{Of: of, To: parentOf(k.values), User: k.values[len(k.values)-1].(blog.UserID)})
			}
			return nil
		})
		for _, key := range all {
			err = cmp.Or(err, s.command(ctx, func(tx *tx) error { return tx.dropIfLeft(key) }))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (tx *tx) dropIfLeft(key blog.ReactionKey) error {
	_, err := tx.parent(key.Of.Parent, key.To)
	if blog.IsNotFound(err) {
		return tx.deleteCounted(tables[key.Of.Table], key.To, blog.DeletionStamp(tx.clock))
	}
	if err == nil {
		_, err = tx.anyUser(key.User)
	}
	if blog.IsNotFound(err) {
		_, _, err = tx.react(key.Of, blog.Name{User: key.User}, key.To, false, blog.UserID{})
	}
	return err
}
