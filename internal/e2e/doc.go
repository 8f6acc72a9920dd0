// Package e2e holds the tests that run the program: each starts it by its command line, in the
// tests' process or in one of its own, and asks it by HTTP. There is nothing else here.
//
//	harness_test.go   the program, run to its end
//	serving_test.go   a server that is started, asked and stopped
//	requests_test.go  requests and what is wanted of their answers
//	kill_test.go      a server in a process of its own, which may be killed
//
// The tests that are not parallel run first, in the order of their files. What cuts_test.go waits
// for takes longest, so it begins before most of them, and is waited for behind them.
//
// What needs another program is behind a build tag: proxy_test.go, which needs Caddy and which
// `make test-clients` runs.
package e2e
