// Package cassandratest gives tests an Apache Cassandra 5.0, or a double of it.
//
// # For a test
//
// [Hosts] is all that most tests need: the address of a node that the test may use, which is
// package cqlnode, a double in the test's own process. [OnNode] asks for a Cassandra where there is
// one; [Real] skips a test for which a double is not enough. [Launch] gives a test a cluster of its
// own, to kill, pause and restart:
//
//	hosts := cassandratest.Hosts(t)                                  // share one
//	c := cassandratest.Launch(t, cassandratest.Options{Nodes: 3})    // own one
//	err := c.Node(0).Kill()
//
// Package faultproxy stands between a server and the nodes and breaks what passes.
//
// All nodes of a cluster speak CQL on the same port, which is not 9042. A
// driver that learns its peers from the cluster should be told it once for all
// (gocql: ClusterConfig.Port); [SplitHosts] gives it.
//
// # Where it comes from
//
// [Available] decides, in this order:
//
//  1. CASSANDRA_HOSTS, "ip:port,ip:port": a cluster that stands already.
//  2. Java 17 or 21, and the server's jars from Maven Central: jars.txt names them with
//     their checksums, [Fetch] gets them once (66 MB) to .cache/cassandra/<version> under
//     the repository's root. BROADSHEET_CACHE names another folder than .cache, and
//     BROADSHEET_MAVEN_REPOSITORY the URL of a Maven repository: with it Maven is not needed.
//     CASSANDRA_VERSION names another version, as 6.0-alpha2, for Maven to fetch unpinned.
//  3. Docker, image cassandra:5.0: one node, which can't be killed or paused.
//
// Nothing is launched unless BROADSHEET_TEST_CASSANDRA=require, which also
// turns "no Cassandra here" from a skip into a failure, or =everywhere, with which no test has a
// double. The command
// withcassandra launches one cluster for a whole `go test ./...` and sets both
// variables; that is how `make test` runs.
//
// # What is promised
//
// A node acknowledges a write after it was synced to disk (commitlog_sync:
// batch); group syncs less often and acknowledges no earlier. There is no
// option for periodic.
//
// A node ends when [Cluster.Close] is called. On Linux it also ends when the
// process that launched it dies in whatever way (PR_SET_PDEATHSIG); on other
// systems, and in Docker, a launcher that is killed with SIGKILL leaves its
// node behind. Data folders that such a launcher left are removed by the next
// Start.
//
// More than one node needs Linux, where all of 127.0.0.0/8 is loopback.
package cassandratest
