package auditor_test

import (
	"fmt"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/testkeyspace"
)

// What a home lacks, or has otherwise, is mended; the home of an erased account, which a program left that knew none, is
// deleted. What is of nobody whom its user follows is no harm.
func testHomes(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	author, reader, gone := testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store)
	for _, u := range []blog.User{reader, gone} {
		_, _, err := store.FollowUser(t.Context(), blog.FollowUser{Actor: u.ID, User: author.ID})
		must(t, err)
	}
	posts := []blog.Post{testkeyspace.NewPost(t, store, author), testkeyspace.NewPost(t, store, author), testkeyspace.NewPost(t, store, author)}
	must(t, store.Settle(t.Context()))
	must(t, store.DeleteAccount(t.Context(), blog.DeleteAccount{Actor: gone.ID, User: gone.ID, Role: blog.Operator}))
	must(t, store.Settle(t.Context()))
	wantDrift(t, "before any damage", verified(t, store, audit.Verifying{}), nil)
	const insert = "INSERT INTO %%s.home_by_user (user_id, bucket, post_id, author_id) VALUES (%v, 0, %v, %v) USING TIMESTAMP %d"
	later := posts[2].ID.Stamp() + 1<<40
	testkeyspace.Execute(t, config,
		fmt.Sprintf("DELETE FROM %%s.home_by_user WHERE user_id = %v AND bucket = 0 AND post_id = %v", reader.ID, posts[0].ID),
		fmt.Sprintf(insert, reader.ID, posts[1].ID, reader.ID, later),
		fmt.Sprintf(insert, gone.ID, posts[1].ID, author.ID, later),
		fmt.Sprintf(insert, author.ID, posts[1].ID, author.ID, later)) // who follows nobody
	want := map[audit.DriftKind]int{audit.MissingRow: 1, audit.StaleValue: 1, audit.RowTooMany: 1}
	kinds := func(v audit.Verifying) (found map[audit.DriftKind]int) {
		for _, table := range verified(t, store, v).Tables {
			if table.Drifted > 0 {
				if found = table.Kinds; table.Table != blog.HomeByUser || table.Left() > 0 && v.Repair {
					t.Errorf("%s: %v, %d left", table.Table, table.Kinds, table.Left())
				}
			}
		}
		return found
	}
	if found := kinds(audit.Verifying{}); fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("found %v, want %v", found, want)
	}
	kinds(audit.Verifying{Repair: true, Force: true})
	wantDrift(t, "repaired", verified(t, store, audit.Verifying{}), nil)
	if rows := testkeyspace.Rows(t, config, "SELECT user_id FROM %s.home_by_user"); len(rows) != len(posts)+1 {
		t.Errorf("%d rows are left of %d", len(rows), len(posts)+1)
	}
}
