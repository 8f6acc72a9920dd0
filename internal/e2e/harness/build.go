package harness

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Program is a broadsheet that runs in a process of its own: the path of its file, or "" for the tests' own binary.
type Program string

// released is the file that names the revision of the last release: make prepare writes it.
const released = "clients/contract/released.revision"

// Released returns the program of the last release, or of the revision that BROADSHEET_SOAK_RELEASED names.
func Released(t testing.TB) Program {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Repository, released))
	if err != nil {
		t.Fatal(err)
	}
	return Build(t, cmp.Or(os.Getenv("BROADSHEET_SOAK_RELEASED"), strings.TrimSpace(string(text))))
}

// Build returns the program of a revision of this repository. It is built once, and kept in .cache, or in the folder
// that BROADSHEET_CACHE names.
func Build(t testing.TB, revision string) Program {
	t.Helper()
	cache, err := filepath.Abs(cmp.Or(os.Getenv("BROADSHEET_CACHE"), filepath.Join(Repository, ".cache")))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "programs")
	file := filepath.Join(folder, "broadsheet-"+revision)
	if _, err := os.Stat(file); err == nil {
		return Program(file)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	// It gets its name when it is whole: another process may be building the same.
	source, err := os.MkdirTemp(folder, "source-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(source)
	checkOut(t, revision, source)
	built := filepath.Join(source, "built")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", built, ".")
	build.Dir, build.Env = source, append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build of revision %s: %v\n%s", revision, err, out)
	}
	if err := os.Rename(built, file); err != nil {
		t.Fatal(err)
	}
	return Program(file)
}

// checkOut writes the files of a revision into a folder, and leaves the repository as it is.
func checkOut(t testing.TB, revision, folder string) {
	t.Helper()
	if out, err := git(t, folder, "cat-file", "-e", revision+"^{commit}"); err != nil {
		t.Fatalf("this clone does not have revision %s, whose program is tested beside this one: "+
			"`git fetch --unshallow` gets it (git: %v %s)", revision, err, out)
	}
	for _, args := range [][]string{{"read-tree", revision}, {"checkout-index", "--all", "--prefix=" + folder + "/"}} {
		if out, err := git(t, folder, args...); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// git runs on the repository, which may be another user's, with an index in the folder.
func git(t testing.TB, folder string, args ...string) ([]byte, error) {
	args = append([]string{"-c", "safe.directory=*", "-C", Repository}, args...)
	run := exec.CommandContext(t.Context(), "git", args...)
	run.Env = append(os.Environ(), "GIT_INDEX_FILE="+filepath.Join(folder, ".index"))
	return run.CombinedOutput()
}
