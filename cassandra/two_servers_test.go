package cassandra_test

import (
	"context"
	"fmt"
	"testing"

	"broadsheet/blog"
)

// Two servers that rename the same user to the same name at once, as a double click
// does: one finds nothing left to change, and must not give back the claim that the
// other one's name stands on.
func TestTwoServersRenameToTheSameName(t *testing.T) {
	t.Parallel()
	servers := []blog.Store{open(t, blog.Options{}), open(t, blog.Options{})}
	for i := range 10 {
		subject, name := fmt.Sprintf("double-%d", i), fmt.Sprintf("doubled_%d", i)
		user, err := servers[0].CreateUser(t.Context(), blog.CreateUser{Subject: subject, Username: fmt.Sprintf("double_%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		answers := make(chan error)
		for _, server := range servers {
			go func() {
				_, err := server.UpdateUser(context.Background(), blog.UpdateUser{Actor: user.ID, Username: blog.SetTo(name)})
				answers <- err
			}()
		}
		for range servers {
			if err := <-answers; err != nil {
				t.Errorf("a rename: %v", err)
			}
		}
		for _, server := range servers {
			if err := server.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		_, err = servers[0].CreateUser(t.Context(), blog.CreateUser{Subject: subject + "-other", Username: name})
		if err == nil || blog.KindOf(err) != blog.Taken {
			t.Errorf("a second user with the name of the first: %v, want it taken", err)
		}
		if _, err := servers[1].CreateUser(t.Context(), blog.CreateUser{Subject: subject + "-old", Username: user.Username}); err != nil {
			t.Errorf("the old name: %v, want it free", err)
		}
	}
}
