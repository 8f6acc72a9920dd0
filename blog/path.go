package blog

import "strings"

// Path is where a comment stands in its post's conversations: the ids of the comments above it, the first one's
// inverted, and its own. In the order of their bytes the newest conversation is first, replies are behind what they
// reply to, and the oldest reply is the first. Empty: a comment on the post itself, whose path follows from its id.
type Path string

// Levels is how many levels conversations have. A reply to a comment of the last one stands beside that.
const Levels = 16

const pathPart = len(UUID{})

// PathOf returns the path of a comment on the post itself.
func PathOf(root CommentID) Path {
	for i := range root.UUID {
		root.UUID[i] = ^root.UUID[i]
	}
	return Path(root.UUID[:])
}

// Reply returns the path of a reply to the comment at p.
func (p Path) Reply(id CommentID) Path {
	if p.parts() >= Levels {
		p = p[:len(p)-pathPart]
	}
	return p + Path(id.UUID[:])
}

// Comment returns the comment at the path.
func (p Path) Comment() (id CommentID) {
	if p.parts() == 0 {
		return id
	}
	copy(id.UUID[:], p[len(p)-pathPart:])
	if p.parts() == 1 {
		id = CommentID{UUID([]byte(PathOf(id)))}
	}
	return id
}

// Depth is how many comments stand above the one at the path.
func (p Path) Depth() int { return max(0, p.parts()-1) }

func (p Path) parts() int { return len(p) / pathPart }

// Valid reports whether p may be a comment's.
func (p Path) Valid() bool {
	return p != "" && len(p)%pathPart == 0 && p.parts() <= Levels && p.Comment().Valid()
}

// Above returns the paths above p, the highest first.
func (p Path) Above() (above []Path) {
	for n := pathPart; n < len(p); n += pathPart {
		above = append(above, p[:n])
	}
	return above
}

// Under reports whether p is that of a comment or of one below it.
func (p Path) Under(of Path) bool { return strings.HasPrefix(string(p), string(of)) }

// Next returns the lowest path behind p: nothing lies between them, not even below p.
func (p Path) Next() Path { return p + "\x00" }

// Past returns the lowest path behind all below p.
func (p Path) Past() Path {
	end := []byte(p)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			break
		}
	}
	return Path(end)
}

// LastPath is behind all paths.
const LastPath = Path("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
