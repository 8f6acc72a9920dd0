package blog

// EmailVerified reports whether the account has proved that its address is its own.
func (u User) EmailVerified() bool {
	return u.VerifiedEmail != nil && u.hasEmail(u.VerifiedEmail)
}

// ListedEmail returns the key by which the account is found by its address; empty: by none. It is found where the
// address is verified, or was given to a program that claimed each, as long as no other has verified it.
func (u User) ListedEmail() string {
	if u.Email == nil || u.VerifiedEmail != nil && !u.EmailVerified() {
		return ""
	}
	return EmailKey(*u.Email)
}

// YieldsEmail reports whether the account has an address that it has not verified, and so leaves to one that has.
func (u User) YieldsEmail(key string) bool {
	return u.hasEmail(&key) && !u.EmailVerified()
}

// hasEmail reports whether an address is the account's, in whatever case; none is, where it has none.
func (u User) hasEmail(email *string) bool {
	if u.Email == nil || email == nil {
		return u.Email == email
	}
	return EmailKey(*u.Email) == EmailKey(*email)
}

// verifiedEmail returns what is kept of an address that is set, where one is proved.
func verifiedEmail(email *string, proved string) *string {
	if email == nil {
		return nil
	}
	key := EmailKey(*email)
	if !provesEmail(proved, email) {
		key = ""
	}
	return &key
}

// provesEmail reports whether the proof of an address is one of another text, whatever the case of ASCII. Where
// Unicode folds more, as the sign of the kelvin to the letter k, two texts of one key may be the addresses of two, so
// that neither is proved.
func provesEmail(proved string, email *string) bool {
	key := lowerASCII(deref(email))
	return email != nil && key == lowerASCII(proved) && key == EmailKey(*email)
}
