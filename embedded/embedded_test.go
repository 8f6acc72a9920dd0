package embedded_test

import (
	"cmp"
	"context"
	"testing"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
)

func inMemory(t *testing.T, options blog.Options) blog.Store {
	return closing(t)(embedded.InMemory(embedded.Options{Options: options, Log: quiet}))
}

func onDisk(t *testing.T, options blog.Options) blog.Store {
	return closing(t)(embedded.Open(t.TempDir(), embedded.Options{Options: options, Log: quiet}))
}

func TestInMemory(t *testing.T) {
	leakless(t)
	storetest.Run(t, inMemory)
}

func TestOnDisk(t *testing.T) {
	leakless(t)
	storetest.Run(t, onDisk)
}

// A page beside deleted posts and one beside deleted comments, all of them by commands.
func TestDeletedRows(t *testing.T) { storetest.DeletedRows(t, storetest.SomeDeleted, inMemory, nil) }

// TestSoakDeletedRows is TestDeletedRows with 101,000 posts and 12,000 comments.
func TestSoakDeletedRows(t *testing.T) {
	storetest.Soaks(t)
	storetest.DeletedRows(t, storetest.InAnHour, inMemory, nil)
}

func TestLikeTheModel(t *testing.T) {
	leakless(t)
	storetest.Differential(t, storetest.Seed(t), 1_500, map[string]storetest.NewStore{"in memory": inMemory})
}

// reopening is a store on disk that is closed and opened again every tenth time that
// it is to settle, which the differential test has it do after each command.
type reopening struct {
	blog.Store
	reopen  func() (*embedded.Store, error)
	settled int
}

func (r *reopening) Settle(ctx context.Context) error {
	if r.settled++; r.settled%10 != 0 {
		return r.Store.Settle(ctx)
	}
	if err := r.Store.Close(); err != nil {
		return err
	}
	s, err := r.reopen()
	if err == nil {
		r.Store = s
		err = s.ResumeErasures(ctx) // as Maintain does
	}
	return cmp.Or(err, r.Store.Settle(ctx))
}

func TestLikeTheModelAcrossReopenings(t *testing.T) {
	leakless(t)
	store := &reopening{}
	storetest.Differential(t, storetest.Seed(t), 800, map[string]storetest.NewStore{
		"reopened": func(t *testing.T, options blog.Options) blog.Store {
			dir := t.TempDir()
			store.reopen = func() (*embedded.Store, error) {
				return embedded.Open(dir, embedded.Options{Options: options, Log: quiet})
			}
			var err error
			if store.Store, err = store.reopen(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			})
			return store
		},
	})
	if store.settled < 10 {
		t.Error("the store was never reopened")
	}
}
