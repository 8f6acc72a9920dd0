package migrate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/audit"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// later is what a later release does to the schema: a column in every table of the
// domain, filled in every row, and a table more.
func later(t *testing.T, c cassandra.Config) {
	t.Helper()
	tables := blog.Tables()
	if !cassandratest.Doubled(t) { // a node takes a second for each
		tables = []blog.Table{blog.UsersByID, blog.PostsByID, blog.PostsByAuthor, blog.CommentsByPost}
	}
	for _, table := range tables {
		testkeyspace.Execute(t, c, fmt.Sprintf("ALTER TABLE %%s.%s ADD IF NOT EXISTS column_of_a_later_release text", table))
	}
	testkeyspace.Execute(t, c, "CREATE TABLE IF NOT EXISTS %s.posts_by_mood (mood text, post_id uuid, PRIMARY KEY ((mood), post_id))")
}

// fillLater writes the later column of the rows that stand, as the program does that
// knows it.
func fillLater(t *testing.T, c cassandra.Config, tables map[string][]string) {
	t.Helper()
	for table, key := range tables {
		for _, row := range testkeyspace.Rows(t, c, "SELECT "+strings.Join(key, ", ")+" FROM %s."+table) {
			var where []string
			for _, column := range key {
				where = append(where, fmt.Sprintf("%s = %v", column, row[column]))
			}
			testkeyspace.Execute(t, c, fmt.Sprintf("UPDATE %%s.%s SET column_of_a_later_release = 'kept' WHERE %s", table, strings.Join(where, " AND ")))
		}
	}
}

// recordLater says in the record that a later release's migration was applied.
func recordLater(t *testing.T, c cassandra.Config, version int, serves string) {
	t.Helper()
	testkeyspace.Execute(t, c, fmt.Sprintf(
		"INSERT INTO %%s.schema_migrations (history, version, name, checksum, applied_at, serves) VALUES (0, %d, 'later', 'x', toTimestamp(now()), %s)", version, serves))
}

// The program before a release starts on that one's schema, if its migrations serve it,
// and works there as ever; else it is refused, and told why.
func TestSchemaOfNewerProgram(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	c := testkeyspace.Own(t)
	plan, err := migrate.Status(t.Context(), c.Config)
	if err != nil {
		t.Fatal(err)
	}
	known := plan[len(plan)-1].Version
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	before := testkeyspace.Open(t, c, blog.Options{})
	u, p, written := smallBlog(ctx, before)
	if written != nil {
		t.Fatal(written)
	}
	later(t, c)
	own := map[string][]string{"users_by_id": {"user_id"}, "posts_by_id": {"post_id"}, "posts_by_author": {"author_id", "bucket", "post_id"}, "comments_by_post": {"post_id", "bucket", "comment_id"}}
	fillLater(t, c, own)

	t.Run("that serves it", func(t *testing.T) {
		recordLater(t, c, known+1, fmt.Sprint(known))
		recordLater(t, c, known+2, fmt.Sprint(known-1))
		var log bytes.Buffer
		c := c
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		after := testkeyspace.Open(t, c, blog.Options{})
		names := fmt.Sprintf("%d (later), %d (later)", known+1, known+2)
		if !strings.Contains(log.String(), names) || !strings.Contains(after.Upkeep().Newer, names) {
			t.Errorf("neither the log nor the upkeep names %s: %s %q", names, log.String(), after.Upkeep().Newer)
		}
		work(t, ctx, u, p, before, after) // one that ran when the schema changed, and one that started since
		for _, s := range []*cassandra.Store{before, after} {
			if err := s.Ready(ctx); err != nil {
				t.Error(err)
			}
		}
		for table := range own {
			rows := testkeyspace.Rows(t, c, "SELECT column_of_a_later_release FROM %s."+table)
			if !slices.ContainsFunc(rows, func(row map[string]any) bool { return row["column_of_a_later_release"] == "kept" }) {
				t.Errorf("%s: the row that stood has lost the later release's column: %v", table, rows)
			}
		}
		all, err := migrate.Status(ctx, c.Config)
		if err != nil || len(all) != len(plan)+2 || !all[len(all)-1].Newer {
			t.Errorf("the status is %+v, %v", all, err)
		}
		if oldest, newest, some := migrate.Serves(all); !some || oldest != known || newest != known+2 {
			t.Errorf("the schema serves %d to %d", oldest, newest)
		}
		if err := migrate.Apply(ctx, c.Config, func(m migrate.Migration) { t.Errorf("applied %d", m.Version) }); err != nil {
			t.Error(err)
		}
	})
	for name, serves := range map[string]string{"that serves newer ones": fmt.Sprint(known + 3), "that says nothing": "null"} {
		t.Run(name, func(t *testing.T) {
			recordLater(t, c, known+3, serves)
			sentence := fmt.Sprintf("migration %d (later), which serves programs that know migration %d or later, and this one knows %d: run a newer broadsheet", known+3, known+3, known)
			_, err := cassandra.Open(ctx, c, blog.Options{})
			refused(t, err, blog.Invalid, sentence)
			refused(t, migrate.Apply(ctx, c.Config, nil), blog.Invalid, sentence)
			_, err = migrate.Status(ctx, c.Config)
			refused(t, err, blog.Invalid, sentence)
			refused(t, before.Ready(ctx), blog.Unavailable, sentence)
		})
	}
}

