package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// faultsText is the list; its head says how it is read.
//
//go:embed faults.txt
var faultsText string

// fault is what could be wrong in one place.
type fault struct {
	name     string
	file     string // from the root of the repository
	pkg, run string // the package whose tests notice it, and which, as go test takes them
	old, new string // lines of the file, which has them once, and what they become
}

var noticedBy = regexp.MustCompile(`^(\S+\.go): go test (\./\S+) -run (\S+)$`)

// parse reads a list of faults.
func parse(text string) (all []fault, err error) {
	named := map[string]bool{}
	for n, line := range strings.Split(text, "\n") {
		last := len(all) - 1
		where := noticedBy.FindStringSubmatch(line)
		switch {
		case line == "", strings.HasPrefix(line, "## "):
		case strings.HasPrefix(line, "# "):
			all = append(all, fault{name: line[2:]})
			if named[line] {
				return nil, fmt.Errorf("line %d: another fault is named %q", n+1, line[2:])
			}
			named[line] = true
		case last >= 0 && all[last].file == "" && where != nil:
			all[last].file, all[last].pkg, all[last].run = where[1], where[2], where[3]
		case last >= 0 && all[last].file != "" && strings.Contains(" -+", line[:1]):
			if line[0] != '+' {
				all[last].old += line[1:] + "\n"
			}
			if line[0] != '-' {
				all[last].new += line[1:] + "\n"
			}
		default:
			return nil, fmt.Errorf("line %d is not understood: %q", n+1, line)
		}
	}
	return all, nil
}

// planted returns the text of its file with the fault in it.
func (f fault) planted(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.name, err)
	}
	// A line break before the lines keeps a part of a longer line from matching.
	if n := strings.Count("\n"+string(text), "\n"+f.old); n != 1 || f.old == f.new {
		return "", fmt.Errorf("%s: %s has these lines %d times, not once: give the list the lines that are there now, or a fault of that kind where the code went\n%s", f.name, f.file, n, f.old)
	}
	return strings.Replace("\n"+string(text), "\n"+f.old, "\n"+f.new, 1)[1:], nil
}
