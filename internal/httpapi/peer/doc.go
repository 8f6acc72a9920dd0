// Package peer says which client a request comes from, by its connection and by what trusted
// proxies wrote of it, and which addresses are one client's.
package peer
