package cassandra_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

func BenchmarkThreads(b *testing.B) {
	storetest.BenchThreads(b, testkeyspace.Open(b, testkeyspace.New(b), blog.Options{}))
}
