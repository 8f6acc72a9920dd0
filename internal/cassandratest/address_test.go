package cassandratest

import (
	"fmt"
	"net"
	"runtime"
	"slices"
	"testing"
)

// TestFreeAddresses runs alone: a port that is closed stays taken while a child, which another test starts, is
// between fork and exec, for it has it too.
func TestFreeAddresses(t *testing.T) {
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

func TestFreePortsAreBelowThoseThatTheSystemHandsOut(t *testing.T) {
	t.Parallel()
	ports, err := freePorts([]string{"127.0.0.1"}, 50)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ports)
	if ports[0] < firstPort || ports[49] >= lastPort {
		t.Errorf("%v: want ports from %d to %d", ports, firstPort, lastPort)
	}
	if len(slices.Compact(ports)) != 50 {
		t.Error("a port is given twice")
	}
}

func TestATakenPortIsNotFree(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if port := l.Addr().(*net.TCPAddr).Port; isFree([]string{"127.0.0.1"}, port) {
		t.Errorf("port %d is in use", port)
	}
}
