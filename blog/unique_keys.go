package blog

// UniqueKey is a text that one account at most has, and by which a table finds that account: all that is said about it,
// once. An account claims the text before it has it: a claim is a truth of its own.
type UniqueKey struct {
	Name   string            // in a journal, for as long as that keeps its rows
	Claims Table             // which account has claimed a text
	Card   *Family           // of the table that finds the account
	Taken  func() error      // the answer to an account that asks for another's text
	Of     func(User) string // the text by which an account is found; empty: by none
	Most   int               // bytes of that

	// Yields reports whether an account that has a text leaves it to one that asks for it. nil: never.
	Yields func(u User, text string) bool
}

// The unique keys of accounts.
var (
	BySubject  = &UniqueKey{Name: "subject", Claims: SubjectClaims, Card: SubjectCard, Taken: ErrSubjectTaken, Of: func(u User) string { return u.Subject }, Most: MaxIssuerBytes + 1 + MaxSubjectBytes}
	ByUsername = &UniqueKey{Name: "username", Claims: UsernameClaims, Card: UsernameCard, Taken: taken("username"), Of: func(u User) string { return UsernameKey(u.Username) }, Most: MaxUsername}
	ByEmail    = &UniqueKey{Name: "email", Claims: EmailClaims, Card: EmailCard, Taken: taken("email"), Of: User.ListedEmail, Most: 4 * MaxEmail, Yields: User.YieldsEmail}
)

// UniqueKeys lists every unique key, in the order in which a command claims them.
var UniqueKeys = [...]*UniqueKey{BySubject, ByUsername, ByEmail}

func taken(field string) func() error { return func() error { return ErrTaken(field) } }

// UniqueKey returns the key whose claims the table holds; nil where it holds none.
func (t Table) UniqueKey() *UniqueKey {
	for _, k := range UniqueKeys {
		if k.Claims == t {
			return k
		}
	}
	return nil
}

// Owned returns the text on which an account has to hold the claim; empty: on none.
func (k *UniqueKey) Owned(u User) string {
	text := k.Of(u)
	if k.Yields != nil && k.Yields(u, text) {
		return ""
	}
	return text
}

// OwnedBy reports whether an account has to hold the claim on a text.
func (k *UniqueKey) OwnedBy(u User, text string) bool { return u.Username != "" && k.Owned(u) == text }

// Owner returns which of the accounts listed under a key is found by it: one that does not yield it, else the newest.
func (k *UniqueKey) Owner(key string, listed []User) (owner User, err error) {
	found := false
	yields := func(u User) bool { return k.Yields != nil && k.Yields(u, key) }
	for _, u := range listed {
		if u.Username == "" || k.Of(u) != key {
			continue
		}
		over := yields(owner) && !yields(u)
		if !found || over || yields(u) == yields(owner) && u.Stamp > owner.Stamp {
			owner, found = u, true
		}
	}
	if !found {
		err = ErrNoUser()
	}
	return owner, err
}

// KeysToClaim returns the keys of next that old did not have, or may have lost.
func KeysToClaim(old, next User) (keys []*UniqueKey) {
	for _, k := range UniqueKeys {
		if text := k.Of(next); text != "" && (text != k.Of(old) || k.Owned(old) == "" && k.Owned(next) != "") {
			keys = append(keys, k)
		}
	}
	return keys
}

// FormerNames are what is to be known of a user before an edit, or as the edit was to make it, to say what follows.
type FormerNames struct {
	Username    string // as it was shown; empty where it is not known how the user was shown
	DisplayName string // empty: it had none
	Keys        [len(UniqueKeys)]string
}

// FormerNames returns what is to be kept of u.
func (u User) FormerNames() FormerNames {
	f := FormerNames{Username: u.Username, DisplayName: deref(u.DisplayName)}
	for i, k := range UniqueKeys {
		f.Keys[i] = k.Of(u)
	}
	return f
}

// RetiredBy returns those of the keys that now has no more; an empty one is none.
func (f FormerNames) RetiredBy(now User) (retired [len(UniqueKeys)]string) {
	for i, k := range UniqueKeys {
		if f.Keys[i] != k.Of(now) {
			retired[i] = f.Keys[i]
		}
	}
	return retired
}
