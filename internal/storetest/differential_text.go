package storetest

import (
	"fmt"
	"strings"

	"broadsheet/blog"
)

const refusedPrefix = "refused:"

// answer is the text of a command's result, or of the kinds and fields of its error.
func (s *side) answer(result any, err error) string {
	if err == nil {
		return s.text(result)
	}
	text := refusedPrefix
	for _, e := range blog.Each(err) {
		text += fmt.Sprintf(" %v %v", e.Kind, e.Field)
		if e.Kind == blog.Internal {
			text += " " + e.Error()
		}
	}
	return text
}

// text writes a value as JSON with numbers in place of ids.
func (s *side) text(value any) string {
	var b strings.Builder
	rest := asText(value)
	for {
		i := strings.IndexByte(rest, '"')
		if i < 0 {
			return b.String() + rest
		}
		b.WriteString(rest[:i])
		if id, ok := quotedID(rest[i:]); ok {
			b.WriteString(s.nameOf(id))
			rest = rest[i+quoted:]
		} else {
			b.WriteByte('"')
			rest = rest[i+1:]
		}
	}
}

const quoted = 1 + 36 + 1 // the length of an id in JSON

// quotedID returns the id that a text begins with.
func quotedID(s string) (blog.UUID, bool) {
	if len(s) < quoted || s[quoted-1] != '"' {
		return blog.UUID{}, false
	}
	id, err := blog.ParseUUID(s[1 : quoted-1])
	return id, err == nil
}

func (s *side) nameOf(id blog.UUID) string {
	if name, ok := s.names[id]; ok {
		return name
	}
	return "unknown"
}

func userAnswer(u blog.User) any { return []any{card(u), u.CreatedAt()} }

func postAnswer(p blog.Post) any {
	p.Stamp, p.Feed = 0, blog.FeedPlace{}
	withoutStamps(&p)
	return []any{p, p.CreatedAt()}
}

func commentAnswer(c blog.Comment) any {
	path := pathAnswer(c.Place())
	c.Path = ""
	return []any{c, path, c.CreatedAt()}
}

func pathAnswer(p blog.Path) (ids []blog.CommentID) {
	for _, above := range append(p.Above(), p) {
		ids = append(ids, above.Comment())
	}
	return ids
}
