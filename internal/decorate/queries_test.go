package decorate_test

import (
	"context"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"broadsheet/blog"
	"broadsheet/internal/decorate"
)

// unshared are the queries that each caller makes by itself.
var unshared = func() map[string]string {
	all := map[string]string{"UserByEmail": "operators ask it, one at a time"}
	for _, k := range blog.ReactionKinds {
		all[k.ByUser.Declaration().Method] = "it is the viewer's own, of a page of its own"
	}
	return all
}()

type counter struct{ atomic.Int64 }

func (c *counter) Inc() { c.Add(1) }

// Of three callers of the same query two share a read, which is counted under the query's name.
func TestEveryQueryIsShared(t *testing.T) {
	for method := range reflect.TypeFor[blog.Queries]().Methods() {
		synctest.Test(t, func(t *testing.T) {
			var reads atomic.Int64
			var shared counter
			all := make(chan struct{})
			store := reflect.ValueOf(decorate.Share(decorate.Through(nil, func(context.Context, string, func(context.Context) error) error {
				reads.Add(1)
				<-all
				return nil
			}), slog.New(slog.DiscardHandler), func(query string) interface{ Inc() } {
				if query == method.Name {
					return &shared
				}
				return nil
			}))
			args := []reflect.Value{reflect.ValueOf(t.Context())}
			for i := 1; i < method.Type.NumIn(); i++ {
				args = append(args, reflect.Zero(method.Type.In(i)))
			}
			var asking sync.WaitGroup
			for range 3 {
				asking.Go(func() { store.MethodByName(method.Name).Call(args) })
				synctest.Wait()
			}
			close(all)
			asking.Wait()
			switch reason := unshared[method.Name]; {
			case reason == "" && (reads.Load() != 2 || shared.Load() != 1):
				t.Errorf("%s: %d reads for three callers, %d are counted as shared: give it a field in reads, or say in unshared why not", method.Name, reads.Load(), shared.Load())
			case reason != "" && (reads.Load() != 3 || shared.Load() != 0):
				t.Errorf("%s is shared, though it is said that %s", method.Name, reason)
			}
		})
	}
}
