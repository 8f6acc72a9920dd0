package client_test

import (
	"net/netip"
	"testing"

	"broadsheet/internal/client"
)

// A client is the same each time that it comes, and another's are its own.
func TestClients(t *testing.T) {
	t.Parallel()
	all := client.New(1000, 5000)
	alice, network := client.Key{Subject: "alice"}, client.Key{Network: netip.MustParsePrefix("192.0.2.1/32")}
	if all.Of(alice) != all.Of(alice) || all.Of(alice) == all.Of(network) {
		t.Error("clients are mixed up")
	}
	if all.Of(alice).Work.Burst() != 5000 || all.Of(alice).Writes.Burst() != 1250 {
		t.Errorf("work %d, writing %d", all.Of(alice).Work.Burst(), all.Of(alice).Writes.Burst())
	}
	free := client.New(0, 0).Of(alice)
	if free.Work != nil || free.Write(1<<30) != nil {
		t.Error("there are limits, and none were set")
	}
	if err := all.Of(alice).Write(1251); err == nil || err.Seconds != 0 {
		t.Errorf("more than is ever there: %v", err)
	}
}
