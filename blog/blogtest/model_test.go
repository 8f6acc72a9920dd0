package blogtest_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
)

func newModel(_ *testing.T, options blog.Options) blog.Store { return blogtest.NewModel(options) }

func TestModel(t *testing.T) { blogtest.Run(t, newModel) }

func TestModelAgainstModel(t *testing.T) {
	blogtest.Differential(t, blogtest.Seed(t), 3_000, map[string]blogtest.NewStore{"another model": newModel})
}
