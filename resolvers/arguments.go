package resolvers

import (
	"errors"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// inputID reads the id of an argument or of a mutation's input. Invalid: it is none of
// ours. NotFound: it is another type's.
func inputID[K relay.Key](argument, text string) (K, error) {
	key, err := relay.DecodeID[K](text)
	return key, blame(argument, err)
}

// queryID is inputID for the arguments of queries, where both mistakes are Invalid.
func queryID[K relay.Key](argument, text string) (K, error) {
	key, err := inputID[K](argument, text)
	if e, ok := errors.AsType[*blog.Error](err); ok {
		e.Kind = blog.Invalid
	}
	return key, err
}

// blame names the argument that an error is about.
func blame(argument string, err error) error {
	if e, ok := errors.AsType[*blog.Error](err); ok {
		e.Field = []string{argument}
	}
	return err
}

// exactlyOne refuses two arguments that exclude each other, and none. Null counts
// as absent.
func exactlyOne(name string, value *string, otherName string, other *string) error {
	if (value == nil) == (other == nil) {
		return blog.Errorf(blog.Invalid, "give exactly one of %s and %s", name, otherName)
	}
	return nil
}

// since1970 reads a bound of time, the zero time where it is absent. All before 1970 is one
// to the store, and the year 1 would be no bound.
func since1970(t *time.Time) time.Time {
	switch {
	case t == nil:
		return time.Time{}
	case t.Unix() < 0:
		return time.Unix(0, 0).UTC()
	}
	return *t
}

// edit reads a text that may be absent (unchanged) or null (cleared).
func edit(text graphql.Omittable[*string]) blog.Edit {
	value, set := text.ValueOK()
	return blog.Edit{Set: set, Value: value}
}

// expected reads the version that an edit is for. Absent: any.
func expected(version graphql.Omittable[*int]) (*int, error) {
	value, set := version.ValueOK()
	if set && value == nil {
		return nil, blog.FieldErrorf(blog.Invalid, "expectedVersion", "can't be null; leave it out to edit whatever the version")
	}
	return value, nil
}
