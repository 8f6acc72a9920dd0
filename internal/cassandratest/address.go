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

// The ports that clusters have are below those that systems hand out (Linux from 32768, others
// from 49152). A port of those could go to another program before the node listens on it.
const (
	firstPort = 20000
	lastPort  = 32000
)

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
	var ports []int
	for _, offset := range rand.Perm(lastPort - firstPort) {
		if port := firstPort + offset; isFree(ips, port) {
			ports = append(ports, port)
		}
		if len(ports) == count {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("cassandratest: no free ports on %v", ips)
}

// isFree reports whether a program could listen on port of all ips.
func isFree(ips []string, port int) bool {
	for _, ip := range ips {
		l, err := net.Listen("tcp", net.JoinHostPort(ip, strconv.Itoa(port)))
		if err != nil {
			return false
		}
		_ = l.Close()
	}
	return true
}
