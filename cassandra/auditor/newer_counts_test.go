package auditor_test

import (
	"fmt"
	"testing"

	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// A post's row that was restored from a later moment than what is counted has counts of nothing. A repair writes that
// nothing was counted, in every list; while other posts have counts no truth is lost.
func testNewerCounts(t *testing.T, config cassandra.Config) {
	store := testkeyspace.Emptied(t, config)
	w := newSmall(t, store)
	must(t, storetest.ReactEach(t.Context(), store, w.user.ID, w.post.ID))
	fresh := testkeyspace.NewPost(t, store, w.user)
	must(t, store.Settle(t.Context()))
	wantDrift(t, "before", verified(t, store, audit.Verifying{}), nil)
	testkeyspace.Execute(t, config, fmt.Sprintf("UPDATE %%s.posts_by_id SET like_count = 3, comment_count = 2 WHERE post_id = %v", fresh.ID))
	found := verified(t, store, audit.Verifying{})
	wantDrift(t, "the counts", found, []string{fmt.Sprintf("posts_by_id: wrong count: post_id %v", fresh.ID)})
	wantLeft(t, verified(t, store, audit.Verifying{Repair: true}), 0)
	wantDrift(t, "after the repair", verified(t, store, audit.Verifying{}), nil)
	p, err := store.PostByID(t.Context(), fresh.ID)
	must(t, err)
	if p.Likes.N != 0 || p.Comments.N != 0 {
		t.Errorf("%d likes, %d comments of a post without any", p.Likes.N, p.Comments.N)
	}
	must(t, storetest.ReactEach(t.Context(), store, w.user.ID, fresh.ID))
	must(t, store.Settle(t.Context()))
	wantDrift(t, "after more commands", verified(t, store, audit.Verifying{}), nil)
}
