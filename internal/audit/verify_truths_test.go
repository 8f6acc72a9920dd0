package audit_test

import (
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// Each truth that can't be right in itself is named with what is wrong, and those that
// can are not.
func TestVerifyNamesTruthsThatContradictThemselves(t *testing.T) {
	b := newSmallBlog()
	user, post := b.users[0], b.posts[0]
	comment := b.comments[0]
	userRow := func(change func(*blog.User)) audit.TruthRow {
		u := user
		change(&u)
		return audit.TruthRow{Key: []any{u.ID}, User: u}
	}
	postRow := func(ended bool, change func(*blog.Post)) audit.TruthRow {
		p := post
		change(&p)
		return audit.TruthRow{Key: []any{p.ID}, Post: p, Ended: ended}
	}
	commentRow := func(change func(*blog.Comment)) audit.TruthRow {
		c := comment
		change(&c)
		return audit.TruthRow{Key: []any{c.Post, c.ID}, Comment: c}
	}
	for name, c := range map[string]struct {
		row  audit.TruthRow
		want string // empty: nothing is wrong
	}{
		"a whole user":            {userRow(func(*blog.User) {}), ""},
		"a user without version":  {userRow(func(u *blog.User) { u.Version = 0 }), "no version"},
		"a user without stamp":    {userRow(func(u *blog.User) { u.Stamp = 0 }), "no stamp"},
		"a user without subject":  {userRow(func(u *blog.User) { u.Subject = "" }), "no subject"},
		"a user without username": {userRow(func(u *blog.User) { u.Username = "" }), "without a username"},
		"a user never finished":   {audit.TruthRow{Key: []any{user.ID}, User: blog.User{ID: user.ID, Stamp: 7, Version: -1}}, ""},

		"a whole post":             {postRow(false, func(*blog.Post) {}), ""},
		"a post without version":   {postRow(false, func(p *blog.Post) { p.Version = 0 }), "no version"},
		"a post without stamp":     {postRow(false, func(p *blog.Post) { p.Stamp = 0 }), "no stamp"},
		"a post without title":     {postRow(false, func(p *blog.Post) { p.Title = "" }), "without a title"},
		"a post without content":   {postRow(false, func(p *blog.Post) { p.Content = "" }), "without content"},
		"a post with another text": {postRow(false, func(p *blog.Post) { p.Content = "of somebody else" }), "not the beginning of the content"},
		"a long post":              {postRow(false, func(p *blog.Post) { p.Content = strings.Repeat("word ", 99); p.Excerpt = blog.Excerpt(p.Content) }), ""},
		"a deleted post":           {postRow(true, func(p *blog.Post) { p.Title, p.Content, p.Excerpt = "", "", "" }), ""},
		"a deleted post with text": {postRow(true, func(*blog.Post) {}), "deleted, but holds a text"},
		"copies alone":             {audit.TruthRow{Key: []any{post.ID}, Post: blog.Post{ID: post.ID}}, ""},

		"a whole comment":           {commentRow(func(*blog.Comment) {}), ""},
		"a comment without edits":   {commentRow(func(c *blog.Comment) { c.Version = 0 }), "no number of edits"},
		"a comment of nobody":       {commentRow(func(c *blog.Comment) { c.Author = blog.Author{} }), "without an author"},
		"a deleted comment":         {commentRow(func(c *blog.Comment) { c.Content, c.Version = "", 0 }), ""},
		"a count below zero":        {audit.TruthRow{Key: []any{post.ID}, Head: blog.Count{N: -1, Stamp: 5}, Version: 2}, "the count is -1"},
		"a count without stamp":     {audit.TruthRow{Key: []any{post.ID}, Head: blog.Count{N: 1}, Version: 2}, "no stamp"},
		"a count that never was":    {audit.TruthRow{Key: []any{post.ID}}, ""},
		"a like without its time":   {audit.TruthRow{Key: []any{post.ID, user.ID}, Reaction: blog.Reaction{Stands: true}}, "without its time"},
		"a row that can't be read":  {audit.TruthRow{Key: []any{post.ID, user.ID}, Damaged: "it can't be read"}, "it can't be read"},
		"a like that is taken back": {audit.TruthRow{Key: []any{post.ID, user.ID}, Reaction: blog.Reaction{Post: post.ID}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSmallBlog()
			b.standing = []audit.TruthRow{c.row}
			found, err := audit.Verifying{Repair: true}.Run(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			var told []audit.Drift
			for _, report := range found.Tables {
				told = append(told, report.Examples...)
			}
			named := slices.ContainsFunc(told, func(d audit.Drift) bool {
				return d.Kind == audit.Contradiction && strings.Contains(d.Problem, c.want) && d.Left != ""
			})
			if want := c.want != ""; named != want || len(told) > 1 || !want && len(told) > 0 {
				t.Errorf("found %+v", told)
			}
		})
	}
}
