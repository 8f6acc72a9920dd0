package blog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
	"broadsheet/internal/storetest"
)

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// allCopies returns what every projection makes of a user, a post, a comment and a reaction of each kind.
func allCopies() map[string][]blog.Copy {
	ids := blog.NewIDs(storetest.NewClock(noon), storetest.Random(1))
	u := blog.User{ID: ids.User(), Subject: "s", Username: "Ada", Email: ptr("ada@example.org"), Version: 1, Stamp: 10}
	author := u.Name().Author()
	p := blog.Post{
		ID: ids.Post(), Author: author, Title: "T", Content: "C", Excerpt: "C",
		UpdatedAt: noon, Version: 1, Stamp: 5, Feed: blog.FeedPlace{Bucket: "2026-11"}, Group: blog.GroupOf("name"),
	}
	c := blog.Comment{Post: p.ID, ID: ids.Comment(), Author: author, Content: "x", UpdatedAt: noon, Version: 1}
	l := blog.Reaction{Post: p.ID, User: author, At: blog.Millisecond(noon)}
	bare := u
	bare.Username, bare.Email, bare.Subject = "other", nil, "another"
	user, _ := blog.CopiesOfUser(u)
	renamed, _ := blog.CopiesOfUser(bare, u.FormerNames())
	counted := p
	counted.Comments = blog.Count{N: 1, Stamp: 9}
	for _, table := range blog.AboutPost.Counted() {
		*counted.CountOf(table) = blog.Count{N: 1, Stamp: 9}
	}
	all := map[string][]blog.Copy{
		"CopiesOfUser": user, "CopiesOfUser, renamed": renamed,
		"CopiesOfPost":          blog.CopiesOfPost(p),
		"CopiesOfPost, counted": blog.CopiesOfPost(counted),
		"DeletionsOfPost":       blog.DeletionsOfPost(p, 9),
		"CopiesOfComment":       blog.CopiesOfComment(c, 9),
		"DeletionsOfComment":    blog.DeletionsOfComment(c, 9),
		"CopiesOfCount":         blog.CopiesOfCount(blog.CommentsByPost, p.Ref(), counted.Comments),
		"NameOfPost":            blog.NameOfPost(p.Ref(), u.Name()),
		"NameOfComment":         blog.NameOfComment(c, u.Name()),
		"NamesAboveLists":       blog.NamesAboveLists(u.Name()),
		"CopiesOfHomed":         blog.CopiesOfHomed(blog.Homed{User: u.ID, Post: p.ID, Author: author.ID}),
	}
	g := blog.Group{ID: blog.GroupOf("name"), Name: "name", Title: "T", Owner: u.ID, CreatedAt: noon, Version: 1, Stamp: 5}
	all["CopiesOfGroup"], all["DeletionsOfGroup"] = blog.CopiesOfGroup(g), blog.DeletionsOfGroup(g, 9)
	for _, k := range blog.ReactionKinds {
		l := k.By(l.User, p.ID.UUID, l.At, false)
		given := l
		given.Stands = true
		all["CopiesOfReaction, "+k.Name] = blog.CopiesOfReaction(k, given, 9)
		all["CopiesOfReaction, taken back, "+k.Name] = blog.CopiesOfReaction(k, l, 9)
		all["LostReaction, "+k.Name] = blog.LostReaction(l.Key(k), l.At, 9)
		if k.Private() {
			continue
		}
		all["CopiesOfCount, "+k.Name] = blog.CopiesOfCount(k.Table, l.Parent(), counted.Likes)
		all["NameOfReaction, "+k.Name] = blog.NameOfReaction(k, l.To(), l.At, u.Name())
	}
	return all
}

func TestCopiesHaveTheShapeOfTheirFamilies(t *testing.T) {
	for name, copies := range allCopies() {
		if len(copies) == 0 {
			t.Errorf("%s is empty", name)
		}
		for _, c := range copies {
			switch {
			case len(c.Key) != len(c.Family.Key):
				t.Errorf("%s: %d keys for %v", name, len(c.Key), c.Family.Key)
			case !c.Deletes() && len(c.Values) != len(c.Family.Columns):
				t.Errorf("%s: %d values for %v", name, len(c.Values), c.Family.Columns)
			case c.Deletes() && !c.Family.Row:
				t.Errorf("%s deletes %v, which is no row", name, c.Family.Columns)
			case c.Stamp == 0:
				t.Errorf("%s has no stamp", name)
			}
			for _, value := range slices.Concat(c.Key, c.Values) {
				checkType(t, name, value)
			}
		}
	}
}

