package cluster

import (
	"testing"
	"time"

	"github.com/gocql/gocql"
)

// Of several nodes the one in the middle counts, each once.
func TestMedianOfTheNodes(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []nodeTime
		ahead   time.Duration
		apart   time.Duration
		known   bool
	}{
		{"none answers", []nodeTime{{}, {}}, 0, 0, false},
		{"one does", []nodeTime{{}, {node: gocql.UUID{1}, ahead: time.Second}}, time.Second, 0, true},
		{"one by its fastest answer", []nodeTime{
			{node: gocql.UUID{1}, ahead: time.Hour, took: time.Second}, {node: gocql.UUID{1}, ahead: time.Second, took: 1},
		}, time.Second, 0, true},
		{"one of three is wrong", []nodeTime{
			{node: gocql.UUID{1}, ahead: time.Hour}, {node: gocql.UUID{2}, ahead: time.Second}, {node: gocql.UUID{3}, ahead: 2 * time.Second},
		}, 2 * time.Second, time.Hour - time.Second, true},
		{"of two the one behind", []nodeTime{
			{node: gocql.UUID{1}, ahead: time.Hour}, {node: gocql.UUID{2}, ahead: time.Second},
		}, time.Second, time.Hour - time.Second, true},
		{"however often it answers", []nodeTime{
			{node: gocql.UUID{1}, ahead: time.Hour}, {node: gocql.UUID{1}, ahead: time.Hour}, {node: gocql.UUID{1}, ahead: time.Hour}, {node: gocql.UUID{2}}, {node: gocql.UUID{3}},
		}, 0, time.Hour, true},
	} {
		ahead, apart, known := median(c.answers)
		if ahead != c.ahead || apart != c.apart || known != c.known {
			t.Errorf("%s: %v, %v apart, known %v", c.name, ahead, apart, known)
		}
	}
}
