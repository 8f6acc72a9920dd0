// Package cluster knows where a Cassandra cluster is and how it is spoken to: its nodes, their
// datacentres and replicas, consistencies under which reads see what was written, TLS, the
// driver's settings and messages, and the time of the nodes.
package cluster
