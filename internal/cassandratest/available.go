package cassandratest

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// HostsEnv names a cluster that stands already: "ip:port,ip:port". A host
// without a port has Cassandra's own, 9042.
const HostsEnv = "CASSANDRA_HOSTS"

// Source is where a Cassandra comes from.
type Source string

const (
	External Source = HostsEnv                 // the cluster that HostsEnv names
	Java     Source = "Java 17 or 21"          // a process of our own
	Docker   Source = "Docker's cassandra:5.0" // a container of our own
)

// Available says which source to use, the first that there is of External,
// Java and Docker. Its error tells what each of them lacks.
func Available(ctx context.Context) (Source, error) {
	if os.Getenv(HostsEnv) != "" {
		return External, nil
	}
	return launchable(ctx)
}

// launchable is Available without External.
func launchable(ctx context.Context) (Source, error) {
	_, noJava := javaPath(ctx)
	if noJava == nil {
		noJava = fetchable()
	}
	if noJava == nil {
		return Java, nil
	}
	noDocker := dockerUsable(ctx)
	if noDocker == nil {
		return Docker, nil
	}
	return "", fmt.Errorf(`cassandratest: no Cassandra here. Do one of these:
  - name one that runs: %s=ip:port,ip:port
  - install Java 17 or 21 (%w)
  - start Docker, for image %s (%w)`, HostsEnv, noJava, dockerImage, noDocker)
}

// externalHosts returns the hosts that HostsEnv names, each as "ip:port".
func externalHosts() ([]string, error) {
	var hosts []string
	for host := range strings.SplitSeq(os.Getenv(HostsEnv), ",") {
		host = strings.TrimSpace(host)
		if host == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), "9042")
		}
		hosts = append(hosts, host)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("cassandratest: %s names no host", HostsEnv)
	}
	return hosts, nil
}

// SplitHosts takes the port off hosts of the form "ip:port". A driver that
// learns its peers from the cluster is given both: the addresses, and the one
// port that all nodes share. It is an error if they don't share one.
func SplitHosts(hosts []string) (ips []string, port int, err error) {
	for _, host := range hosts {
		ip, text, err := net.SplitHostPort(host)
		if err != nil {
			return nil, 0, fmt.Errorf("cassandratest: host %q: %w", host, err)
		}
		p, err := strconv.Atoi(text)
		if err != nil || port != 0 && p != port {
			return nil, 0, fmt.Errorf("cassandratest: hosts %v: want one port for all", hosts)
		}
		ips, port = append(ips, ip), p
	}
	return ips, port, nil
}
