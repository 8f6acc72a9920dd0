package embedded

import "broadsheet/blog"

// claim takes a unique key for a user, unless another has it: then it is refused
// with taken. Claims are truths of their own, so that a damaged copy can't make
// one name belong to two.
func (tx *tx) claim(t *table, key string, owner blog.UserID, taken error) error {
	holder, err := tx.holder(t, key)
	switch {
	case err != nil:
		return err
	case holder.IsZero():
		tx.putTruth(t, encode(0, owner), key)
	case holder != owner:
		return taken
	}
	return nil
}

// decodeOwner reads which user holds a claim; zero where none does.
func decodeOwner(value string) (blog.UserID, error) {
	if value == "" {
		return blog.UserID{}, nil
	}
	f := decode(value)
	owner := field[blog.UserID](f)
	return owner, f.end()
}

// claimNames takes the username of a user, its e-mail address where it is verified, and its subject
// where that is another than before.
func (tx *tx) claimNames(old, u blog.User) error {
	if u.Subject != old.Subject {
		if err := tx.claim(subjectClaims, u.Subject, u.ID, blog.ErrSubjectTaken()); err != nil {
			return err
		}
	}
	if err := tx.claim(usernameClaims, blog.UsernameKey(u.Username), u.ID, blog.ErrTaken("username")); err != nil {
		return err
	}
	if !u.EmailVerified() {
		return nil
	}
	return tx.claimEmail(u.ListedEmail(), u.ID)
}

// claimEmail takes the key of an address that is verified, also from an account that has the address
// and has not verified it.
func (tx *tx) claimEmail(key string, owner blog.UserID) error {
	holder, err := tx.holder(emailClaims, key)
	if err != nil || holder == owner {
		return err
	}
	if !holder.IsZero() {
		switch held, err := tx.user(holder); {
		case err != nil && !blog.IsNotFound(err):
			return err
		case err != nil || !held.YieldsEmail(key):
			return blog.ErrTaken("email")
		}
	}
	tx.putTruth(emailClaims, encode(0, owner), key)
	return nil
}

// releaseNames gives back what old had and now has no more; it is free at once.
func (tx *tx) releaseNames(old, now blog.User) error {
	username, email, subject := old.FormerNames().RetiredBy(now)
	if subject != "" {
		tx.deleteRow(subjectClaims, subject)
	}
	if username != "" {
		tx.deleteRow(usernameClaims, username)
	}
	if email == "" {
		return nil
	}
	holder, err := tx.holder(emailClaims, email)
	if holder == old.ID {
		tx.deleteRow(emailClaims, email)
	}
	return err
}

// holder returns which user holds a claim; zero where none does.
func (tx *tx) holder(t *table, key string) (blog.UserID, error) {
	value, err := tx.get(t, truthCell, key)
	if err != nil {
		return blog.UserID{}, err
	}
	return decodeOwner(value)
}
