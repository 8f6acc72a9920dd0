package cassandratest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Version is the Cassandra that Java launches; pom.xml names the same.
const Version = "5.0.6"

// cacheEnv names the folder that is used in place of the repository's .cache.
const cacheEnv = "BROADSHEET_CACHE"

//go:embed pom.xml
var pom []byte

// Fetch makes sure that the server's jars are in the cache and returns their
// folder. If they are missing, Maven copies them there: 100 jars, 66 MB.
func Fetch(ctx context.Context) (dir string, err error) {
	dir, err = jarsDir()
	if err != nil {
		return "", err
	}
	return dir, fillOnce(dir, func(tmp string) error { return copyJars(ctx, tmp) })
}

// jarsDir is where the jars are, or will be.
func jarsDir() (string, error) {
	cache := os.Getenv(cacheEnv)
	if cache == "" {
		root, err := repositoryRoot()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(root, ".cache")
	}
	cache, err := filepath.Abs(cache)
	return filepath.Join(cache, "cassandra", Version), err
}

// repositoryRoot is the nearest folder upwards that has a go.mod. Tests run
// in their package's folder, commands mostly in the root.
func repositoryRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("cassandratest: no go.mod at or above %s: run inside the repository or set %s", start, cacheEnv)
		}
	}
}

// fillOnce makes the folder dir with what fill writes, unless it exists. fill
// works in a temporary sibling which gets its name when it is whole, so that
// an aborted fill leaves no dir. Of two that fill at once, one is kept.
func fillOnce(dir string, fill func(tmp string) error) error {
	if exists(dir) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // finds nothing once it is renamed
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil && !exists(dir) {
		return err
	}
	return nil
}

// exists reports whether there is something at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// copyJars has Maven copy the server and what it needs at run time into dir.
func copyJars(ctx context.Context, dir string) error {
	// The pom is embedded, so that this works from any folder.
	build, err := os.MkdirTemp("", "broadsheet-pom-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(build)
	file := filepath.Join(build, "pom.xml")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return err
	}
	mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", file,
		"dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+dir)
	if out, err := mvn.CombinedOutput(); err != nil {
		return fmt.Errorf("cassandratest: fetch of Cassandra %s with mvn: %w\n%s", Version, err, lastLines(string(out), 15))
	}
	return nil
}

// lastLines returns the last n lines of text, long ones cut short.
func lastLines(text string, n int) string {
	const longest = 300 // bytes; Cassandra logs its configuration as one line
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		if len(line) > longest {
			lines[i] = line[:longest] + "…"
		}
	}
	return strings.Join(lines, "\n")
}
