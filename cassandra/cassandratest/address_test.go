package cassandratest

import (
	"fmt"
	"net"
	"runtime"
	"slices"
	"testing"
)

func TestFreeAddresses(t *testing.T) {
	t.Parallel()
	n := 1
	if runtime.GOOS == "linux" {
		n = 3
	}
	ips, err := freeIPs(n)
	if err != nil {
		t.Fatal(err)
	}
	ports, err := freePorts(ips, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(ips) != n || len(ports) != 2 || ports[0] == ports[1] {
		t.Fatalf("ips %v, ports %v: want %d and 2 different", ips, ports, n)
	}
	for _, ip := range ips {
		if !net.ParseIP(ip).IsLoopback() {
			t.Errorf("%s is no loopback address", ip)
		}
		for _, port := range ports {
			l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", ip, port))
			if err != nil {
				t.Error(err)
				continue
			}
			defer l.Close()
		}
	}
}

func TestFreePortsPassesOverATakenOne(t *testing.T) {
	t.Parallel()
	ips := []string{"127.0.0.1"}
	_, taken, err := listenOnAll(ips)
	if err != nil {
		t.Fatal(err)
	}
	defer taken[0].Close()
	ports, err := freePorts(ips, 50)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(ports, taken[0].Addr().(*net.TCPAddr).Port) {
		t.Errorf("a port in use is among %v", ports)
	}
	slices.Sort(ports)
	if len(slices.Compact(ports)) != 50 {
		t.Error("a port is given twice")
	}
}
