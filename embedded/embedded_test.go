package embedded_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
	"broadsheet/embedded"
)

func inMemory(t *testing.T, options blog.Options) blog.Store {
	return closing(t)(embedded.InMemory(embedded.Options{Options: options, Log: quiet}))
}

func onDisk(t *testing.T, options blog.Options) blog.Store {
	return closing(t)(embedded.Open(t.TempDir(), embedded.Options{Options: options, Log: quiet}))
}

func TestInMemory(t *testing.T) {
	leakless(t)
	blogtest.Run(t, inMemory)
}

func TestOnDisk(t *testing.T) {
	leakless(t)
	blogtest.Run(t, onDisk)
}

func TestLikeTheModel(t *testing.T) {
	leakless(t)
	blogtest.Differential(t, blogtest.Seed(t), 1_500, map[string]blogtest.NewStore{"in memory": inMemory})
}
