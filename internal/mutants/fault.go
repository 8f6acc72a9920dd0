package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// fault is what could be wrong in one place.
type fault struct {
	name     string // what the code does with it
	kind     string
	file     string // from the root of the repository
	old, new string // the text in the file, which stands there once, and what it becomes
	imports  string // a package that only the new text needs; empty: none
	tests    string // packages whose tests are to notice it too, by spaces; the file's own come first
	accepted string // why no test notices it; empty: one has to
}

// String is the fault with its package.
func (f fault) String() string { return f.component() + ": " + f.name }

// place is the package that the fault counts for, with those below it.
func (f fault) component() string {
	component, _, _ := strings.Cut(strings.TrimPrefix(f.file, "internal/"), "/")
	return component
}

// packages are those whose tests are to notice it, in the order in which they are run.
func (f fault) packages() []string {
	return append([]string{path.Dir(f.file)}, strings.Fields(f.tests)...)
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

// planted returns the text of its file with the fault in it.
func (f fault) planted(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return "", fmt.Errorf("%v: %w", f, err)
	}
	text := string(b)
	if n := strings.Count(text, f.old); f.old == f.new || n != 1 {
		return "", fmt.Errorf("%v: its text stands %d times in %s, not once: give the list what stands there now, or a fault of that kind where the code went\n%s", f, n, f.file, f.old)
	}
	text = strings.Replace(text, f.old, f.new, 1)
	if f.imports != "" {
		clause := packageClause.FindString(text)
		text = strings.Replace(text, clause, fmt.Sprintf("%s; import %q", clause, f.imports), 1)
	}
	return text, nil
}