func smallBlog(ctx context.Context, s blog.Store) (blog.User, blog.Post, error) {
	mail := "ann@example.org"
	u, first := s.CreateUser(ctx, blog.CreateUser{Subject: "ann", Username: "ann", Email: &mail, ProvedEmail: mail})
	p, second := s.CreatePost(ctx, blog.CreatePost{Author: u.ID, Title: "A title", Content: "Some content."})
	_, _, third := s.CreateComment(ctx, blog.CreateComment{Author: u.ID, Post: p.ID, Content: "A comment."})
	_, _, fourth := s.LikePost(ctx, blog.LikePost{Actor: u.ID, Post: p.ID})
	return u, p, errors.Join(first, second, third, fourth)
}

// work has stores do everything at once, and verifies what they left.
func work(t *testing.T, ctx context.Context, u blog.User, p blog.Post, stores ...*cassandra.Store) {
	t.Helper()
	var workers sync.WaitGroup
	for i, s := range stores {
		workers.Go(func() {
			if err := oneWorker(ctx, s, u, p, i); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	for _, s := range stores {
		if err := s.Settle(ctx); err != nil {
			t.Error(err)
		}
	}
	found, err := audit.Verifying{}.Run(ctx, stores[0])
	if err != nil || found.Drifted() > 0 {
		t.Errorf("%d drifted: %+v, %v", found.Drifted(), found.Tables, err)
	}
}

func oneWorker(ctx context.Context, s blog.Store, u blog.User, p blog.Post, i int) (err error) {
	did := func(failed error) { err = errors.Join(err, failed) }
	for round := range 5 {
		name := fmt.Sprintf("worker_%d_%d", i, round)
		own, failed := s.CreateUser(ctx, blog.CreateUser{Subject: name, Username: name})
		did(failed)
		_, failed = s.UpdateUser(ctx, blog.UpdateUser{Actor: own.ID, Username: blog.SetTo(name + "_b")})
		did(failed)
		_, failed = s.UpdatePost(ctx, blog.UpdatePost{Actor: u.ID, Post: p.ID, Title: blog.SetTo(name)})
		did(failed)
		c, _, failed := s.CreateComment(ctx, blog.CreateComment{Author: own.ID, Post: p.ID, Content: name})
		did(failed)
		_, failed = s.UpdateComment(ctx, blog.UpdateComment{Actor: own.ID, Key: c.Key(), Content: "edited"})
		did(failed)
		_, _, failed = s.LikePost(ctx, blog.LikePost{Actor: own.ID, Post: p.ID})
		did(failed)
		one, failed := s.CreatePost(ctx, blog.CreatePost{Author: own.ID, Title: name, Content: name})
		did(failed)
		did(s.DeletePost(ctx, blog.DeletePost{Actor: own.ID, Post: one.ID}))
		_, failed = s.Feed(ctx, blog.FirstPage[blog.PostID](20))
		did(failed)
	}
	return err
}

// A record from before migrations said which programs they serve is read, and completed by
// the next apply.
func TestRecordOfBefore(t *testing.T) {
	t.Parallel()
	c := testkeyspace.Own(t)
	testkeyspace.Execute(t, c, "ALTER TABLE %s.schema_migrations DROP serves")
	store := testkeyspace.Open(t, c, blog.Options{Clock: storetest.NewClock(time.Now())})
	if err := store.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	plan, err := migrate.Plan(t.Context(), c.Config)
	if err != nil || len(plan) != 1 || plan[0].Version != 0 || !strings.Contains(plan[0].CQL, "ADD IF NOT EXISTS serves") {
		t.Errorf("the plan is %+v, %v", plan, err)
	}
	if err := migrate.Apply(t.Context(), c.Config, nil); err != nil {
		t.Fatal(err)
	}
	if plan, err := migrate.Plan(t.Context(), c.Config); err != nil || len(plan) > 0 {
		t.Errorf("the plan is %+v, %v", plan, err)
	}
}
