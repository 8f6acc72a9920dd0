// Release makes of the binaries in a directory what else a release has: an image for all platforms, a list of
// materials for each binary, notes, and checksums. The same binaries give the same bytes.
//
//	broadsheet-linux-amd64, …     what it reads: binaries, one for each platform
//	broadsheet-image.tar          an OCI image layout with an image for each platform
//	rootfs.tar.gz                 what the image has beside the binary, for deploy/Dockerfile
//	broadsheet-linux-amd64.cdx.json, …  modules of each binary, and packages of the pages it holds, in CycloneDX
//	NOTES.md                      what the changelog says of the version
//	SHA256SUMS                    checksums of all of these, as of sha256sum
package main

import (
	"debug/buildinfo"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "release [flags] package-lock.json…: the files name the packages of the pages")
		flag.PrintDefaults()
	}
	directory := flag.String("dist", "dist", "the directory with the binaries, in which all is written")
	changelog := flag.String("changelog", "CHANGELOG.md", "the file that notes are cut from")
	flag.Parse()
	if err := run(*directory, *changelog, flag.Args()...); err != nil {
		log.Fatal(err)
	}
}

func run(directory, changelog string, locks ...string) error {
	binaries, err := filepath.Glob(filepath.Join(directory, "broadsheet-linux-*"))
	if err != nil {
		return err
	}
	binaries = slices.DeleteFunc(binaries, func(file string) bool { return strings.HasSuffix(file, ".json") })
	built, err := readBuilds(binaries)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(changelog)
	if err != nil {
		return err
	}
	notes, err := notesOf(string(content), built[0].version)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(directory, "NOTES.md"), []byte(notes), 0o644); err != nil {
		return err
	}
	if err := writeImage(directory, built); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	pages, err := packages(locks)
	if err != nil {
		return err
	}
	for _, b := range built {
		if err := writeMaterials(b, pages); err != nil {
			return fmt.Errorf("materials of %s: %w", b.file, err)
		}
	}
	return writeSums(directory)
}

// A built is a binary and what it knows of itself.
type built struct {
	file     string
	arch     string // as in GOARCH
	version  string // v1.2.3, or a pseudo-version of Go's between two tags
	revision string // the commit
	at       time.Time
}

// readBuilds reads what binaries know of themselves. They have to be of one clean commit.
func readBuilds(files []string) (all []built, err error) {
	for _, file := range files {
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return nil, err
		}
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		at, err := time.Parse(time.RFC3339, settings["vcs.time"])
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s does not know its commit: build it with -buildvcs=true, in a clone", file)
		case settings["vcs.modified"] != "false":
			return nil, fmt.Errorf("%s is of a tree with changes: commit them, or take them back", file)
		}
		all = append(all, built{file, settings["GOARCH"], info.Main.Version, settings["vcs.revision"], at})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no binaries: run make release")
	}
	for _, b := range all {
		if b.revision != all[0].revision {
			return nil, fmt.Errorf("%s and %s are of two commits: make both anew", b.file, all[0].file)
		}
	}
	return all, nil
}
