// Package feed keeps the feed's index, and reads the feed by it. Posts stand in buckets of time,
// each in some shards; the index names those that were ever used.
//
// A page reads a slice of the names, and then buckets from its start on, as far as it needs
// them. Buckets of different widths, where the width was changed, overlap in time, as the
// shards of one do; their posts are merged. What is above the end of every bucket that was not
// read is in order for good:
//
//	newest ▷ ┌ the running week ─────────────────────────────────
//	           ┌ hour 9 ┐┌ hour 8 ┐┌ hour 7 ┐ …
//	             1: both  │ final: │
//	                      │ posts above the end of hour 8
//
// The first step reads as much as makes one bucket's time final, the next two, then four, at
// once: a feed with a post a month doesn't wait for each of its buckets in turn.
package feed
