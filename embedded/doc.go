// Package embedded keeps a blog in one directory of one machine, in Pebble, a
// log-structured store of ordered keys. It is the store that `go run .` opens, and
// a small site can live on it.
package embedded
