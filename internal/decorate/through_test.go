package decorate_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/decorate"
	"broadsheet/internal/storetest"
)

// Every query goes through the function, under its own name, and has its answer or the function's error.
func TestEveryQueryGoesThrough(t *testing.T) {
	t.Parallel()
	refusal := errors.New("refused")
	var asked []string
	store := decorate.Through(storetest.NewModel(blog.Options{}), func(_ context.Context, name string, _ func(context.Context) error) error {
		asked = append(asked, name)
		return refusal
	})
	queries := reflect.TypeFor[blog.Queries]()
	for i := range queries.NumMethod() {
		method := reflect.ValueOf(store).MethodByName(queries.Method(i).Name)
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for arg := 1; arg < method.Type().NumIn(); arg++ {
			args = append(args, reflect.Zero(method.Type().In(arg)))
		}
		results := method.Call(args)
		if err := results[1].Interface(); len(asked) != i+1 || asked[i] != queries.Method(i).Name || err != refusal || !results[0].IsZero() {
			t.Errorf("%s: %v, %v; asked were %v", queries.Method(i).Name, results[0], err, asked)
		}
	}
}

// What the function makes is the store's answer, under the context that it gives.
func TestTheAnswerIsTheStores(t *testing.T) {
	t.Parallel()
	model := storetest.NewModel(blog.Options{})
	user, err := model.CreateUser(t.Context(), blog.CreateUser{Subject: "s", Username: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	type key struct{}
	seen := storetest.Before(model, func(ctx context.Context, name string) {
		if ctx.Value(key{}) != name {
			t.Errorf("%s was made under another context", name)
		}
	})
	store := decorate.Through(seen, func(ctx context.Context, name string, query func(context.Context) error) error {
		return query(context.WithValue(ctx, key{}, name))
	})
	got, err := store.UserByID(t.Context(), user.ID)
	if err != nil || got.ID != user.ID {
		t.Errorf("%+v, %v, want %+v", got, err, user)
	}
	if _, err := store.UserByUsername(t.Context(), "nobody"); blog.KindOf(err) != blog.NotFound {
		t.Errorf("nobody: %v", err)
	}
}
