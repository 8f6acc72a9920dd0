package cassandra

import (
	"strings"
	"testing"
)

func TestBatchesStayBelowTheLimit(t *testing.T) {
	long := strings.Repeat("x", 20_000)
	entry := statement{}.with(1, long)
	if size := entry.size(); size < 20_000 {
		t.Errorf("an entry of 20,000 bytes counts as %d", size)
	}
}
