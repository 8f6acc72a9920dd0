// Package cql makes prepared statements on a Cassandra keyspace: reads of one partition,
// unlogged batches whose entries carry their write times, and conditional batches. It knows
// no table and no command.
//
// Errors are the domain's: what a repetition may mend is Unavailable, what the caller's own
// deadline ended is Timeout, and a statement that can't be executed is Internal. After an
// error the outcome of a conditional batch is unknown; no read but a serial one tells it.
package cql
