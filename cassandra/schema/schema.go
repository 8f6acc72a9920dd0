// Package schema holds the files that make the schema, one after the other.
//
// A file that was released is never changed but for its comments; a change of the schema is a
// new file. Each statement may be run again (IF NOT EXISTS): a program that ran a file may have
// died before that was written down.
package schema

import "embed"

// Files are NNNN_name.cql, numbered from 1 without a gap.
//
//go:embed *.cql
var Files embed.FS
