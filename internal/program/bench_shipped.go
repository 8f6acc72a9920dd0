//go:build !floor

package program

import (
	"context"

	"github.com/alecthomas/kong"
)

// What is shipped is without the floor, which bench_floor.go adds.
type (
	floorCommands struct{}
	floorFlags    struct{}
)

// pairFlags name what compares two servers.
const pairFlags = "--stores"

func (floorFlags) wanted() bool { return false }

func (floorFlags) validate(string, bool) error { return nil }

func (*benchCommand) floor(context.Context, *program, *kong.Context) error { return nil }
