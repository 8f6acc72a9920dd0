package blog

// DeleteAccount erases an account with all that it wrote.
type DeleteAccount struct {
	Actor    UserID // zero: an operator
	Role     Role
	User     UserID // the actor's own; an operator's: whose
	Username string // of the account, repeated as a confirmation; an operator gives none
}

// Allowed returns nil where the actor may erase the account: its own, or as an operator any. Else [Forbidden].
func (c DeleteAccount) Allowed() error {
	if c.Role == Operator || c.Actor == c.User {
		return nil
	}
	return Errorf(Forbidden, "only its owner and operators can erase an account")
}

// Confirmed returns nil where the owner repeated the account's username, in whatever case. Else [Invalid].
func (c DeleteAccount) Confirmed(u User) error {
	if c.Role == Operator || UsernameKey(c.Username) == UsernameKey(u.Username) {
		return nil
	}
	return FieldErrorf(Invalid, "username", "is not the username of your account: repeat that to erase the account")
}

// Erased returns the user as its erasure begins, without what only readers need. The unique keys stay until no copy of
// the name is left. Stamp and version are raised.
func (u User) Erased(clock Clock) User {
	u.ErasedAt = Millisecond(clock.Now())
	u.DisplayName, u.Bio = nil, nil
	return u.edited(clock)
}

// IsErased reports whether the account's erasure has begun.
func (u User) IsErased() bool { return !u.ErasedAt.IsZero() }
