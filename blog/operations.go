package blog

import "context"

// Operations are what operators alone do, beside what moderators may. They are as [Commands]: atomic, durable when they
// return nil, and then seen by every query. What is so already stays as it is, and an account may be suspended.
// NotFound: there is none.
type Operations interface {
	// VerifyEmail says that an account's address is its own, or that this is not known any more. Taken: another
	// account has verified the address. Invalid: the account has another address, or one of which two texts have
	// the same key.
	VerifyEmail(ctx context.Context, c VerifyEmail) (User, error)

	// RelinkUser has another subject act for an account, and the one of before for none: it is free once every copy
	// is right, which Settle waits for. Taken, without a field: the subject has an account.
	RelinkUser(ctx context.Context, c RelinkUser) (User, error)

	// SetModerator makes an account a moderator, or no longer one. Each command of it that begins, on any server,
	// after SetModerator has returned is a moderator's, or is only if it comes with that role.
	SetModerator(ctx context.Context, c SetModerator) (User, error)
}

// VerifyEmail says of an account's address whether it is its own.
type VerifyEmail struct {
	User     UserID
	Email    string // the address, in whatever case: the account may have another by now
	Verified bool   // false: it is not known
}

// Validate returns what is wrong with the command's own input.
func (c VerifyEmail) Validate() error { return checkEmail(&c.Email) }

// edit says it of an account.
func (c VerifyEmail) edit(u *User) error {
	if !u.hasEmail(&c.Email) {
		return FieldErrorf(Invalid, "email", "the account has another address, or none")
	}
	proved := ""
	if c.Verified {
		proved = *u.Email
	}
	if u.VerifiedEmail = verifiedEmail(u.Email, proved); u.EmailVerified() != c.Verified {
		return FieldErrorf(Invalid, "email", "another address has the same letters, but for their case: let the account have it in lower case")
	}
	return nil
}

// RelinkUser has another subject act for an account.
type RelinkUser struct {
	User    UserID
	Subject string // [User.Subject]
}

// Validate returns what is wrong with the command's own input.
func (c RelinkUser) Validate() error { return checkAccountSubject(c.Subject) }

// SetModerator says of an account whether it is a moderator.
type SetModerator struct {
	User      UserID
	Moderator bool
}
