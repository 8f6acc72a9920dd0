// Package cascade has the jobs that follow from a truth which many rows follow: a new username
// spreads to every copy of it, what stood below a deleted post is removed, and what an erased account
// wrote is deleted. They go by the truth
// alone, and end in the same state from wherever they begin.
package cascade
