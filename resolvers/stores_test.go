package resolvers_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
)

// storeUnderTest opens an empty store for one scene and has t close it.
type storeUnderTest struct {
	name     string
	observes bool // it tells an observer of its statements
	open     func(t *testing.T, options blog.Options) blog.Store
}

// stores are what the goldens run on.
var stores = []storeUnderTest{
	{name: "model", open: func(_ *testing.T, options blog.Options) blog.Store { return blogtest.NewModel(options) }},
}
