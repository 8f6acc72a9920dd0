package dataset

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writer writes about one subject. Within a text it stays with its words: a post
// that begins with carrots ends with carrots, and its comments are about carrots.
type writer struct {
	random  *rand.Rand
	subject vocabulary
	chosen  map[string]string
}

func (w *writer) title() string { return capital(w.fill(w.one("title"))) }

// content is an opening, two to five paragraphs and a close, of different sentences.
func (w *writer) content() string {
	body := w.subject["body"]
	order := w.random.Perm(len(body))
	paragraphs := []string{w.sentence(w.one("open"))}
	for range 2 + w.random.IntN(4) {
		n := min(2+w.random.IntN(4), len(order))
		var sentences []string
		for _, i := range order[:n] {
			sentences = append(sentences, w.sentence(body[i]))
		}
		order = order[n:]
		if len(sentences) > 0 {
			paragraphs = append(paragraphs, strings.Join(sentences, " "))
		}
	}
	return strings.Join(append(paragraphs, w.sentence(w.one("close"))), "\n\n")
}

func (w *writer) comment() string {
	text := w.sentence(w.one("comment"))
	if w.random.IntN(4) == 0 {
		if more := w.sentence(w.one("comment")); more != text {
			text += " " + more
		}
	}
	return text
}

func (w *writer) sentence(template string) string { return capital(w.fill(template)) }

func (w *writer) one(list string) string {
	from := w.subject.list(list)
	return from[w.random.IntN(len(from))]
}

var slot = regexp.MustCompile(`\{~?\w+\}`)

// fill replaces {name} by a word of that list, the same one throughout the text,
// and {~name} by any other one. How many there are of something is chosen anew each
// time.
func (w *writer) fill(template string) string {
	return slot.ReplaceAllStringFunc(template, func(s string) string {
		name, other := strings.CutPrefix(strings.Trim(s, "{}"), "~")
		chosen, ok := w.chosen[name]
		if ok && !other && name != "n" {
			return chosen
		}
		word := w.one(name)
		for other && word == chosen {
			word = w.one(name)
		}
		if !other {
			w.chosen[name] = word
		}
		return word
	})
}

// capital raises the first letter, also behind a quotation mark.
func capital(s string) string {
	at := strings.IndexFunc(s, unicode.IsLetter)
	if at < 0 {
		return s
	}
	first, size := utf8.DecodeRuneInString(s[at:])
	return s[:at] + string(unicode.ToUpper(first)) + s[at+size:]
}
