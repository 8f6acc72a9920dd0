package blog

// Role is what an actor may do beyond what is its own, as says who has let it in. The store knows more:
// [User.Moderator].
type Role int

// The roles.
const (
	Member    Role = iota // nothing
	Moderator             // deletes any post and any comment, suspends and restores accounts
	Operator              // what a moderator may, without an account
)

// Of returns what an actor may do who comes with a role: that, or more where its account is a moderator's.
func (r Role) Of(moderator bool) Role {
	if moderator {
		return max(r, Moderator)
	}
	return r
}

// ErrNoSuchUser is the answer to an account that does not exist, blaming the field that named it.
func ErrNoSuchUser() error { return FieldErrorf(NotFound, "id", "there is no such user") }
