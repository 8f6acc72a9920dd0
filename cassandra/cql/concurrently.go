package cql

import (
	"cmp"
	"slices"
	"sync"

	"broadsheet/blog"
)

// Concurrently runs reads at once and returns the first error in their order, when all have
// ended. A panic of one is its error. Those that are nil are left out.
func Concurrently(reads ...func() error) error {
	reads = slices.DeleteFunc(reads, func(read func() error) bool { return read == nil })
	if len(reads) == 0 {
		return nil
	}
	errs := make([]error, len(reads))
	var others sync.WaitGroup
	for i := 1; i < len(reads); i++ {
		others.Go(func() { errs[i] = blog.Safely(reads[i]) })
	}
	errs[0] = blog.Safely(reads[0])
	others.Wait()
	return cmp.Or(errs...)
}
