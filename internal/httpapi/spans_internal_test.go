package httpapi

import (
	"net/http"
	"reflect"
	"testing"

	"broadsheet/blog"
)

// Where traces are off a request passes by no code of theirs.
func TestTracesThatAreOffCostNothing(t *testing.T) {
	a, next := New(Config{}), http.NotFoundHandler()
	if reflect.ValueOf(a.traced(next)).Pointer() != reflect.ValueOf(next).Pointer() {
		t.Error("requests pass by a handler for traces")
	}
}

// Where traces are off, what a statement touches of one table is counted without an allocation, of
// several too.
func TestCountingAStatementAllocatesNothing(t *testing.T) {
	observer, ctx := New(Config{}).Observer(), t.Context()
	one := blog.Statement{Table: blog.PostsByID, Kind: blog.Read, Partitions: 1, Rows: 1}
	several := blog.Touching(blog.Write, []blog.TableCost{{Table: blog.PostsByID, Partitions: 1, Rows: 1}, {Table: blog.FeedByBucket, Partitions: 1, Rows: 1}}, nil)
	for name, statement := range map[string]blog.Statement{"of one table": one, "of several": several} {
		if n := testing.AllocsPerRun(1000, func() { observer.Statement(ctx, statement) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
