package blog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"broadsheet/blog"
)

func TestKindOf(t *testing.T) {
	taken := blog.ErrTaken("username")
	for name, c := range map[string]struct {
		err  error
		want blog.Kind
	}{
		"none":                         {nil, blog.Internal},
		"one of ours":                  {taken, blog.Taken},
		"one of ours, wrapped":         {fmt.Errorf("create user: %w", taken), blog.Taken},
		"the first of many":            {errors.Join(io.EOF, taken, blog.ErrNoUser()), blog.Taken},
		"ours around a context's":      {&blog.Error{Kind: blog.Unavailable, Err: context.Canceled}, blog.Unavailable},
		"a deadline":                   {context.DeadlineExceeded, blog.Timeout},
		"a cancelled context, wrapped": {fmt.Errorf("read: %w", context.Canceled), blog.Timeout},
		"anything else":                {io.EOF, blog.Internal},
	} {
		if got := blog.KindOf(c.err); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestEach(t *testing.T) {
	a, b, c := blog.ErrTaken("a"), blog.ErrTaken("b"), blog.ErrTaken("c")
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"none":                  {nil, ""},
		"one":                   {a, "a taken"},
		"one, wrapped":          {fmt.Errorf("x: %w", a), "a taken"},
		"joined":                {errors.Join(a, b), "a taken, b taken"},
		"joined twice":          {errors.Join(errors.Join(a, nil, b), fmt.Errorf("x: %w", c)), "a taken, b taken, c taken"},
		"joined with another's": {errors.Join(a, io.EOF, c), "a taken, c taken"},
		"another's":             {io.EOF, ""},
		"another's, wrapped":    {fmt.Errorf("x: %w", io.EOF), ""},
		"two in one format":     {fmt.Errorf("%w and %w", a, b), "a taken, b taken"},
		"one with a cause":      {&blog.Error{Kind: blog.Internal, Err: b}, "internal"},
	} {
		if got := faultsOf(test.err); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	for want, err := range map[string]error{
		"title: is long":         blog.FieldErrorf(blog.TooLong, "title", "is %s", "long"),
		"no":                     blog.Errorf(blog.Forbidden, "no"),
		"timeout":                &blog.Error{Kind: blog.Timeout},
		"input.title: invalid":   &blog.Error{Kind: blog.Invalid, Field: []string{"input", "title"}},
		"internal: EOF":          &blog.Error{Err: io.EOF},
		"unavailable: away: EOF": &blog.Error{Kind: blog.Unavailable, Err: fmt.Errorf("away: %w", io.EOF)},
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
	if !errors.Is(&blog.Error{Err: io.EOF}, io.EOF) {
		t.Error("the cause can't be found")
	}
}

func TestKindsAreAllAndNamed(t *testing.T) {
	names := map[string]bool{}
	for i, kind := range blog.Kinds() {
		if int(kind) != i {
			t.Errorf("kind %d stands in place %d", kind, i)
		}
		names[kind.String()] = true
	}
	next := blog.Kind(len(blog.Kinds()))
	if got := next.String(); got != fmt.Sprintf("kind %d", next) {
		t.Errorf("Kinds lacks %q", got)
	}
	if len(names) != len(blog.Kinds()) {
		t.Errorf("two kinds share a name: %v", names)
	}
}

func TestIsNotFound(t *testing.T) {
	if blog.IsNotFound(nil) || blog.IsNotFound(io.EOF) || !blog.IsNotFound(fmt.Errorf("x: %w", blog.ErrNoUser())) {
		t.Error("wrong")
	}
}
