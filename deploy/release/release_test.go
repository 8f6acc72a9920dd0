package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

const changelog = "# Changelog\n\n## [Unreleased]\n\n- what is to come\n\n## [1.2.0] - 2026-01-02\n\n### Added\n\n- what came\n\n## [1.1.0]\n\n- what was\n"

// repository makes a repository with a program, at a tag unless that is empty.
func repository(t *testing.T, tag string) string {
	t.Helper()
	directory := t.TempDir()
	write(t, filepath.Join(directory, "go.mod"), "module broadsheet\n\ngo 1.26\n")
	write(t, filepath.Join(directory, "main.go"), "package main\n\nfunc main() {}\n")
	git := func(arguments ...string) {
		command := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, arguments...)...)
		command.Dir = directory
		command.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, out)
		}
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "a program")
	if tag != "" {
		git("tag", tag)
	}
	return directory
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// build makes the binaries of a repository, and writes a changelog beside them.
func build(t *testing.T, repository string) (dist, changes string) {
	t.Helper()
	dist, changes = t.TempDir(), filepath.Join(t.TempDir(), "CHANGELOG.md")
	write(t, changes, changelog)
	for _, arch := range []string{"amd64", "arm64"} {
		command := exec.Command("go", "build", "-buildvcs=true", "-trimpath", "-o", filepath.Join(dist, "broadsheet-linux-"+arch), ".")
		command.Dir = repository
		command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=", "GOWORK=off")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	return dist, changes
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestRelease(t *testing.T) {
	dist, changes := build(t, repository(t, "v1.2.0"))
	const page, other = `{"packages": {"": {"version": "1.0.0"}, "node_modules/@a/b": {"version": "2.0.0", "integrity": "sha512-AAAA"}, "node_modules/built": {"version": "1.0.0", "dev": true}}}`,
		`{"packages": {"": {}, "node_modules/c/node_modules/@a/b": {"version": "2.0.0", "integrity": "sha512-AAAA"}, "node_modules/c": {"version": "3.0.0"}}}`
	var locks []string
	for name, text := range map[string]string{"page.json": page, "other.json": other} {
		locks = append(locks, filepath.Join(t.TempDir(), name))
		if err := os.WriteFile(locks[len(locks)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(dist, changes, locks...); err != nil {
		t.Fatal(err)
	}

	t.Run("notes are the section of the version", func(t *testing.T) {
		if got, want := read(t, filepath.Join(dist, "NOTES.md")), "# Broadsheet v1.2.0\n\n### Added\n\n- what came\n"; got != want {
			t.Errorf("notes: %q, want %q", got, want)
		}
	})
	t.Run("sha256sum finds every file as it is", func(t *testing.T) {
		files, err := os.ReadDir(dist)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(read(t, filepath.Join(dist, "SHA256SUMS")), "\n"); lines != len(files)-1 {
			t.Errorf("%d checksums for %d files beside them", lines, len(files)-1)
		}
		check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
		check.Dir = dist
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("the list of materials names program, version and Go", func(t *testing.T) {
		var list struct {
			Metadata   struct{ Component struct{ PURL string } }
			Components []struct{ PURL string }
		}
		if err := json.Unmarshal([]byte(read(t, filepath.Join(dist, "broadsheet-linux-arm64.cdx.json"))), &list); err != nil {
			t.Fatal(err)
		}
		if got := list.Metadata.Component.PURL; got != "pkg:golang/broadsheet@v1.2.0" {
			t.Errorf("the program is %q", got)
		}
		if c := list.Components; len(c) != 3 || !strings.HasPrefix(c[0].PURL, "pkg:golang/std@1.") || c[1].PURL != "pkg:npm/%40a/b@2.0.0" || c[2].PURL != "pkg:npm/c@3.0.0" {
			t.Errorf("of a program without modules, with two pages: %v", c)
		}
	})
	t.Run("the image has the binary, its user, and what it needs", func(t *testing.T) { testImage(t, dist) })
	t.Run("the same binaries give the same bytes", func(t *testing.T) {
		before := read(t, filepath.Join(dist, "SHA256SUMS"))
		slices.Reverse(locks)
		if err := run(dist, changes, locks...); err != nil {
			t.Fatal(err)
		}
		if after := read(t, filepath.Join(dist, "SHA256SUMS")); after != before {
			t.Errorf("%s\nand before\n%s", after, before)
		}
	})
}

func testImage(t *testing.T, dist string) {
	index, err := layout.ImageIndexFromPath(unpacked(t, filepath.Join(dist, "broadsheet-image.tar")))
	if err != nil {
		t.Fatal(err)
	}
	top, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(top.Manifests) != 1 || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "v1.2.0" {
		t.Fatalf("the layout has %+v, want one index that is named by its version", top.Manifests)
	}
	platforms, err := index.ImageIndex(top.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(platforms); err != nil {
		t.Error(err)
	}
	all, err := platforms.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Manifests) != 2 {
		t.Fatalf("%d platforms, want 2", len(all.Manifests))
	}
	for _, m := range all.Manifests {
		image, err := platforms.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		testPlatform(t, image, m.Platform.Architecture, read(t, filepath.Join(dist, "broadsheet-linux-"+m.Platform.Architecture)))
	}
}

func testPlatform(t *testing.T, image v1.Image, arch, binary string) {
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c := file.Config; file.Architecture != arch || file.OS != "linux" || c.User != "65532:65532" || c.Entrypoint[0] != "/broadsheet" {
		t.Errorf("%s: %s/%s, user %s, entrypoint %v", arch, file.OS, file.Architecture, c.User, c.Entrypoint)
	}
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*tar.Header{}
	contents := map[string]string{}
	for _, layer := range layers {
		zipped, err := layer.Compressed()
		if err != nil {
			t.Fatal(err)
		}
		plain, err := gzip.NewReader(zipped)
		if err != nil {
			t.Fatal(err)
		}
		each(t, plain, func(h *tar.Header, content string) { found[h.Name], contents[h.Name] = h, content })
	}
	if contents["broadsheet"] != binary || found["broadsheet"].Mode != 0o755 {
		t.Errorf("%s: the image's binary is another, or can't be run", arch)
	}
	if data := found["data/"]; data == nil || data.Uid != 65532 || data.Gid != 65532 {
		t.Errorf("%s: /data is %+v, want one of the user's own", arch, data)
	}
	if !x509.NewCertPool().AppendCertsFromPEM([]byte(contents["etc/ssl/certs/ca-certificates.crt"])) {
		t.Errorf("%s: no authorities", arch)
	}
	if !strings.Contains(contents["etc/passwd"], ":65532:65532:") {
		t.Errorf("%s: the user has no name: %q", arch, contents["etc/passwd"])
	}
}

// each hands over the files of an archive.
func each(t *testing.T, archive io.Reader, file func(*tar.Header, string)) {
	t.Helper()
	reader := tar.NewReader(archive)
	for {
		header, err := reader.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		file(header, string(content))
	}
}

// unpacked returns a directory with the files of an archive.
func unpacked(t *testing.T, file string) string {
	t.Helper()
	directory := t.TempDir()
	each(t, bytes.NewReader([]byte(read(t, file))), func(h *tar.Header, content string) {
		path := filepath.Join(directory, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, content)
	})
	return directory
}

func TestBetweenTwoTags(t *testing.T) {
	dist, changes := build(t, repository(t, ""))
	if err := run(dist, changes); err != nil {
		t.Fatal(err)
	}
	if notes := read(t, filepath.Join(dist, "NOTES.md")); !strings.Contains(notes, "what is to come") {
		t.Errorf("notes: %q", notes)
	}
}

func TestWhatIsNoRelease(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(repository, dist string)
	}{
		{"no binaries", "there are no binaries", func(_, dist string) {
			for _, arch := range []string{"amd64", "arm64"} {
				if err := os.Remove(filepath.Join(dist, "broadsheet-linux-"+arch)); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"no section", "no section [1.3.0]", func(string, string) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := repository(t, "v1.3.0")
			dist, changes := build(t, source)
			c.change(source, dist)
			if err := run(dist, changes); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	t.Run("a tree with changes", func(t *testing.T) {
		source := repository(t, "v1.2.0")
		write(t, filepath.Join(source, "more.go"), "package main\n")
		dist, changes := build(t, source)
		if err := run(dist, changes); err == nil || !strings.Contains(err.Error(), "tree with changes") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("two commits", func(t *testing.T) {
		dist, changes := build(t, repository(t, "v1.2.0"))
		source := repository(t, "")
		write(t, filepath.Join(source, "main.go"), "package main\n\nfunc main() { println() }\n")
		commit := exec.Command("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--all", "--message", "another")
		commit.Dir = source
		if out, err := commit.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		other, _ := build(t, source)
		if err := os.Rename(filepath.Join(other, "broadsheet-linux-arm64"), filepath.Join(dist, "broadsheet-linux-arm64")); err != nil {
			t.Fatal(err)
		}
		if err := run(dist, changes); err == nil || !strings.Contains(err.Error(), "two commits") {
			t.Errorf("got %v", err)
		}
	})
}
