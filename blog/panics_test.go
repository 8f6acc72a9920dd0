package blog_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"broadsheet/blog"
)

func TestSafely(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	if err := blog.Safely(func() error { return failed }); err != failed {
		t.Errorf("%v, want what was returned", err)
	}
	err := blog.Safely(func() error { panic("boom") })
	if blog.KindOf(err) != blog.Internal || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "panics_test.go") {
		t.Errorf("%v, want an internal error with the panic and its stack", err)
	}
}

func TestAPanicIsToldOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	err := blog.SafelyLogged(slog.New(slog.NewTextHandler(&log, nil)), func() error {
		return blog.Safely(func() error { panic("boom") })
	})
	if blog.KindOf(err) != blog.Internal || strings.Contains(err.Error(), "panics_test.go") {
		t.Errorf("%v, want an internal error without the stack", err)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "boom") || !strings.Contains(text, "panics_test.go") {
		t.Errorf("the log has %q, want one line with the panic and its stack", text)
	}
}
