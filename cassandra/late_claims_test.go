package cassandra_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cassandratest/faultproxy"
	"broadsheet/cassandra/testkeyspace"
)

// The first attempt at a claim is late: its answer is lost, the claim is made by a second
// attempt, and the user has given the name back when the first one arrives: before recovery has
// looked at the command, or after it has once. Nobody would hold the name then, and nobody could
// take it.
func TestClaimThatComesLate(t *testing.T) {
	t.Parallel()
	for name, claim := range map[string]func(other, behind *cassandra.Store) (blog.User, error){
		"of a rename": func(other, behind *cassandra.Store) (blog.User, error) {
			user := newUser(t, other)
			return behind.UpdateUser(t.Context(), blog.UpdateUser{Actor: user.ID, Username: blog.SetTo("late_renamed")})
		},
		"of a new user": func(_, behind *cassandra.Store) (blog.User, error) {
			return behind.CreateUser(t.Context(), blog.CreateUser{Subject: "late", Username: "late_made"})
		},
	} {
		for _, looked := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s, %d looks", name, looked), func(t *testing.T) {
				t.Parallel()
				claimComesLate(t, looked, claim)
			})
		}
	}
}

// claimComesLate has a claim come late when recovery has looked at its command some times.
func claimComesLate(t *testing.T, looked int, claim func(other, behind *cassandra.Store) (blog.User, error)) {
	config := testkeyspace.New(t)
	other := testkeyspace.Open(t, config, blog.Options{})
	proxy := faultproxy.Start(t, config.Hosts)
	behind := config
	behind.Hosts = proxy.Hosts()
	server := testkeyspace.Open(t, behind, blog.Options{})
	strike := proxy.Strike(1, faultproxy.Late, func(r faultproxy.Request) bool { return r.Writes("username_claims") })
	user, err := claim(other, server)
	must(t, err)
	<-strike.Done()
	must(t, server.Settle(t.Context()))
	_, err = other.UpdateUser(t.Context(), blog.UpdateUser{Actor: user.ID, Username: blog.SetTo(user.Username + "_2")})
	must(t, err)
	must(t, other.Settle(t.Context()))
	healer := testkeyspace.Open(t, config, blog.Options{Clock: offset(time.Minute)})
	for look := range 3 {
		if look == looked {
			proxy.Release()
		}
		must(t, recovered(context.WithoutCancel(t.Context()), healer))
		must(t, healer.Settle(t.Context()))
	}
	if found := drifted(t, other); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
	if _, err := other.CreateUser(t.Context(), blog.CreateUser{Subject: user.Username, Username: user.Username}); err != nil {
		t.Errorf("nobody has the name %s, and nobody can take it: %v", user.Username, err)
	}
	must(t, other.Settle(t.Context()))
	if open := undoneEntries(t, config); open > 0 {
		t.Errorf("%d entries are undone", open)
	}
}
