package audit_test

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 123_456_789, time.UTC)

// smallBlog is an [audit.Store] of slices: truths and, made from them, copies.
type smallBlog struct {
	users      []blog.User
	posts      []blog.Post
	comments   []blog.Comment
	likes      []blog.Reaction
	others     []blog.Reaction // of each kind but likes, on the first post, or of the first user
	followed   blog.UserID
	groups     []blog.Group
	counts     map[blog.PostID][2]blog.Count
	copies     []blog.Copy
	claims     map[blog.Table]map[string]blog.UserID
	remembers  bool             // that what does not stand has ended; else nothing is known of it
	standing   []audit.TruthRow // beside those of the truths
	unfinished audit.Unfinished
	arriving   func(b *smallBlog) // is called when the unfinished commands were read
	fault      error              // of EachRow
	nameless   error              // of TrueUser
	moving     bool               // commands are at work on what is counted
	audits     int                // that are open
	repaired   []audit.Drift
	repairing  func(audit.Drift) // is called after each repair
}

// newSmallBlog has two users, two posts of the first, and below the first post a
// comment and a reaction of each, of every kind.
func newSmallBlog() *smallBlog {
	ids := blog.NewIDs(storetest.NewClock(noon), storetest.Random(1))
	b := &smallBlog{counts: map[blog.PostID][2]blog.Count{}}
	for i, name := range []string{"Ada", "Bob"} {
		u := blog.User{ID: ids.User(), Subject: "s" + name, Username: name, Version: 1, Stamp: int64(10 + i)}
		u.Email = []*string{new("ada@example.org"), nil}[i]
		u.VerifiedEmail = u.Email
		b.users = append(b.users, u)
	}
	for _, bucket := range []string{"2026-11", "2026-12"} {
		b.posts = append(b.posts, blog.Post{
			ID: ids.Post(), Author: b.users[0].Name().Author(), Group: blog.GroupOf("one"), Title: "T", Content: "C", Excerpt: "C",
			UpdatedAt: noon, Version: 1, Stamp: 5, Feed: blog.FeedPlace{Bucket: bucket},
		})
	}
	for _, u := range b.users {
		author := u.Name().Author()
		b.comments = append(b.comments, blog.Comment{Post: b.posts[0].ID, ID: ids.Comment(), Author: author, Content: "x", UpdatedAt: noon, Version: 1})
		b.likes = append(b.likes, blog.Reaction{Post: b.posts[0].ID, User: author, At: blog.Millisecond(noon), Stands: true})
	}
	b.others, b.followed = b.likes, b.users[0].ID
	b.groups = []blog.Group{{ID: blog.GroupOf("one"), Name: "one", Title: "T", Owner: b.followed, CreatedAt: noon, Version: 1, Stamp: 5}}
	b.counts[b.posts[0].ID] = [2]blog.Count{{N: 2, Stamp: 7}, {N: 2, Stamp: 8}}
	b.project()
	b.claim()
	return b
}

// reactions are those of a kind.
func (b *smallBlog) reactions(of *blog.ReactionKind) []blog.Reaction {
	if of == blog.Likes {
		return b.likes
	}
	var all []blog.Reaction
	for _, r := range b.others {
		to := r.Post.UUID
		switch of.Parent {
		case blog.AboutFollowed:
			to = b.followed.UUID
		case blog.AboutGroup:
			to = b.groups[0].ID.UUID
		}
		all = append(all, of.By(r.User, to, r.At, r.Stands))
	}
	return all
}

// Counts counts what tables have below a parent.
func (b *smallBlog) Counts(_ context.Context, parent blog.UUID, of ...blog.Table) (all []blog.Count, _ error) {
	for _, table := range of {
		all = append(all, b.count(table.Reaction(), parent))
	}
	return all, nil
}

func (b *smallBlog) count(of *blog.ReactionKind, parent blog.UUID) (n blog.Count) {
	switch {
	case of == nil:
		return b.counts[blog.PostID{UUID: parent}][0]
	case of == blog.Likes:
		return b.counts[blog.PostID{UUID: parent}][1]
	}
	for _, r := range b.reactions(of) {
		if r.To() == parent {
			n = blog.Count{N: n.N + 1, Stamp: 8}
		}
	}
	return n
}

// claim gives everybody what they have.
func (b *smallBlog) claim() {
	b.claims = map[blog.Table]map[string]blog.UserID{blog.UsernameClaims: {}, blog.EmailClaims: {}, blog.SubjectClaims: {}}
	for _, u := range b.users {
		b.claims[blog.UsernameClaims][blog.UsernameKey(u.Username)] = u.ID
		b.claims[blog.SubjectClaims][u.Subject] = u.ID
		if u.Email != nil {
			b.claims[blog.EmailClaims][blog.EmailKey(*u.Email)] = u.ID
		}
	}
}

