package share_test

import (
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/share"
)

// unshared are the queries that the store answers itself.
var unshared = func() map[string]string {
	all := map[string]string{"UserByEmail": "operators ask it, one at a time"}
	for _, k := range blog.ReactionKinds {
		all[k.ByUser.Declaration().Method] = "each viewer asks for himself, and for a page of his own"
	}
	return all
}()

// A query without a method here is the store's own: it would never be shared.
func TestEveryQueryIsShared(t *testing.T) {
	for query := range reflect.TypeFor[blog.Queries]().Methods() {
		method, _ := reflect.TypeFor[*share.Store]().MethodByName(query.Name)
		pc := method.Func.Pointer()
		file, _ := runtime.FuncForPC(pc).FileLine(pc) // that of a promoted method is made up
		own, reason := filepath.Base(file) == "queries.go", unshared[query.Name]
		switch {
		case !own && reason == "":
			t.Errorf("%s is not shared: give it a method in queries.go, or say in unshared why not", query.Name)
		case own && reason != "":
			t.Errorf("%s is shared, though it is said that %s", query.Name, reason)
		}
	}
}

// Whoever counts shared reads is told of all of them.
func TestEverySharedReadIsTold(t *testing.T) {
	store := reflect.ValueOf(share.NewStore(nil, nil, func(string) {})).Elem().FieldByName("reads")
	shared := 0
	for f, v := range store.Fields() {
		if v.Kind() != reflect.Struct || !v.FieldByName("Shared").IsValid() {
			continue
		}
		if shared++; v.FieldByName("Shared").IsNil() {
			t.Errorf("NewStore does not have %s told", f.Name)
		}
	}
	if shared == 0 {
		t.Error("no field of the store is of shared reads")
	}
}
