package migrate_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/testkeyspace"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	c := testkeyspace.Name(t)

	t.Run("open names the command while there is no schema", func(t *testing.T) {
		_, err := cassandra.Open(t.Context(), c, blog.Options{})
		refused(t, err, blog.Invalid, "broadsheet migrate apply")
	})
	plan, err := migrate.Plan(t.Context(), c.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("the plan is all there is, in order, with its CQL", func(t *testing.T) {
		for i, step := range plan {
			if step.Version != i || step.Applied || !strings.Contains(step.CQL, " TABLE ") && i > 0 {
				t.Errorf("step %d is %+v", i, step)
			}
		}
	})
	t.Run("many at once apply each step once", func(t *testing.T) {
		var mu sync.Mutex
		var applied []int
		var servers sync.WaitGroup
		for range 4 {
			servers.Go(func() {
				err := migrate.Apply(t.Context(), c.Config, func(m migrate.Migration) {
					mu.Lock()
					defer mu.Unlock()
					if m.Version > 0 { // the first step is harmless to repeat, and not locked
						applied = append(applied, m.Version)
					}
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		servers.Wait()
		if len(applied) != len(plan)-1 || !slices.IsSorted(applied) {
			t.Errorf("applied %v", applied)
		}
	})
	t.Run("then nothing lacks", func(t *testing.T) {
		status, err := migrate.Status(t.Context(), c.Config)
		if err != nil || len(status) != len(plan) {
			t.Fatalf("status %v, %v", status, err)
		}
		for _, step := range status {
			if !step.Applied || step.Version > 0 && step.AppliedAt.IsZero() {
				t.Errorf("step %d is not applied", step.Version)
			}
		}
		err = migrate.Apply(t.Context(), c.Config, func(m migrate.Migration) { t.Errorf("applied %d again", m.Version) })
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("what was stopped half-way is finished", func(t *testing.T) {
		testkeyspace.Execute(t, c, "DELETE FROM %s.schema_migrations WHERE history = 0 AND version > 10")
		testkeyspace.Execute(t, c, "DROP TABLE %s.likes_by_user")
		_, err := cassandra.Open(t.Context(), c, blog.Options{})
		refused(t, err, blog.Invalid, "broadsheet migrate apply")
		if err := migrate.Apply(t.Context(), c.Config, nil); err != nil {
			t.Fatal(err)
		}
		store, err := cassandra.Open(t.Context(), c, blog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		empty, err := store.Empty(t.Context())
		if err != nil || !empty {
			t.Errorf("empty: %v, %v", empty, err)
		}
		if err := store.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a schema that is newer is refused", func(t *testing.T) {
		testkeyspace.Execute(t, c, "INSERT INTO %s.schema_migrations (history, version, name, checksum) VALUES (0, 999, 'later', 'x')")
		_, err := cassandra.Open(t.Context(), c, blog.Options{})
		refused(t, err, blog.Invalid, "newer broadsheet")
		refused(t, migrate.Apply(t.Context(), c.Config, nil), blog.Invalid, "newer broadsheet")
		testkeyspace.Execute(t, c, "DELETE FROM %s.schema_migrations WHERE history = 0 AND version = 999")
	})
	t.Run("a step that was changed since is refused", func(t *testing.T) {
		testkeyspace.Execute(t, c, "UPDATE %s.schema_migrations SET checksum = 'x' WHERE history = 0 AND version = 3")
		_, err := migrate.Status(t.Context(), c.Config)
		refused(t, err, blog.Invalid, "migration 3")
	})
	t.Run("a keyspace that was dropped can be made again", func(t *testing.T) {
		testkeyspace.Execute(t, c, "DROP KEYSPACE %s")
		if err := migrate.Apply(t.Context(), c.Config, nil); err != nil {
			t.Fatal(err)
		}
	})
}

func TestReplicationOfNewKeyspace(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	c := testkeyspace.Name(t)
	c.Replication = "nowhere=1"
	_, err := migrate.Plan(t.Context(), c.Config)
	refused(t, err, blog.Invalid, "datacenter1")
}

// refused fails unless err is of that kind and its text holds a hint.
func refused(t *testing.T, err error, kind blog.Kind, hint string) {
	t.Helper()
	if blog.KindOf(err) != kind || err == nil || !strings.Contains(err.Error(), hint) {
		t.Fatalf("got %v, want it refused as %v with a hint at %q", err, kind, hint)
	}
}