// project makes the copies.
func (b *smallBlog) project() {
	names := map[blog.UserID]blog.Name{}
	for _, u := range b.users {
		names[u.ID] = u.Name()
		copies, _ := blog.CopiesOfUser(u)
		b.add(copies)
	}
	refs := map[blog.PostID]blog.PostRef{}
	for _, p := range b.posts {
		refs[p.ID] = p.Ref()
		b.add(blog.CopiesOfPost(p))
		b.add(blog.NameOfPost(p.Ref(), names[p.Author.ID]))
	}
	for _, c := range b.comments {
		b.add(blog.CopiesOfComment(c, 7))
		b.add(blog.NameOfComment(c, names[c.Author.ID]))
	}
	for _, k := range blog.ReactionKinds {
		for _, r := range b.reactions(k) {
			r.Stands = true
			b.add(blog.CopiesOfReaction(k, r, 8))
			b.add(blog.NameOfReaction(k, r.To(), r.At, names[r.User.ID]))
		}
	}
	for post, n := range b.counts {
		b.add(blog.CopiesOfCount(blog.CommentsByPost, refs[post], n[0]))
		for _, table := range blog.AboutPost.Counted() {
			if k := table.Reaction(); k != nil {
				b.add(blog.CopiesOfCount(table, refs[post], b.count(k, post.UUID)))
			}
		}
	}
	for _, g := range b.groups {
		b.add(blog.CopiesOfGroup(g))
		b.add(blog.CopiesOfCount(blog.MemberClaims, g.ID, b.count(blog.Members, g.ID.UUID)))
	}
	b.add(blog.CopiesOfCount(blog.FollowClaims, blog.FollowedID(b.followed), b.count(blog.Follows, b.followed.UUID)))
	for _, r := range b.reactions(blog.Follows) {
		for _, p := range b.posts {
			if p.Author.ID == b.followed {
				b.add(blog.CopiesOfHomed(blog.Homed{User: r.User.ID, Post: p.ID, Author: p.Author.ID}))
			}
		}
	}
}

// add adds copies, each cell once.
func (b *smallBlog) add(copies []blog.Copy) {
	for _, c := range copies {
		if i := b.find(c.Family, c.Key); i >= 0 {
			b.copies[i] = c
		} else {
			b.copies = append(b.copies, c)
		}
	}
}

func (b *smallBlog) find(g *blog.Family, key []any) int {
	return slices.IndexFunc(b.copies, func(c blog.Copy) bool { return c.Family == g && audit.SameValues(c.Key, key) })
}

// Unhomed looks for all posts of who is followed.
func (b *smallBlog) Unhomed(_ context.Context, follow blog.Reaction, _ int) (has int, lacking []blog.PostID, _ error) {
	for _, p := range b.posts {
		if p.Author.ID.UUID != follow.Followed.UUID {
			continue
		}
		wanted := blog.CopiesOfHomed(blog.Homed{User: follow.User.ID, Post: p.ID, Author: p.Author.ID})[0]
		if i := b.find(wanted.Family, wanted.Key); i >= 0 && audit.SameValues(b.copies[i].Values, wanted.Values) {
			has++
		} else {
			lacking = append(lacking, p.ID)
		}
	}
	return has, lacking, nil
}

func (b *smallBlog) Audit(context.Context, int) (audit.Reader, error) {
	b.audits++
	return b, nil
}

// Repair writes the row's copies, or takes them away.
func (b *smallBlog) Repair(ctx context.Context, d audit.Drift) error {
	b.repaired = append(b.repaired, d)
	if b.repairing != nil {
		defer b.repairing(d)
	}
	if claims, ok := b.claims[d.Table]; ok {
		key := d.Key[0].(string)
		switch {
		case d.Deletes > 0:
			delete(claims, key)
		case claims[key].IsZero():
			claims[key] = d.Key[1].(blog.UserID)
		default:
			return blog.Errorf(blog.Invalid, "another holds it")
		}
		return nil
	}
	if d.OfTally() || d.Kind == audit.Contradiction {
		return blog.Errorf(blog.Invalid, "this store can't count")
	}
	b.copies = slices.DeleteFunc(b.copies, func(c blog.Copy) bool {
		return c.Family.Table == d.Table && c.Family.Static() == (len(d.Key) < len(d.Table.RowKey())) && audit.SameValues(c.Key, d.Key)
	})
	copies, err := audit.RowCopies(ctx, b, d.Table, d.Key, d.Post)
	b.add(copies)
	return err
}

func (b *smallBlog) Holds(blog.Table) bool { return true }
func (b *smallBlog) Parts() int            { return 1 }
func (b *smallBlog) Close() error          { b.audits--; return nil }
func (b *smallBlog) Certain() audit.Truths { return b }

func (b *smallBlog) Unfinished(context.Context) (audit.Unfinished, error) {
	if b.arriving != nil {
		b.arriving(b)
	}
	return b.unfinished, nil
}

func each[T any](items []T, visit func(T) error) error {
	for _, item := range items {
		if err := visit(item); err != nil {
			return err
		}
	}
	return nil
}

