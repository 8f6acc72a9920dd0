package decorate

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
)

// Two requests that differ in a field, of whatever they are made of, are two reads.
func TestEveryFieldIsInTheKey(t *testing.T) {
	everyFieldCounts(t, func(p blog.PageRequest[blog.PostID]) any { return key(struct{}{}, p) })
	everyFieldCounts(t, func(p blog.PageRequest[blog.CommentID]) any { return key(struct{}{}, p) })
	everyFieldCounts(t, func(k struct {
		Author blog.UserID
		Query  blog.CommentsQuery
	}) any {
		return commentsKey(k.Author, k.Query)
	})
	everyFieldCounts(t, func(k struct {
		Parent blog.PostID
		Page   blog.PageRequest[blog.ReactionPosition]
	}) any {
		return key(k.Parent, k.Page)
	})
}

// Two queries that differ in a field of an argument are two reads of the store.
func TestEveryArgumentIsInTheKey(t *testing.T) {
	for method := range reflect.TypeFor[blog.Queries]().Methods() {
		synctest.Test(t, func(t *testing.T) {
			calls, all := 0, make(chan struct{})
			var counting sync.Mutex
			store := Share(Through(nil, func(context.Context, string, func(context.Context) error) error {
				counting.Lock()
				calls++
				counting.Unlock()
				<-all
				return nil
			}), slog.New(slog.DiscardHandler), func(string) interface{ Inc() } { return nil })
			args := []reflect.Value{reflect.ValueOf(t.Context())}
			for i := 1; i < method.Type.NumIn(); i++ {
				args = append(args, reflect.New(method.Type.In(i)).Elem())
			}
			asked := 0
			ask := func(what string) {
				now := slices.Clone(args)
				for i := range now[1:] {
					now[1+i] = reflect.New(args[1+i].Type()).Elem()
					now[1+i].Set(args[1+i])
				}
				go reflect.ValueOf(store).MethodByName(method.Name).Call(now)
				synctest.Wait()
				counting.Lock()
				defer counting.Unlock()
				if asked++; calls != asked {
					t.Errorf("%s with another %s shares the read of one before", method.Name, what)
					asked = calls
				}
			}
			ask("nothing")
			for _, arg := range args[1:] {
				if arg.Kind() != reflect.Slice {
					changed(t, arg.Type().String(), arg, ask)
				}
			}
			close(all)
		})
	}
}

// everyFieldCounts changes one field of a request after the other.
func everyFieldCounts[Q any, K comparable](t *testing.T, key func(Q) K) {
	t.Helper()
	var none Q
	at := reflect.TypeFor[Q]().String()
	seen := map[K]string{key(none): at}
	var request Q
	changes := 0
	changed(t, at, reflect.ValueOf(&request).Elem(), func(field string) {
		changes++
		if other, known := seen[key(request)]; known {
			t.Errorf("%s, with %s changed, has the key of %s", at, field, other)
		}
		seen[key(request)] = field
	})
	if changes == 0 {
		t.Errorf("%s has no fields", at)
	}
}

// changed sets each part of a value in turn to what is not its zero value, and calls tried.
func changed(t *testing.T, name string, v reflect.Value, tried func(field string)) {
	t.Helper()
	set := func(to any) {
		v.Set(reflect.ValueOf(to).Convert(v.Type()))
		tried(name)
		v.SetZero()
	}
	switch v.Kind() {
	case reflect.Bool:
		set(true)
	case reflect.Int, reflect.Int64, reflect.Uint8:
		set(7)
	case reflect.String:
		set("x")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		tried(name + ", there")
		changed(t, name, v.Elem(), tried)
		v.SetZero()
	case reflect.Array:
		for i := range v.Len() {
			changed(t, name, v.Index(i), tried)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			set(time.Unix(0, 1))
			set(time.Unix(0, 1000))
			return
		}
		for field, value := range v.Fields() {
			changed(t, name+"."+field.Name, value, tried)
		}
	default:
		t.Fatalf("%s: say how a %s is changed", name, v.Type())
	}
}
