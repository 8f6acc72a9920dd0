package storetest

import (
	"encoding/json"
	"fmt"
	"strings"

	"broadsheet/blog"
)

// ok fails where err is one.
func (f *fixture) ok(err error, doing string) {
	f.Helper()
	if err != nil {
		f.Fatalf("%s: %v", doing, err)
	}
}

// refused fails unless err is a single error of that kind that blames that field,
// none where it is empty.
func (f *fixture) refused(err error, kind blog.Kind, field string) {
	f.Helper()
	if err == nil {
		f.Fatalf("succeeded, want it refused as %v", kind)
	}
	all := blog.Each(err)
	if len(all) != 1 || all[0].Kind != kind || fieldOf(all[0]) != field {
		f.Fatalf("refused with %s, want %v on field %q", faultsOf(err), kind, field)
	}
}

// faults fails unless err names exactly these fields with these kinds.
func (f *fixture) faults(err error, want ...string) {
	f.Helper()
	got := []string{}
	for _, e := range blog.Each(err) {
		got = append(got, fieldOf(e)+" "+e.Kind.String())
	}
	equal(f, "faults", got, want)
}

func fieldOf(e *blog.Error) string { return strings.Join(e.Field, ".") }

// notFound fails unless err says so.
func (f *fixture) notFound(err error, what string) {
	f.Helper()
	if !blog.IsNotFound(err) {
		f.Fatalf("%s: %v, want it not found", what, err)
	}
}

// equal fails unless two values are the same when written as JSON, which looks
// through pointers.
func equal[T any](f *fixture, what string, got, want T) {
	f.Helper()
	if g, w := asText(got), asText(want); g != w {
		f.Fatalf("%s:\n got %s\nwant %s", what, shorten(g, 2_000), shorten(w, 2_000))
	}
}

func asText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// shorten cuts a text for people.
func shorten(text string, limit int) string {
	if len(text) > limit {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:limit], ""), len(text))
	}
	return text
}

// faultsOf returns the kinds and fields of an error, which say all that matters
// to a program, and its text.
func faultsOf(err error) string {
	if err == nil {
		return "ok"
	}
	var parts []string
	for _, e := range blog.Each(err) {
		parts = append(parts, fmt.Sprintf("%v %v", e.Kind, e.Field))
	}
	return fmt.Sprintf("%v (%v)", parts, err)
}
