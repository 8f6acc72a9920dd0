package embedded_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
	"broadsheet/embedded"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestInMemory(t *testing.T) {
	blogtest.Run(t, func(t *testing.T, options blog.Options) blog.Store {
		return closing(t)(embedded.InMemory(embedded.Options{Options: options, Log: quiet}))
	})
}

func TestOnDisk(t *testing.T) {
	blogtest.Run(t, func(t *testing.T, options blog.Options) blog.Store {
		return closing(t)(embedded.Open(t.TempDir(), embedded.Options{Options: options, Log: quiet}))
	})
}
