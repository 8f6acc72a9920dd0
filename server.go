// Broadsheet is a blogging backend: a GraphQL API whose every query reads one
// partition of its own table. `broadsheet`, or `go run .`, serves; `broadsheet --help`
// lists the other commands. What they do is in the package program.
package main

import (
	_ "embed"

	"broadsheet/internal/program"
)

//go:embed schema.graphqls
var schema string

func main() { program.Main(schema) }
