// Package faultproxy stands between a server and the nodes of a Cassandra in tests,
// and breaks what passes.
//
//	server ──▶ 127.x.y.1:port ──▶ node 0      Hosts() is what the server is given;
//	       ──▶ 127.x.y.2:port ──▶ node 1      the nodes' own addresses in what the
//	       ──▶ 127.x.y.3:port ──▶ node 2      cluster says of itself are replaced
//
// A driver learns the cluster's nodes from the cluster, and would go past any proxy.
// So the proxy writes its own addresses over the nodes' in the answers of
// system.local and system.peers and in the events of nodes that come and go. The
// nodes need no setting for it, and the server no option.
//
// Two kinds of faults:
//
//   - of a node's whole line, at any time: [Line.Stall], [Line.Delay], [Line.Cut],
//     [Line.Refuse], [Line.LoseAnswers].
//   - of single statements: a [Rule] looks at each request, with its CQL, and says
//     what becomes of it; [Proxy.Strike] is the rule that breaks the k-th.
//
// It understands native protocol 4 without compression and encryption. More than one
// address needs Linux, where all of 127.0.0.0/8 is loopback.
package faultproxy