// checkType fails unless a value has one of the types that Copy promises.
func checkType(t *testing.T, name string, value any) {
	t.Helper()
	switch value.(type) {
	case blog.UserID, blog.PostID, blog.CommentID, blog.FollowedID, blog.GroupID, string, *string, int, bool, time.Time, blog.Path:
	default:
		t.Errorf("%s has a %T", name, value)
	}
}

func TestEveryFamilyIsMadeBySomeProjection(t *testing.T) {
	made, deleted := map[*blog.Family]bool{}, map[*blog.Family]bool{}
	for _, copies := range allCopies() {
		for _, c := range copies {
			made[c.Family] = made[c.Family] || !c.Deletes()
			deleted[c.Family] = deleted[c.Family] || c.Deletes()
		}
	}
	for _, g := range blog.Families() {
		if !made[g] {
			t.Errorf("nothing makes %v of %s", g.Columns, g.Table)
		}
		if g.Row && !deleted[g] && g.Table != blog.HomeByUser { // which ends whole
			t.Errorf("nothing deletes a row of %s", g.Table)
		}
		delete(made, g)
	}
	for g := range made {
		t.Errorf("Families lacks %v of %s", g.Columns, g.Table)
	}
}

func TestNoCellBelongsToTwoGroups(t *testing.T) {
	owner := map[string]*blog.Family{}
	for _, g := range blog.Families() {
		for _, column := range g.Columns {
			cell := fmt.Sprintf("%s %v %s", g.Table, g.Key, column.Name)
			if owner[cell] != nil {
				t.Errorf("%s belongs to %v and to %v", cell, owner[cell].Columns.Names(), g.Columns.Names())
			}
			owner[cell] = g
		}
		if slices.ContainsFunc(g.Key, func(key string) bool { return slices.Contains(g.Columns.Names(), key) }) {
			t.Errorf("a key of %s is one of the columns %v", g.Table, g.Columns)
		}
	}
}

func TestEachTableHasOneGroupThatMakesItsRows(t *testing.T) {
	rows := map[blog.Table]int{}
	for _, g := range blog.Families() {
		rows[g.Table] += 0
		if g.Row {
			rows[g.Table]++
		}
	}
	truths := []blog.Table{blog.PostsByID, blog.CommentsByPost} // their rows are no copies
	for table, n := range rows {
		want := 1
		if slices.Contains(truths, table) {
			want = 0
		}
		if n != want {
			t.Errorf("%s has %d families that make a row, want %d", table, n, want)
		}
	}
}

func TestMapNamesEveryQueryOnce(t *testing.T) {
	methods, tables := map[string]bool{}, map[blog.Table]bool{}
	for _, m := range productmap.Queries {
		if methods[m.Method] || tables[m.Table] {
			t.Errorf("%s or %s stands twice", m.Method, m.Table)
		}
		methods[m.Method], tables[m.Table] = true, true
	}
	for _, g := range blog.Families() {
		if !tables[g.Table] && g.Table.Declaration().Replaces == "" { // else it answers that one's
			t.Errorf("%s holds copies but answers no query", g.Table)
		}
	}
}

func TestKeysThatAUserHasNoMore(t *testing.T) {
	old := blog.User{Username: "Ada", Email: ptr("Ada@example.org"), Subject: "s", Stamp: 1}
	for name, c := range map[string]struct {
		username string
		email    *string
		subject  string
		want     []*blog.Family
	}{
		"nothing changed":             {"Ada", old.Email, "s", nil},
		"only cases changed":          {"ADA", ptr("ada@EXAMPLE.org"), "s", nil},
		"another name":                {"bob", old.Email, "s", []*blog.Family{blog.UsernameCard}},
		"another address":             {"Ada", ptr("bob@example.org"), "s", []*blog.Family{blog.EmailCard}},
		"no address any more":         {"Ada", nil, "s", []*blog.Family{blog.EmailCard}},
		"another name and no address": {"bob", nil, "s", []*blog.Family{blog.UsernameCard, blog.EmailCard}},
		"another case of the subject": {"Ada", old.Email, "S", []*blog.Family{blog.SubjectCard}},
	} {
		copies, _ := blog.CopiesOfUser(blog.User{Username: c.username, Email: c.email, Subject: c.subject, Stamp: 2}, old.FormerNames())
		var families []*blog.Family
		for _, copied := range copies {
			if copied.Deletes() {
				families = append(families, copied.Family)
			}
			if copied.Stamp != 2 {
				t.Errorf("%s: %+v", name, copied)
			}
		}
		if !slices.Equal(families, c.want) {
			t.Errorf("%s: got %d deletions, want %d", name, len(families), len(c.want))
		}
	}
}

