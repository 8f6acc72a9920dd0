package gap

import "broadsheet/blog"

// Leap is a gap, and the page that passed it. A page that begins where that one did needs the
// same three statements, and none of them has to wait for another:
//
//	the rows above ∥ is the gap there? ∥ the rows below
//
// What is remembered only says where to read. That no row stands between is what the gap says
// that was read with them; where it says something else, the rows below are read again, in
// turn.
type Leap struct {
	Gap
	Start  blog.UUID // the near end of the page's span
	Wanted int       // rows
}

type leapKey struct {
	List
	descending bool
}

const maxLeaps = 1 << 12 // some 150 bytes each

// Leap returns what was remembered of a list, for pages in one direction.
func (g *Gaps) Leap(list List, descending bool) (Leap, bool) {
	return g.leaps.Get(leapKey{list, descending})
}

// Remember remembers the last gap that a page passed.
func (g *Gaps) Remember(list List, descending bool, l Leap) {
	g.leaps.Add(leapKey{list, descending}, l)
}

// Forget forgets it, where it is not what it was.
func (g *Gaps) Forget(list List, descending bool) { g.leaps.Remove(leapKey{list, descending}) }

// Between reports whether a page from one id on, below another, meets a gap as the page before did, or closer to it,
// and goes on behind it.
func (l Leap) Between(from, to blog.UUID, descending bool) bool {
	if descending {
		return to.Compare(l.Start) <= 0 && to.Compare(l.Low) > 0 && from.Compare(l.Low) < 0
	}
	return from.Compare(l.Start) >= 0 && from.Compare(l.High) < 0 && to.Compare(l.High) > 0
}
