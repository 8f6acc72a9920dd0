package cassandra_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gocql/gocql"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/testkeyspace"
)

// The first attempt at a claim is late: its answer is lost, the claim is made by a second
// attempt, and the user has given the name back when the first one arrives: before recovery has
// looked at the command, or after it has once. Nobody would hold the name then, and nobody could
// take it.
func TestClaimThatComesLate(t *testing.T) {
	t.Parallel()
	for name, claim := range map[string]func(other, behind *cassandra.Store) (blog.User, error){
		"of a rename": func(other, behind *cassandra.Store) (blog.User, error) {
			user := testkeyspace.NewUser(t, other)
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
	if found := testkeyspace.Drifted(t, other); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
	if _, err := other.CreateUser(t.Context(), blog.CreateUser{Subject: user.Username, Username: user.Username}); err != nil {
		t.Errorf("nobody has the name %s, and nobody can take it: %v", user.Username, err)
	}
	must(t, other.Settle(t.Context()))
	if open := testkeyspace.Undone(t, config); open > 0 {
		t.Errorf("%d entries are undone", open)
	}
}

// Two users have an address, and each verifies it at once. Each takes the other's claim away, for neither has
// verified it yet, and the second's release comes late: after the first, whose edit failed, has claimed again.
func TestReleaseThatComesLate(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	proxy := faultproxy.Start(t, config.Hosts)
	behind := config
	behind.Hosts = proxy.Hosts()
	plain := testkeyspace.Open(t, config, blog.Options{})
	address := "shared@example.org"
	var users [2]blog.User
	for i := range users {
		var err error
		name := fmt.Sprintf("sharer_%d", i)
		users[i], err = plain.CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name, Email: &address})
		must(t, err)
	}
	must(t, plain.Settle(t.Context()))
	verify := func(s *cassandra.Store, user blog.User) error {
		_, err := s.VerifyEmail(context.WithoutCancel(t.Context()), blog.VerifyEmail{User: user.ID, Email: address, Verified: true})
		return err
	}

	claimed, goOn, second := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	waits := &afterClaim{holds: func() bool {
		rows := testkeyspace.Rows(t, config, "SELECT user_id FROM %s.email_claims")
		return len(rows) == 1 && rows[0]["user_id"] == gocql.UUID(users[1].ID.UUID)
	}, do: func() { close(claimed); <-goOn }}
	b := testkeyspace.Open(t, behind, blog.Options{Observer: waits})
	hook := &afterClaim{holds: func() bool { return true }, do: func() {
		proxy.Strike(1, faultproxy.Late, func(r faultproxy.Request) bool {
			return r.Conditional() && r.Writes("email_claims") && strings.HasPrefix(r.String(), "DELETE")
		})
		go func() { second <- verify(b, users[1]) }()
		<-claimed
	}}
	a := testkeyspace.Open(t, config, blog.Options{Observer: hook})
	first := verify(a, users[0])
	proxy.Release()
	close(goOn)
	if err := <-second; (err == nil) == (first == nil) {
		t.Errorf("of two who verify an address, the first is told %v, the second %v", first, err)
	}
	for _, server := range []*cassandra.Store{a, b} {
		must(t, server.Settle(t.Context()))
	}
	healer := longAgo(t, config, time.Minute)
	must(t, recovered(t.Context(), healer))
	must(t, healer.Settle(t.Context()))
	var verified []blog.UserID
	for _, user := range users {
		now, err := plain.UserByID(t.Context(), user.ID)
		must(t, err)
		if now.EmailVerified() {
			verified = append(verified, now.ID)
		}
	}
	rows := testkeyspace.Rows(t, config, "SELECT user_id FROM %s.email_claims")
	if len(verified) != 1 || len(rows) != 1 || rows[0]["user_id"] != gocql.UUID(verified[0].UUID) {
		t.Errorf("%d have verified the address, %v; its claims: %v", len(verified), verified, rows)
	}
	if found := testkeyspace.Drifted(t, plain); len(found) > 0 {
		t.Errorf("drift in %v", found)
	}
}

// afterClaim runs do once, after a conditional statement on claims of addresses when holds says yes.
type afterClaim struct {
	once  sync.Once
	holds func() bool
	do    func()
}

func (a *afterClaim) Statement(_ context.Context, s blog.Statement) {
	if s.Table == blog.EmailClaims && s.Kind == blog.Conditional && a.holds() {
		a.once.Do(a.do)
	}
}