// EachRow puts the copies of a table together, by rows.
func (b *smallBlog) EachRow(ctx context.Context, table blog.Table, _ int, visit func(audit.Row) error) error {
	if b.fault != nil {
		return b.fault
	}
	var keys [][]any
	add := func(key []any) {
		if !slices.ContainsFunc(keys, func(k []any) bool { return audit.SameValues(k[:min(len(k), len(key))], key) }) {
			keys = append(keys, key)
		}
	}
	for _, static := range []bool{false, true} {
		for _, c := range b.copies {
			if c.Family.Table == table && c.Family.Static() == static {
				add(c.Key)
			}
		}
	}
	return each(keys, func(key []any) error {
		row, err := b.Row(ctx, table, key)
		if err != nil {
			return err
		}
		return visit(row)
	})
}

func (b *smallBlog) Row(_ context.Context, table blog.Table, key []any) (audit.Row, error) {
	row := audit.Row{Key: key}
	for _, c := range b.copies {
		if c.Family.Table != table {
			continue
		}
		if len(c.Key) <= len(key) && audit.SameValues(c.Key, key[:len(c.Key)]) {
			row.Cells = append(row.Cells, c)
		}
		row.Below = row.Below || len(c.Key) > len(key) && audit.SameValues(c.Key[:len(key)], key)
	}
	return row, nil
}

func (b *smallBlog) Tally(_ context.Context, table blog.Table, parent blog.UUID) (t audit.Tally, err error) {
	t.Moving = b.moving
	if k := table.Reaction(); k != nil {
		t.Count = b.count(k, parent)
		for _, r := range b.reactions(k) {
			if r.To() == parent {
				t.Rows++
			}
		}
	}
	for _, c := range b.comments {
		if table == blog.CommentsByPost && c.Post.UUID == parent {
			t.Rows++
		}
	}
	if table == blog.CommentsByPost {
		t.Count = b.counts[blog.PostID{UUID: parent}][0]
	}
	return t, nil
}

func (b *smallBlog) Ref(_ context.Context, post blog.PostID) (blog.PostRef, bool, error) {
	p := first(b.posts, func(p blog.Post) bool { return p.ID == post })
	return p.Ref(), p.Version > 0, nil
}

func (b *smallBlog) True(_ context.Context, table blog.Table, key ...any) (audit.TruthRow, error) {
	r := first(b.truths(table), func(r audit.TruthRow) bool { return audit.SameValues(r.Key, key) })
	if r.Key == nil && b.remembers {
		r.Key, r.Ended = key, true
	}
	if table == blog.UsersByID {
		return r, b.nameless
	}
	return r, nil
}

func (b *smallBlog) EachTruth(_ context.Context, table blog.Table, _ int, _ bool, visit func(audit.TruthRow) error) error {
	standing := slices.DeleteFunc(slices.Clone(b.standing), func(r audit.TruthRow) bool { return b.tableOf(r) != table })
	return each(append(standing, b.truths(table)...), visit)
}

func (b *smallBlog) truths(table blog.Table) (rows []audit.TruthRow) {
	if table == blog.UsersByID {
		for _, u := range b.users {
			rows = append(rows, audit.TruthRow{Key: []any{u.ID}, User: u})
		}
	}
	if table == blog.PostsByID {
		for _, p := range b.posts {
			rows = append(rows, audit.TruthRow{Key: []any{p.ID}, Post: p})
		}
	}
	if table == blog.CommentsByPost {
		for _, c := range b.comments {
			rows = append(rows, audit.TruthRow{Key: []any{c.Post, c.ID}, Comment: c, Head: b.counts[c.Post][0]})
		}
	}
	if table == blog.GroupsByID {
		for _, g := range b.groups {
			rows = append(rows, audit.TruthRow{Key: []any{g.ID}, Group: g})
		}
	}
	for text, owner := range b.claims[table] {
		rows = append(rows, audit.TruthRow{Key: []any{text}, Owner: owner})
	}
	if k := table.Reaction(); k != nil {
		for _, r := range b.reactions(k) {
			rows = append(rows, audit.TruthRow{Key: []any{k.Table.Declaration().Partition[0].Type.ID(r.To()), r.User.ID}, Reaction: r, Head: b.count(k, r.To())})
		}
	}
	return rows
}

// tableOf tells by what is filled in.
func (b *smallBlog) tableOf(r audit.TruthRow) blog.Table {
	switch {
	case r.User != (blog.User{}):
		return blog.UsersByID
	case r.Post != (blog.Post{}):
		return blog.PostsByID
	case r.Reaction != (blog.Reaction{}):
		return blog.LikeClaims
	}
	return blog.CommentsByPost
}

func (b *smallBlog) Listed(_ context.Context, k *blog.UniqueKey, key string) (users []blog.UserID, err error) {
	for _, c := range b.copies {
		if c.Family.Table == k.Card.Table && c.Key[0] == key {
			users = append(users, c.Key[1].(blog.UserID))
		}
	}
	return users, nil
}

// first returns the first of some items; zero where there is none.
func first[T any](items []T, is func(T) bool) (found T) {
	if i := slices.IndexFunc(items, is); i >= 0 {
		return items[i]
	}
	return found
}
