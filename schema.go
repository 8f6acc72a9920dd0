package main

import (
	_ "embed"
	"io"
)

// sdl is the schema as the clients' tools want it.
//
//go:embed schema.graphqls
var sdl string

type schemaCommand struct{}

// Run prints the schema.
func (schemaCommand) Run(p *program) error {
	_, err := io.WriteString(p.stdout, sdl)
	return err
}
