package storetest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// Leavings tests what stands in a store's tables after something was deleted, or built anew. everything returns all
// that each table holds as text, but what expires.
func Leavings(t *testing.T, newStore NewStore, everything func(*testing.T, blog.Store) map[blog.Table]string) {
	for _, l := range []struct {
		name string
		test func(*fixture, func() map[blog.Table]string)
	}{
		{"nothing of its texts is left of a comment, a post or an account that is deleted", (*fixture).leavesNoText},
		{"a rebuild of each table leaves each field as it was", (*fixture).rebuildsEachField},
	} {
		t.Run(l.name, func(t *testing.T) {
			suite := Suite{NewStore: newStore}.seeded(t)
			f := suite.fixture(t, 1)
			l.test(f, func() map[blog.Table]string { return everything(t, f.raw) })
		})
	}
}

func (f *fixture) leavesNoText(stored func() map[blog.Table]string) {
	f.Helper()
	w := f.world()
	moderator := f.user()
	other := f.comment(moderator, w.post) // goes with its post
	for _, step := range []struct {
		what   string
		truth  any
		delete func() error
	}{
		{"comment", w.comment, func() error {
			_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: moderator.ID, Role: blog.Moderator, Key: w.comment.Key()})
			return err
		}},
		{"post", w.post, func() error {
			return f.store.DeletePost(f.ctx, blog.DeletePost{Actor: moderator.ID, Role: blog.Moderator, Post: w.post.ID})
		}},
		{"comment on a deleted post", other, func() error { return nil }},
		{"group", blog.Group{Title: w.group.Title, Description: w.group.Description}, func() error { // its name stays taken
			return f.store.DeleteGroup(f.ctx, blog.DeleteGroup{Actor: moderator.ID, Role: blog.Moderator, Group: w.group.ID})
		}},
		{"account", w.user, func() error {
			return f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Role: blog.Operator, User: w.user.ID, Username: w.user.Username})
		}},
	} {
		texts := textsOf(step.truth)
		f.holds(stored(), texts, func(name, text string, in []blog.Table) {
			if len(in) == 0 && step.what != "comment on a deleted post" {
				f.Errorf("no table holds the %s's %s, %q, before it is deleted", step.what, name, text)
			}
		})
		f.clock.Advance(tick)
		f.ok(step.delete(), "delete the "+step.what)
		f.settle()
		f.holds(stored(), texts, func(name, text string, in []blog.Table) {
			if len(in) > 0 {
				f.Errorf("%v hold the %s of a deleted %s, %q: is its column declared in the truth and in each list, and not fixed?", in, name, step.what, text)
			}
		})
	}
}

// textsOf returns the texts of an object by their fields; those of others, as its author's name, are left out.
func textsOf(truth any) map[string]string {
	texts := map[string]string{}
	for name, v := range fields(reflect.ValueOf(truth)) {
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() == reflect.String && v.String() != "" && !strings.Contains(name, ".") && v.Type() != reflect.TypeFor[blog.Path]() {
			texts[name] = v.String()
		}
	}
	return texts
}

// holds visits each text with the tables that hold it.
func (f *fixture) holds(stored map[blog.Table]string, texts map[string]string, visit func(name, text string, in []blog.Table)) {
	for name, text := range texts {
		var in []blog.Table
		for _, table := range slices.Sorted(maps.Keys(stored)) {
			if strings.Contains(stored[table], text) {
				in = append(in, table)
			}
		}
		visit(name, text, in)
	}
}

func (f *fixture) rebuildsEachField(func() map[blog.Table]string) {
	f.Helper()
	w := f.world()
	readers := w.readers()
	before := map[string]any{}
	for query, read := range readers {
		before[query] = read(f)
	}
	for _, table := range blog.Rebuildable() {
		_, err := audit.Rebuilding{Await: audit.AtRest}.Run(f.ctx, f.raw.(audit.Rebuilder), table)
		if blog.KindOf(err) == blog.Invalid { // the store has no such table
			continue
		}
		f.ok(err, "rebuild "+string(table))
		for query, read := range readers {
			was, is := fields(reflect.ValueOf(before[query])), fields(reflect.ValueOf(read(f)))
			for name := range was {
				if !sameField(is[name], was[name]) && !slices.Contains(unshown, name) {
					f.Errorf("a rebuild of %s makes %s of %s %v, which was %v: is its column declared in the truth?", table, name, query, is[name], was[name])
				}
			}
		}
	}
}
