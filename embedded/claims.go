package embedded

import "broadsheet/blog"

// claim takes a unique key for a user, unless another has it: then it is refused
// with taken. Claims are truths of their own, so that a damaged copy can't make
// one name belong to two.
func (tx *tx) claim(t *table, key string, owner blog.UserID, taken error) error {
	value, err := tx.get(t, truthCell, key)
	if err != nil {
		return err
	}
	if value == "" {
		tx.putTruth(t, encode(0, owner), key)
		return nil
	}
	holder, err := decodeOwner(value)
	if err == nil && holder != owner {
		return taken
	}
	return err
}

// decodeOwner reads who holds a claim; zero where nobody does.
func decodeOwner(value string) (blog.UserID, error) {
	if value == "" {
		return blog.UserID{}, nil
	}
	f := decode(value)
	owner := field[blog.UserID](f)
	return owner, f.end()
}

// claimNames takes the username and the e-mail address of a user.
func (tx *tx) claimNames(u blog.User) error {
	if err := tx.claim(usernameClaims, blog.UsernameKey(u.Username), u.ID, blog.ErrTaken("username")); err != nil {
		return err
	}
	if u.Email == nil {
		return nil
	}
	return tx.claim(emailClaims, blog.EmailKey(*u.Email), u.ID, blog.ErrTaken("email"))
}

// releaseNames gives back what old had and now has no more; it is free at once.
func (tx *tx) releaseNames(old, now blog.User) {
	username, email := old.FormerNames().RetiredBy(now)
	if username != "" {
		tx.deleteRow(usernameClaims, username)
	}
	if email != "" {
		tx.deleteRow(emailClaims, email)
	}
}
