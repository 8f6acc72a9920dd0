package auditor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// audited are the tables that an audit knows, and truths those of them that nothing can
// be built from but themselves.
var (
	truths = func() []blog.Table {
		all := []blog.Table{blog.UsersByID, blog.PostsByID, blog.CommentsByPost}
		for _, k := range blog.ReactionKinds {
			all = append(all, k.Table)
		}
		return all
	}()
	audited = slices.Concat(slices.DeleteFunc(blog.Rebuildable(), func(t blog.Table) bool { return t == blog.HomeByUser }), []blog.Table{blog.UsernameClaims, blog.EmailClaims, blog.SubjectClaims}, truths)
)

// Each table is lost in turn. A repair builds it anew where truths tell what was in it;
// else it names the loss and deletes nothing: with the table back all is well again.
func testLoss(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	first, second := newSmall(t, store), newSmall(t, store)
	must(t, storetest.ReactEach(t.Context(), store, first.user.ID, second.post.ID))
	must(t, storetest.ReactEach(t.Context(), store, second.user.ID, first.post.ID))
	publishInGroup(t, store, first.user)
	must(t, store.Settle(t.Context()))
	wantDrift(t, "before any loss", verified(t, store, audit.Verifying{}), nil)
	before := map[blog.Table][]string{}
	for _, table := range audited {
		before[table] = testkeyspace.JSON(t, config, table)
	}
	for _, lost := range audited {
		truth := slices.Contains(truths, lost)
		testkeyspace.Execute(t, config, "TRUNCATE %s."+string(lost))
		repaired := verified(t, store, audit.Verifying{Repair: true, Plan: func(plan []audit.Deletion) { t.Errorf("%s: is about to delete %v", lost, plan) }})
		for _, table := range audited {
			rows, had := standing(testkeyspace.JSON(t, config, table)), standing(before[table])
			if (table != lost || !truth) && len(rows) != len(had) {
				t.Errorf("%s is lost: %s has %d rows, before %d", lost, table, len(rows), len(had))
			}
		}
		switch {
		case truth:
			wantLost(t, lost, repaired)
			var cql []string
			for _, row := range before[lost] {
				cql = append(cql, testkeyspace.InsertJSON(t, lost, row))
			}
			testkeyspace.Execute(t, config, cql...)
		case repaired.Left() > 0 || repaired.Repaired() == 0:
			t.Errorf("%s: %d repaired, %d left: %q", lost, repaired.Repaired(), repaired.Left(), found(repaired))
		}
		wantDrift(t, "after the loss of "+string(lost), verified(t, store, audit.Verifying{}), nil)
	}
}

// standing leaves the dead rows out, which nothing asks for.
func standing(rows []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(row string) bool {
		return strings.Contains(row, `"title": ""`) || strings.Contains(row, `"content": ""`)
	})
}

// wantLost checks that truths are told to be lost, and that nothing else is left.
func wantLost(t *testing.T, lost blog.Table, repaired audit.Verified) {
	t.Helper()
	n := 0
	for _, report := range repaired.Tables {
		n += report.Kinds[audit.LostTruth]
		for _, d := range report.Examples {
			if d.Kind != audit.LostTruth || d.Left == "" {
				t.Errorf("%s is lost: found %+v", lost, d)
			}
		}
	}
	if n == 0 || n != repaired.Left() {
		t.Errorf("%s: %d lost truths are told, %d left", lost, n, repaired.Left())
	}
}

