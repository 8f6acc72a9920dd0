package audit

import (
	"broadsheet/blog"
	"strconv"
	"testing"
)

// A run remembers so many rows that it has settled. Others it leaves as they are, and says so.
func TestARepairRemembersNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	v := &verification{
		Verifying: Verifying{Repair: true},
		settled:   map[string]bool{},
		reports:   map[blog.Table]*TableReport{blog.UsersByUsername: {Table: blog.UsersByUsername, Kinds: map[DriftKind]int{}}},
	}
	row := func(i int) suspect {
		return suspect{table: blog.UsersByUsername, key: []any{strconv.Itoa(i), blog.UserID{}}}
	}
	for i := range maxTold {
		if v.remember(row(i)) {
			t.Fatalf("row %d is not remembered", i)
		}
	}
	more := row(maxTold)
	if !v.remember(more) || v.told(more) || !v.told(row(0)) || len(v.settled) != maxTold {
		t.Errorf("%d rows are remembered, want %d", len(v.settled), maxTold)
	}
	if err := v.settle(t.Context(), Drift{Table: more.table, Kind: StaleValue, Key: more.key}); err != nil {
		t.Fatal(err)
	}
	if r := v.reports[blog.UsersByUsername]; r.Drifted != 1 || r.Repaired != 0 || r.Examples[0].Left != tooMuch {
		t.Errorf("%+v", r)
	}
}
