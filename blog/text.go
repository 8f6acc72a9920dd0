package blog

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Limits of texts. Lengths are code points where they are not said to be bytes.
const (
	MinUsername       = 3
	MaxUsername       = 30
	MaxDisplayName    = 100
	MaxBio            = 1_000
	MaxEmail          = 254
	MaxTitle          = 200
	MaxContentBytes   = 64 << 10
	MaxComment        = 10_000
	MaxIdempotencyKey = 100
	MaxSubjectBytes   = 255 // the limit that OpenID Connect sets for `sub`
	MaxIssuerBytes    = 512
	MaxExcerpt        = 200
)

// Limits of what one partition may hold: about 100 MB of it in Cassandra.
const (
	MaxCommentsOfPost     = 300_000   // those too that were deleted, whose rows stay
	MaxCommentBytesOfPost = 100 << 20 // of the contents of those that stand, in UTF-8
	MaxLikesOfPost        = 1_500_000
	MaxBookmarksOfPost    = 1_500_000
	MaxFollowersOfUser    = 1_500_000
	MaxFollowsOfUser      = 5_000
	MaxMembersOfGroup     = 1_500_000
	MaxGroupsOfUser       = 5_000 // joined
	MaxOwnGroups          = 100
	MaxModeratorsOfGroup  = 20
)

// What of its author a follow brings to a home, and what verify looks for there: less, for posts may be deleted.
const (
	GatheredPosts = 200 // the newest
	HomedPosts    = 100
)

// UsernameKey returns the form by which usernames are unique and looked up. Usernames are ASCII, and only ASCII is
// folded: a text with a letter that Unicode folds to one of them names no user.
func UsernameKey(username string) string { return lowerASCII(username) }

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// EmailKey returns the form by which e-mail addresses are unique and looked up.
func EmailKey(email string) string { return strings.ToLower(email) }

// checkText returns what is wrong with a text that may hold any characters; nil is none, and right.
func checkText(field string, text *string, limit int) error {
	if text == nil {
		return nil
	}
	switch s := *text; {
	case !utf8.ValidString(s):
		return FieldErrorf(Invalid, field, "must be valid UTF-8")
	case strings.IndexByte(s, 0) >= 0:
		return FieldErrorf(Invalid, field, "must not contain the NUL character")
	case strings.TrimFunc(s, unicode.IsSpace) == "":
		return FieldErrorf(Invalid, field, "must not be empty or only white space")
	case len(s) > limit && utf8.RuneCountInString(s) > limit:
		return FieldErrorf(TooLong, field, "must have at most %d characters, has %d", limit, utf8.RuneCountInString(s))
	}
	return nil
}

func checkContent(s *string) error {
	if s != nil && len(*s) > MaxContentBytes {
		return FieldErrorf(TooLong, "content", "must have at most %d bytes in UTF-8, has %d", MaxContentBytes, len(*s))
	}
	return checkText("content", s, MaxContentBytes)
}

func checkUsername(s *string) error { return checkWord("username", s) }

// checkWord returns what is wrong with a name that is a part of addresses.
func checkWord(field string, s *string) error {
	switch {
	case s == nil:
		return nil
	case strings.ContainsFunc(*s, func(r rune) bool { return r != '_' && (r >= utf8.RuneSelf || !ofWords(r)) }):
		return FieldErrorf(Invalid, field, "may hold only the letters A to Z and a to z, digits and the underscore")
	case len(*s) < MinUsername:
		return FieldErrorf(Invalid, field, "must have at least %d characters, has %d", MinUsername, len(*s))
	case len(*s) > MaxUsername:
		return FieldErrorf(TooLong, field, "must have at most %d characters, has %d", MaxUsername, len(*s))
	}
	return nil
}

func checkEmail(s *string) error {
	const field = "email"
	if err := checkText(field, s, MaxEmail); err != nil || s == nil {
		return err
	}
	// RFC 5322 by the standard library; a bare address, nothing around it.
	if address, err := mail.ParseAddress(*s); err != nil || address.Name != "" || address.Address != *s {
		return FieldErrorf(Invalid, field, "must be an e-mail address, as in name@example.org")
	}
	return nil
}

// Excerpt returns a prefix of content of at most [MaxExcerpt] code points, cut after a word (Unicode Standard Annex
// #29), else after a whole grapheme cluster; only a cluster that is longer than an excerpt is cut inside. Nothing marks
// the cut.
func Excerpt(content string) string {
	if len(content) <= MaxExcerpt || utf8.RuneCountInString(content) <= MaxExcerpt {
		return content
	}
	// The annex has boundaries of words inside of clusters, as in the Thai กำ: only those between clusters count.
	word, end, points := 0, 0, 0
	cluster, boundaries, state := "", 0, -1
	for rest := content; rest != ""; {
		cluster, rest, boundaries, state = uniseg.StepString(rest, state)
		points += utf8.RuneCountInString(cluster)
		if points > MaxExcerpt {
			break
		}
		end += len(cluster)
		if boundaries&uniseg.MaskWord != 0 && strings.TrimFunc(cluster, unicode.IsSpace) != "" {
			word = end
		}
	}
	switch {
	case word > 0:
		return content[:word]
	case end > 0:
		return content[:end]
	}
	for range MaxExcerpt {
		_, size := utf8.DecodeRuneInString(content[end:])
		end += size
	}
	return content[:end]
}

// WordCount returns how many words a text has: the pieces between the annex's boundaries with a letter or a digit.
func WordCount(text string) (n int) {
	for word, state := "", -1; text != ""; {
		word, text, state = uniseg.FirstWordInString(text, state)
		if strings.ContainsFunc(word, ofWords) {
			n++
		}
	}
	return n
}

func ofWords(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
