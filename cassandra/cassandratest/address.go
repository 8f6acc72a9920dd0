package cassandratest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strconv"
)

// maxNodes is the most that a cluster may have: the last byte of an address
// counts them, and this machine runs them all.
const maxNodes = 9

// freeIPs returns n loopback addresses which no other cluster is likely to
// use: 127.x.y.1 to .n with random x and y. Systems other than Linux have
// 127.0.0.1 only.
func freeIPs(n int) ([]string, error) {
	if runtime.GOOS != "linux" {
		if n > 1 {
			return nil, errors.New("cassandratest: more than one node needs Linux, where all of 127.0.0.0/8 is loopback")
		}
		return []string{"127.0.0.1"}, nil
	}
	x, y := 16+rand.IntN(238), rand.IntN(255)
	ips := make([]string, n)
	for i := range ips {
		ips[i] = fmt.Sprintf("127.%d.%d.%d", x, y, i+1)
	}
	return ips, nil
}

// freePorts returns count different ports, each free on all ips when asked.
func freePorts(ips []string, count int) ([]int, error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	var ports []int
	for range 20 * count {
		port, listeners, err := listenOnAll(ips)
		held = append(held, listeners...) // until all are found: no port twice
		if err != nil {
			continue
		}
		if ports = append(ports, port); len(ports) == count {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("cassandratest: no free ports on %v", ips)
}

// listenOnAll listens on one port of all ips, the system's choice. What it
// opened it returns with an error too.
func listenOnAll(ips []string) (port int, listeners []net.Listener, err error) {
	for _, ip := range ips {
		l, err := net.Listen("tcp", net.JoinHostPort(ip, strconv.Itoa(port)))
		if err != nil {
			return 0, listeners, err
		}
		listeners = append(listeners, l)
		port = l.Addr().(*net.TCPAddr).Port
	}
	return port, listeners, nil
}
