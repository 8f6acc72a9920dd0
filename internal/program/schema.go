package program

import "io"

type schemaCommand struct{}

// Run prints the schema.
func (schemaCommand) Run(p *program) error {
	_, err := io.WriteString(p.stdout, p.sdl)
	return err
}
