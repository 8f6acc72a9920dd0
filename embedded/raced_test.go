//go:build race

package embedded_test

// raced says that the race detector is on. Pebble then checks itself at each step, too.
const raced = true
