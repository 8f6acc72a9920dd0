package program

import (
	"fmt"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints what the build knows of itself.
func (versionCommand) Run(p *program) error {
	info := build()
	revision := "unknown"
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			revision = setting.Value
		}
	}
	_, err := fmt.Fprintf(p.stdout, "broadsheet %s (commit %s, %s)\n", info.Main.Version, revision, info.GoVersion)
	return err
}

// build returns what the build knows of itself.
func build() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{Main: debug.Module{Version: "unknown"}}
}
