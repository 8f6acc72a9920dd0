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
	row := func(i int) Drift {
		return Drift{Table: blog.UsersByUsername, Kind: StaleValue, Key: []any{strconv.Itoa(i), blog.UserID{}}}
	}
	for i := range maxTold {
		if again, full := v.remember(row(i)); again || full {
			t.Fatalf("row %d: again %t, full %t", i, again, full)
		}
	}
	more := row(maxTold)
	if again, full := v.remember(row(0)); !again || full {
		t.Errorf("once more: again %t, full %t", again, full)
	}
	if again, full := v.remember(more); again || !full || v.told(more) || !v.told(row(0)) || len(v.settled) != maxTold {
		t.Errorf("%d rows are remembered, want %d", len(v.settled), maxTold)
	}
	if err := v.settle(t.Context(), more); err != nil {
		t.Fatal(err)
	}
	if r := v.reports[blog.UsersByUsername]; r.Drifted != 1 || r.Repaired != 0 || r.Examples[0].Left != tooMuch {
		t.Errorf("%+v", r)
	}
}
