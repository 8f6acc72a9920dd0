package program

import (
	"fmt"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints what the build knows of itself.
func (versionCommand) Run(p *program) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return fmt.Errorf("this build holds no information about itself")
	}
	revision := "unknown"
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			revision = setting.Value
		}
	}
	_, err := fmt.Fprintf(p.stdout, "broadsheet %s (commit %s, %s)\n", info.Main.Version, revision, info.GoVersion)
	return err
}

// buildVersion returns the version of the module that was built.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
