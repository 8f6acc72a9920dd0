// Package cascade has the jobs of truths that many rows follow: a new username spreads to every
// copy of it, what was below a deleted post is removed, and what an erased account wrote is deleted.
// They go by the truth alone, and end in the same state wherever they begin.
package cascade
