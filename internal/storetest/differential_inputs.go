package storetest

import (
	"fmt"
	"slices"
	"strings"

	"broadsheet/blog"
)

// Random inputs, from small pools so that they meet again.

const subjects = 40

func (d *differential) oneIn(n int) bool { return d.random.IntN(n) == 0 }

func pick[T any](d *differential, values ...T) T { return values[d.random.IntN(len(values))] }

func (d *differential) subject() string {
	return d.text(fmt.Sprintf("subject %d", d.random.IntN(subjects)))
}

func (d *differential) username() string {
	if d.oneIn(15) {
		return pick(d, "", "ab", "a b", "name\x00", strings.Repeat("x", blog.MaxUsername+1))
	}
	return d.text(fmt.Sprintf("%s_%d", pick(d, "name", "Name", "NAME"), d.random.IntN(15)))
}

func (d *differential) email() string {
	if d.oneIn(15) {
		return pick(d, "", "nobody", "a@b@c", "Ada <a@example.org>", strings.Repeat("x", blog.MaxEmail)+"@example.org")
	}
	return d.text(fmt.Sprintf("%s%d@example.org", pick(d, "mail", "Mail"), d.random.IntN(8)))
}

// proof is mostly that of the address.
func (d *differential) proof(of *string) string {
	switch {
	case of == nil || d.oneIn(3):
		return ""
	case d.oneIn(10):
		return d.email()
	}
	return *of
}

// emailOf returns mostly the user's address.
func (d *differential) emailOf(user int) string {
	model := d.sides[0]
	u, err := model.store.UserByID(d.ctx, model.user(user))
	if err != nil || u.Email == nil || d.oneIn(10) {
		return d.email()
	}
	return *u.Email
}

func (d *differential) line() string {
	if d.oneIn(20) {
		return pick(d, "", " \n", "a\x00b", "\xff", strings.Repeat("x", blog.MaxComment+1))
	}
	return d.text(pick(d, "one", "two", "drei", "четыре", "cafe\u0301", "café", "👨‍👩‍👧", " spaces around ", fmt.Sprintf("line %d of its own", d.step)))
}

func (d *differential) content() string {
	if d.oneIn(20) {
		return pick(d, "", "\x00", strings.Repeat("x", blog.MaxContentBytes+1))
	}
	return pick(d, "short", longText, strings.Repeat("漢字", 150), strings.Repeat("x", 3_000)+d.line(), "a\r\nb")
}

func (d *differential) maybe(text func() string) *string {
	if d.oneIn(2) {
		return nil
	}
	return ptr(text())
}

func (d *differential) edit(text func() string) blog.Edit {
	switch n := d.random.IntN(12); {
	case n < 6:
		return blog.Edit{}
	case n < 7:
		return blog.Clear()
	default:
		return blog.SetTo(text())
	}
}

// authorOr returns mostly the post's author.
func (d *differential) authorOr(post, other int) int {
	model := d.sides[0]
	p, err := model.store.PostByID(d.ctx, model.post(post))
	if err != nil || d.oneIn(5) {
		return other
	}
	return slices.Index(model.users, p.Author.ID)
}

// ownerOr returns mostly the group's owner.
func (d *differential) ownerOr(group blog.GroupID, other int) int {
	model := d.sides[0]
	g, err := model.store.GroupByID(d.ctx, group)
	if err != nil || d.oneIn(5) {
		return other
	}
	return slices.Index(model.users, g.Owner)
}

// commenterOr returns mostly the comment's author.
func (d *differential) commenterOr(comment, other int) int {
	model := d.sides[0]
	c, err := model.store.CommentByKey(d.ctx, model.comment(comment))
	if err != nil || d.oneIn(5) {
		return other
	}
	return slices.Index(model.users, c.Author.ID)
}

// authorAboveOr returns mostly the author of the comment's post.
func (d *differential) authorAboveOr(comment, other int) int {
	model := d.sides[0]
	return d.authorOr(slices.Index(model.posts, model.comment(comment).Post), other)
}

// role is mostly none.
func (d *differential) role() blog.Role {
	if d.oneIn(4) {
		return blog.Moderator
	}
	return blog.Member
}

// version is mostly none, and otherwise often the right one.
func (d *differential) version() *int {
	if !d.oneIn(4) {
		return nil
	}
	return ptr(d.random.IntN(4))
}

// key is mostly none. Keys change before they could expire.
func (d *differential) key() *string {
	if !d.oneIn(6) {
		return nil
	}
	return ptr(fmt.Sprintf("key %d.%d", d.step/1_000, d.random.IntN(6)))
}

// user is a number that is seldom nobody's.
func (d *differential) user() int {
	if n := len(d.sides[0].users); n > 0 && !d.oneIn(30) {
		return d.random.IntN(n)
	}
	return nobodysNumber
}

// post is mostly one of the last, and seldom none.
func (d *differential) post() int { return d.recent(len(d.sides[0].posts), 8) }

func (d *differential) comment() int { return d.recent(len(d.sides[0].comments), 20) }

func (d *differential) recent(n, window int) int {
	switch {
	case n == 0 || d.oneIn(40):
		return nobodysNumber
	case d.oneIn(20):
		return d.random.IntN(n)
	default:
		return n - 1 - d.random.IntN(min(n, window))
	}
}
