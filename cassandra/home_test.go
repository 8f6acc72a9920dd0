package cassandra_test

import (
	"fmt"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

func TestSoakHomesOfManyFollowers(t *testing.T) {
	storetest.Soaks(t)
	manyFollowers(t, testkeyspace.New(t), 100_000)
}

func testManyFollowers(t *testing.T, config cassandra.Config) { manyFollowers(t, config, 300) }

// manyFollowers has a post by an author of many followers come to each home, behind its reply.
func manyFollowers(t *testing.T, config cassandra.Config, followers int) {
	store := testkeyspace.Emptied(t, config)
	author, other := testkeyspace.NewUser(t, store), testkeyspace.NewUser(t, store)
	atOnce(t, followers, func(i int) error {
		name := fmt.Sprintf("follower_%d", i)
		u, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name})
		if err == nil {
			_, _, err = store.FollowUser(t.Context(), blog.FollowUser{Actor: u.ID, User: author.ID})
		}
		return err
	})
	must(t, store.Settle(t.Context()))
	for range 5 {
		began := time.Now()
		testkeyspace.NewPost(t, store, other)
		t.Logf("a post that nobody follows is answered after %v", time.Since(began))
	}
	began := time.Now()
	post := testkeyspace.NewPost(t, store, author)
	t.Logf("one with %d followers after %v", followers, time.Since(began))
	must(t, store.Settle(t.Context()))
	t.Logf("it is in all homes after %v", time.Since(began))
	homes := map[string]bool{}
	for _, row := range testkeyspace.Rows(t, config, "SELECT user_id, post_id FROM %s.home_by_user") {
		if fmt.Sprint(row["post_id"]) == post.ID.String() {
			homes[fmt.Sprint(row["user_id"])] = true
		}
	}
	if len(homes) != followers {
		t.Errorf("it is in %d homes of %d", len(homes), followers)
	}
	began = time.Now()
	if found := testkeyspace.Drifted(t, store); len(found) > 0 {
		t.Errorf("there is drift in %v", found)
	}
	t.Logf("verified in %v", time.Since(began))
}
