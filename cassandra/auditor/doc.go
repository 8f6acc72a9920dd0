// Package auditor compares copies with truths on a Cassandra cluster, mends what has drifted, and
// builds tables anew: it is what package audit asks of a store. It reads whole tables by ranges of
// tokens, a page at a time, and repeats each step while the cluster does not answer, for a bounded
// time.
package auditor