func TestCopiesOfUser(t *testing.T) {
	old := blog.User{Username: "Ada", Email: ptr("Ada@example.org"), DisplayName: ptr("A"), Stamp: 1}
	now := func(username string, email *string) blog.User {
		return blog.User{Username: username, Email: email, DisplayName: old.DisplayName, Stamp: 2}
	}
	shown, nameless := now("Ada", old.Email), now("Ada", old.Email)
	shown.DisplayName, nameless.DisplayName = ptr("B"), nil
	keyOnly := old.FormerNames()
	keyOnly.Username = ""
	for name, c := range map[string]struct {
		former  []blog.FormerNames
		now     blog.User
		deleted int
		renamed bool
	}{
		"a creation":                         {nil, now("Ada", old.Email), 0, false},
		"nothing of that":                    {[]blog.FormerNames{old.FormerNames()}, now("Ada", old.Email), 0, false},
		"another display name":               {[]blog.FormerNames{old.FormerNames()}, shown, 0, true},
		"no display name":                    {[]blog.FormerNames{old.FormerNames()}, nameless, 0, true},
		"another address":                    {[]blog.FormerNames{old.FormerNames()}, now("Ada", ptr("b@example.org")), 1, false},
		"the address in another case":        {[]blog.FormerNames{old.FormerNames()}, now("Ada", ptr("ADA@example.org")), 0, false},
		"the name in another case":           {[]blog.FormerNames{old.FormerNames()}, now("ada", old.Email), 0, true},
		"another name":                       {[]blog.FormerNames{old.FormerNames()}, now("bob", old.Email), 1, true},
		"back to the name of before":         {[]blog.FormerNames{old.FormerNames(), now("bob", nil).FormerNames()}, now("Ada", old.Email), 1, true},
		"a former name whose key is known":   {[]blog.FormerNames{keyOnly}, now("Ada", old.Email), 0, true},
		"a former name as its key is, known": {[]blog.FormerNames{keyOnly}, now("ada", old.Email), 0, true},
	} {
		copies, renamed := blog.CopiesOfUser(c.now, c.former...)
		deleted, above := 0, 0
		for _, copied := range copies {
			switch {
			case copied.Deletes():
				deleted++
			case copied.Family.Static():
				above++
			}
		}
		if deleted != c.deleted || renamed != c.renamed || (above == 2) != c.renamed {
			t.Errorf("%s: %d deletions, renamed %v, %d names above lists; want %d, %v", name, deleted, renamed, above, c.deleted, c.renamed)
		}
		if rows, _ := blog.CopiesOfUser(c.now); len(copies) != len(rows)+deleted+above {
			t.Errorf("%s: %d copies", name, len(copies))
		}
	}
}

// A like may come back: its rows go at the like's own stamp, as they come. What is gone for
// ever goes far ahead.
func TestStampsOfLikes(t *testing.T) {
	post, user := blog.PostID{UUID: blog.FirstUUIDAt(noon)}, blog.Author{ID: blog.UserID{UUID: blog.FirstUUIDAt(noon)}}
	for _, liked := range []bool{true, false} {
		copies := blog.CopiesOfReaction(blog.Likes, blog.Reaction{Post: post, User: user, At: noon, Stands: liked}, 7)[:2]
		if copies[0].Family != blog.PostLike || copies[1].Family != blog.UserLike {
			t.Errorf("not the rows of a like: %v", copies)
		}
		for _, c := range copies {
			if c.Stamp != 7 || c.Deletes() == liked {
				t.Errorf("liked %v: %s at %d, deleted %v", liked, c.Family.Table, c.Stamp, c.Deletes())
			}
		}
	}
}
