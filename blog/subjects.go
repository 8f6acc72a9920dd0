package blog

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// issuerEnd parts an issuer from a subject: a control character, which neither has.
const issuerEnd = "\x1f"

// Bearer is whom a token stands for. The zero value is a request without one.
type Bearer struct {
	Subject string
	Role    Role
	Email   string    // an address that the token proves to be the bearer's; empty: none
	Expires time.Time // when the token is good no more; zero: never
}

// SubjectOf returns the subject of an account for whom an issuer names so: [User.Subject]. Two issuers' are never the
// same. issuer is empty for that which the store has noted as its own ([Issuer]), and where there is none.
func SubjectOf(issuer, sub string) string {
	if issuer == "" {
		return sub
	}
	return issuer + issuerEnd + sub
}

// SplitSubject returns what [SubjectOf] was given.
func SplitSubject(subject string) (issuer, sub string) {
	if issuer, sub, found := strings.Cut(subject, issuerEnd); found {
		return issuer, sub
	}
	return "", subject
}

// CheckSubject returns an [Invalid] error where s can't be the subject of a token: 1 to 255 bytes of valid UTF-8
// without control characters.
func CheckSubject(s string) error { return checkName("a subject", s, MaxSubjectBytes) }

// CheckIssuer is CheckSubject, of an issuer of tokens, which has up to 512 bytes.
func CheckIssuer(s string) error { return checkName("an issuer", s, MaxIssuerBytes) }

func checkName(what, s string, limit int) error {
	if s == "" || len(s) > limit || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return Errorf(Invalid, "%s has 1 to %d bytes of UTF-8 without control characters", what, limit)
	}
	return nil
}

// checkAccountSubject is CheckSubject, of a subject that may have its issuer with it.
func checkAccountSubject(subject string) error {
	issuer, sub := SplitSubject(subject)
	if strings.Contains(subject, issuerEnd) {
		if err := CheckIssuer(issuer); err != nil {
			return err
		}
	}
	return CheckSubject(sub)
}
