package blogtest_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
)

func TestModel(t *testing.T) {
	blogtest.Run(t, func(_ *testing.T, options blog.Options) blog.Store { return blogtest.NewModel(options) })
}
