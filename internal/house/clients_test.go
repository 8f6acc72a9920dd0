package house

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"testing"
)

// A package.json names exact versions, and its lock file no registry: whoever installs
// has his own.
func TestPackagesAreExact(t *testing.T) {
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	files, err := filesNamed("package.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no package.json", err)
	}
	for _, file := range files {
		var manifest struct{ Dependencies, DevDependencies map[string]string }
		if err := json.Unmarshal([]byte(text(t, file)), &manifest); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, versions := range []map[string]string{manifest.Dependencies, manifest.DevDependencies} {
			for name, version := range versions {
				if !exact.MatchString(version) {
					t.Errorf("%s: %s is %s: name one version", file, name, version)
				}
			}
		}
		lock := path.Join(path.Dir(file), "package-lock.json")
		if strings.Contains(text(t, lock), `"resolved": "http`) {
			t.Errorf("%s names a registry: copy omit-lockfile-registry-resolved from clients/.npmrc and install anew", lock)
		}
	}
}
