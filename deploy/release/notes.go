package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// notesOf returns what a changelog (Keep a Changelog) says of a version: its section, and between two tags
// that of what is unreleased.
func notesOf(changelog, version string) (string, error) {
	title, tagged := "["+strings.TrimPrefix(version, "v")+"]", !strings.Contains(version, "-")
	if !tagged {
		title = "[Unreleased]"
	}
	for _, section := range strings.Split(changelog, "\n## ")[1:] {
		if first, rest, _ := strings.Cut(section, "\n"); strings.HasPrefix(first, title) {
			return "# Broadsheet " + version + "\n\n" + strings.TrimSpace(rest) + "\n", nil
		}
	}
	return "", fmt.Errorf("the changelog has no section %s: name what was unreleased by the version and its date", title)
}

// writeSums writes the checksums of all other files of a directory, in the form that `sha256sum --check` reads.
func writeSums(directory string) error {
	files, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, f := range files {
		if f.Name() == "SHA256SUMS" || f.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(directory, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), f.Name())
	}
	return os.WriteFile(filepath.Join(directory, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
