package audit

import (
	"broadsheet/blog"
	"context"
	"fmt"
	"slices"
	"strings"
)

// claims is a table of claims on texts that only one user may have. It is compared as
// if its key were the text and the owner: of a claim that another holds, the owner's is
// missing and the other's is one too many.
type claims struct {
	group *blog.Group
	query blog.Table // lists the users of a text
	of    func(blog.User) string
}

var claimTables = map[blog.Table]claims{
	blog.UsernameClaims: claimsOn(blog.UsernameClaims, blog.UsersByUsername, "username_key", func(u blog.User) string { return blog.UsernameKey(u.Username) }),
	blog.EmailClaims:    claimsOn(blog.EmailClaims, blog.UsersByEmail, "email_key", emailKeyOf),
	blog.SubjectClaims:  claimsOn(blog.SubjectClaims, blog.UsersBySubject, "subject_key", func(u blog.User) string { return u.Subject }),
}

func claimsOn(table, query blog.Table, text string, of func(blog.User) string) claims {
	owner := blog.Column{Name: "user_id", Type: blog.TypeUser}
	group := &blog.Group{Table: table, Key: []string{text, owner.Name}, Columns: blog.Columns{owner}, Row: true, Truth: blog.UserTruth}
	return claims{group, query, of}
}

// emailKeyOf returns the key of a verified address: on another there need not be a claim.
func emailKeyOf(u blog.User) string {
	if !u.EmailVerified() {
		return ""
	}
	return u.ListedEmail()
}

// ClaimsOf returns the texts that a user has to hold claims on, or may, by the tables of those.
func ClaimsOf(u blog.User) map[blog.Table]string {
	held := map[blog.Table]string{}
	for table, c := range claimTables {
		key := c.of(u)
		if table == blog.EmailClaims { // one that was given to a program which claimed each
			key = u.ListedEmail()
		}
		if key != "" {
			held[table] = key
		}
	}
	return held
}

// claimRows returns the claims that a user has to hold.
func claimRows(u blog.User) (rows []blog.Copy) {
	for _, table := range []blog.Table{blog.UsernameClaims, blog.EmailClaims, blog.SubjectClaims} {
		if key := claimTables[table].of(u); key != "" {
			rows = append(rows, claimTables[table].row(key, u.ID, u.Stamp))
		}
	}
	return rows
}

func (c claims) row(key string, owner blog.UserID, stamp int64) blog.Copy {
	return blog.Copy{Group: c.group, Key: []any{key, owner}, Values: []any{owner}, Stamp: stamp}
}

// ClaimedBy reports whether a user has the text of a claim.
func ClaimedBy(u blog.User, table blog.Table, key string) bool {
	return u.Username != "" && claimTables[table].of(u) == key
}

// lookAtClaim is look, of a suspect whose key is a text and a user.
func lookAtClaim(ctx context.Context, a Reader, truths Truths, s suspect) (reading, error) {
	r := reading{suspect: s}
	in, key, user := claimTables[s.table], s.key[0].(string), s.key[1].(blog.UserID)
	var err error
	if r.expected, err = RowCopies(ctx, truths, s.table, s.key, s.post); err != nil {
		return r, err
	}
	owner, err := a.Claimed(ctx, s.table, key)
	if err != nil {
		return r, err
	}
	r.row = Row{Key: s.key}
	if owner == user {
		r.row.Cells = []blog.Copy{in.row(key, owner, 0)}
	}
	r.kind, r.problem = compare(s.table, r.expected, r.row)
	switch r.kind {
	case MissingRow:
		r.kind, r.problem, err = in.lacking(ctx, a, truths, s.table, key, user, owner)
	case RowTooMany:
		r.kind, r.problem, err = in.leaked(ctx, a, truths, key, user)
	}
	return r, err
}

// lacking says why a user has no claim on a text of its own.
func (c claims) lacking(ctx context.Context, a Reader, truths Truths, table blog.Table, key string, user, owner blog.UserID) (DriftKind, string, error) {
	others, err := a.Listed(ctx, c.query, key)
	if err != nil {
		return "", "", err
	}
	var rivals []string
	for _, other := range append(others, owner) {
		if other == user || other.IsZero() || slices.Contains(rivals, other.String()) {
			continue
		}
		u, err := truths.TrueUser(ctx, other)
		if err != nil {
			return "", "", err
		}
		if ClaimedBy(u, table, key) {
			rivals = append(rivals, other.String())
		}
	}
	switch {
	case len(rivals) > 0:
		return TwoOwners, fmt.Sprintf("%v has it, and so has %s; the claim is %s", user, strings.Join(rivals, ", "), ownerName(owner)), nil
	case owner.IsZero():
		return MissingRow, "nobody has claimed what the user has: anybody could take it", nil
	}
	return MissingRow, fmt.Sprintf("%v holds the claim of what %v has", owner, user), nil
}

func ownerName(owner blog.UserID) string {
	if owner.IsZero() {
		return "nobody's"
	}
	return owner.String() + "'s"
}

// leaked says why a claim is held by somebody who has not what it is on. Of a user who
// was never finished there are no copies; where there are, its truth is lost.
func (c claims) leaked(ctx context.Context, a Reader, truths Truths, key string, owner blog.UserID) (DriftKind, string, error) {
	fate, err := truths.UserFate(ctx, owner)
	if err != nil {
		return "", "", err
	}
	u, err := truths.TrueUser(ctx, owner)
	if err != nil {
		return "", "", err
	}
	listed, err := a.Listed(ctx, c.query, key)
	switch {
	case err != nil:
		return "", "", err
	case fate == Standing && contradictionOf(u) != "", fate == Unknown && slices.Contains(listed, owner):
		return LostTruth, "the user who holds it is lost", nil
	case fate == Standing && c.group.Table == blog.EmailClaims && u.ListedEmail() == key:
		return "", "", nil // of a program that claimed each address: it yields to who has verified it
	case fate == Standing:
		return RowTooMany, fmt.Sprintf("%v holds it and has it not: nobody can take it", owner), nil
	}
	return RowTooMany, fmt.Sprintf("%v holds it, of whom there is nothing else: nobody can take it", owner), nil
}
