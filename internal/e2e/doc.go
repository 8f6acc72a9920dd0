// Package e2e holds the tests that run the program by its command line and ask it by HTTP. What they
// run it with is package harness.
//
//	kill   servers that are killed, cut off or replaced by another release's, and what they leave
//	load   servers that are given much, or what is hostile, and what they hold and answer then
//
// In each the tests that are not parallel run first, in the order of their files.
//
// What needs another program is behind a build tag: proxy_test.go, which needs Caddy and which
// `make test-clients` runs.
package e2e
