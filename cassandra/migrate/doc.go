// Package migrate brings the schema of a keyspace up to date, one migration of package schema
// after the other, and tells which programs run on a schema. Any number of servers may do so at
// once, and each may be stopped at any point.
package migrate
