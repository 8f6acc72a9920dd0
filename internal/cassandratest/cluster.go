package cassandratest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Cluster is a running Cassandra cluster. Close it.
type Cluster struct {
	source    Source
	nodes     []*Node
	dir       *workDir // nil if not of Java
	container string   // Docker's id, or empty
	close     func() error
}

// Start launches a cluster and returns when every node answers CQL and all
// see each other. It takes the first source there is of Java and Docker;
// HostsEnv plays no part. It waits until ctx is done, at most two minutes and
// one more for each node. Its error tells what is missing, or carries the end
// of the log of the node that failed; nothing is left running then.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	source, err := launchable(ctx)
	if err != nil {
		return nil, err
	}
	if source == Docker {
		return startDocker(ctx, o)
	}
	return startJava(ctx, o)
}

// Open is Start, except where HostsEnv names a cluster: then it is that one,
// once each of its hosts has answered CQL. Its nodes can't be controlled and
// Close leaves it running; o plays no part.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	if os.Getenv(HostsEnv) == "" {
		return Start(ctx, o)
	}
	hosts, err := externalHosts()
	if err != nil {
		return nil, err
	}
	c := &Cluster{source: External, close: func() error { return nil }}
	for _, host := range hosts {
		if err := ping(ctx, host); err != nil {
			return nil, fmt.Errorf("cassandratest: %s of %s: %w", host, HostsEnv, err)
		}
		c.nodes = append(c.nodes, &Node{cluster: c, host: host})
	}
	return c, nil
}

// Source returns where the cluster comes from.
func (c *Cluster) Source() Source { return c.source }

// Hosts returns the nodes' addresses for CQL, "ip:port", those of nodes that
// were killed or stopped among them. The port is the same for all.
func (c *Cluster) Hosts() []string {
	hosts := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		hosts[i] = n.host
	}
	return hosts
}

// Node returns node i, from 0.
func (c *Cluster) Node(i int) *Node { return c.nodes[i] }

// Close kills every node and removes their data and logs. Closing again does
// nothing and returns the same.
func (c *Cluster) Close() error { return c.close() }

// startJava launches nodes as processes of java, all at once.
func startJava(ctx context.Context, o Options) (*Cluster, error) {
	jars, err := Fetch(ctx)
	if err != nil {
		return nil, err
	}
	java, err := javaPath(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := newWorkDir(o.Dir)
	if err != nil {
		return nil, err
	}
	c := &Cluster{source: Java, dir: dir}
	c.close = sync.OnceValue(c.killAndRemove)
	if err := c.layOut(java, jars, o); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := c.launchAll(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// layOut chooses addresses and writes each node's folder.
func (c *Cluster) layOut(java, jars string, o Options) error {
	ips, err := freeIPs(o.Nodes)
	if err != nil {
		return err
	}
	ports, err := freePorts(ips, 2)
	if err != nil {
		return err
	}
	native, storage := ports[0], ports[1]
	jmx, err := freePorts([]string{"127.0.0.1"}, o.Nodes)
	if err != nil {
		return err
	}
	for i, ip := range ips {
		n := &Node{
			cluster: c,
			host:    fmt.Sprintf("%s:%d", ip, native),
			dir:     filepath.Join(c.dir.path, fmt.Sprintf("node%d", i)),
			java:    java, jars: jars, jmx: jmx[i], env: o.Env,
		}
		n.args = javaArgs(n.dir, jars, jmx[i], o)
		c.nodes = append(c.nodes, n)
		config := nodeConfig{
			Dir: n.dir, Tokens: tokens(i, o.Nodes), CommitLogSync: o.CommitLogSync,
			Listen: ip, StoragePort: storage, RPC: ip, NativePort: native,
			Seeds: withPort(ips, storage),
		}
		if err := n.writeFiles(config, 1+i%o.Datacenters, o.Settings); err != nil {
			return err
		}
	}
	return nil
}

// writeFiles makes the node's folder with its configuration.
func (n *Node) writeFiles(c nodeConfig, datacenter int, settings map[string]string) error {
	yaml, err := cassandraYAML(c, settings)
	if err != nil {
		return err
	}
	logback, err := logbackXML(n.Log())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(n.dir, "tmp"), 0o755); err != nil {
		return err
	}
	place := fmt.Appendf(nil, "dc=datacenter%d\nrack=rack1\n", datacenter)
	if err := os.WriteFile(filepath.Join(n.dir, "cassandra-rackdc.properties"), place, 0o644); err != nil {
		return err
	}
	silent := []byte(`<configuration><root level="OFF"/></configuration>`)
	if err := os.WriteFile(filepath.Join(n.dir, "silent.xml"), silent, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(n.dir, "cassandra.yaml"), []byte(yaml), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(n.dir, "logback.xml"), []byte(logback), 0o644)
}

// launchAll starts all nodes, waits for each and then for their union.
func (c *Cluster) launchAll(ctx context.Context) error {
	ctx, cancel := startLimit(ctx, len(c.nodes))
	defer cancel()
	for _, n := range c.nodes {
		if err := n.launch(); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		if err := n.awaitServing(ctx); err != nil {
			return err
		}
	}
	return c.awaitAgreement(ctx)
}

// awaitAgreement waits until all nodes see each other.
func (c *Cluster) awaitAgreement(ctx context.Context) error {
	attempt := func(ctx context.Context) error { return agree(ctx, c.Hosts()) }
	if err := poll(ctx, attempt, c.anyEnded); err != nil {
		return fmt.Errorf("cassandratest: the nodes don't see each other: %w", err)
	}
	return nil
}

// anyEnded returns an error if a node's process ended.
func (c *Cluster) anyEnded() error {
	for _, n := range c.nodes {
		if err := n.endedEarly(); err != nil {
			return fmt.Errorf("node %s: %w\n%s", n.host, err, n.lastWords())
		}
	}
	return nil
}

// allRun reports whether no node is dead or paused.
func (c *Cluster) allRun() bool {
	for _, n := range c.nodes {
		if !n.runs() {
			return false
		}
	}
	return true
}

// killAndRemove is Close, once.
func (c *Cluster) killAndRemove() error {
	var errs []error
	for _, n := range c.nodes {
		errs = append(errs, n.Kill())
	}
	errs = append(errs, c.dir.remove())
	return errors.Join(errs...)
}

// startLimit bounds the start of that many nodes.
func startLimit(ctx context.Context, nodes int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 2*time.Minute+time.Duration(nodes)*time.Minute)
}

// withPort joins ips to "ip:port,ip:port".
func withPort(ips []string, port int) string {
	seeds := make([]string, len(ips))
	for i, ip := range ips {
		seeds[i] = fmt.Sprintf("%s:%d", ip, port)
	}
	return strings.Join(seeds, ",")
}