// With the claims gone a name is free to be taken again; a repair gives everybody back
// what they have. Of two users with one name nobody can tell whose it is, and neither a
// claim nor a name changes hands.
func testClaims(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	first, second := testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store)
	must(t, store.Settle(t.Context()))
	testkeyspace.Execute(t, config, "TRUNCATE %s.username_claims", "TRUNCATE %s.email_claims", "TRUNCATE %s.subject_claims")
	if found := verified(t, store, audit.Verifying{}); found.Drifted() != 6 {
		t.Errorf("%d drifted, want three claims of two users", found.Drifted())
	}
	if mended := verified(t, store, audit.Verifying{Repair: true}); mended.Repaired() != 6 || mended.Left() > 0 {
		t.Errorf("%d repaired, %d left", mended.Repaired(), mended.Left())
	}
	for _, c := range []blog.CreateUser{
		{Subject: "eve", Username: strings.ToUpper(first.Username)},
		{Subject: first.Subject, Username: "eve"},
		{Subject: "eve", Username: "eve", Email: first.Email, ProvedEmail: *first.Email},
	} {
		if _, err := store.CreateUser(t.Context(), c); blog.KindOf(err) != blog.Taken {
			t.Errorf("%+v: %v", c, err)
		}
	}
	_, err := store.UpdateUser(t.Context(), blog.UpdateUser{Actor: second.ID, Username: blog.SetTo("moved_away")})
	must(t, err)
	must(t, store.Settle(t.Context()))
	_, err = store.CreateUser(t.Context(), blog.CreateUser{Subject: "eve", Username: second.Username})
	must(t, err)
	must(t, store.Settle(t.Context()))
	wantDrift(t, "after a rename", verified(t, store, audit.Verifying{}), nil)

	testkeyspace.Execute(t, config, fmt.Sprintf("UPDATE %%s.users_by_id SET username = '%s' WHERE user_id = %v", strings.ToUpper(first.Username), second.ID))
	two := verified(t, store, audit.Verifying{Repair: true, Force: true})
	if named := found(two); two.Left() != 1 || !slices.ContainsFunc(named, func(d string) bool {
		return strings.HasPrefix(d, "username_claims: two owners: ") && strings.Contains(d, first.ID.String()) && strings.Contains(d, second.ID.String())
	}) {
		t.Errorf("%d left: %q", two.Left(), named)
	}
	testkeyspace.Execute(t, config, "TRUNCATE %s.username_claims")
	if unclaimed := verified(t, store, audit.Verifying{Repair: true, Force: true}); unclaimed.Left() != 2 {
		t.Errorf("%d left, want both: %q", unclaimed.Left(), found(unclaimed))
	}
}

// A post that holds another's content is found: its excerpt tells. So is what else can't
// be right in itself, and nothing that hangs on it is deleted.
func testContradictions(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	var worlds []small
	contradictions := []struct{ cql, want string }{
		{"UPDATE posts_by_id SET content = 'what somebody else has written' WHERE post_id = $post", "posts_by_id: contradiction: $post"},
		{"UPDATE posts_by_id SET version = null WHERE post_id = $post", "posts_by_id: contradiction: $post"},
		{"UPDATE posts_by_id SET title = 'x' WHERE post_id = $gone", "posts_by_id: contradiction: $gone"},
		{"UPDATE posts_by_id SET stamp = null WHERE post_id = $post", "posts_by_id: contradiction: $post"},
		{"UPDATE users_by_id SET version = null WHERE user_id = $user", "users_by_id: contradiction: $user"},
		{"UPDATE users_by_id SET username = null WHERE user_id = $user", "users_by_id: contradiction: $user"},
		{"UPDATE comments_by_post SET comment_count = -1 WHERE post_id = $gone AND bucket = 0", "comments_by_post: contradiction: $gone"},
		{"UPDATE comments_by_post SET stamp = null WHERE post_id = $post AND bucket = 0", "comments_by_post: contradiction: $post"},
		{"UPDATE like_claims SET liked_at = null WHERE post_id = $post AND bucket = 0 AND user_id = $user", "like_claims: contradiction: $post"},
	}
	for range contradictions {
		worlds = append(worlds, newSmall(t, store))
	}
	must(t, store.Settle(t.Context()))
	copies := map[blog.Table]int{}
	for _, table := range audited {
		copies[table] = len(testkeyspace.JSON(t, config, table))
	}
	var cql, want []string
	for i, c := range contradictions {
		cql, want = append(cql, keyspaced(worlds[i].fill(c.cql, ""))), append(want, worlds[i].fill(c.want, ""))
	}
	testkeyspace.Execute(t, config, cql...)
	repaired := verified(t, store, audit.Verifying{Repair: true})
	named := slices.DeleteFunc(found(repaired), func(d string) bool { return !strings.Contains(d, ": contradiction: ") })
	for _, w := range want {
		table, key := w[:strings.LastIndex(w, ": ")], w[strings.LastIndex(w, ": ")+2:]
		i := slices.IndexFunc(named, func(d string) bool { return strings.HasPrefix(d, table) && strings.Contains(d, key) })
		if i < 0 {
			t.Errorf("%s was not found", w)
			continue
		}
		named = slices.Delete(named, i, i+1)
	}
	if len(named) > 0 {
		t.Errorf("found %q", named)
	}
	for _, table := range audited {
		if n := len(testkeyspace.JSON(t, config, table)); n != copies[table] {
			t.Errorf("%s has %d rows, before %d", table, n, copies[table])
		}
	}
}
