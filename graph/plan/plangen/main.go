// Command plangen runs gqlgen with a plugin that writes graph/planned.go beside what gqlgen
// itself writes: for each type that a query can reach, how its fields are appended to an
// answer. See package plan.
//
// A new field needs nothing done here: what the plugin does not write for, as a field with
// a directive, is left to gqlgen's own code, field by field.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "plangen:", err)
		os.Exit(1)
	}
}

func generate() error {
	cfg, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	file := filepath.Join(filepath.Dir(cfg.Exec.Filename), "planned.go")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) { // it would be type-checked against what is not written yet
		return err
	}
	return api.Generate(cfg, api.AddPlugin(plugin{file}))
}
