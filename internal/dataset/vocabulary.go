package dataset

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed text/*.txt
var textFiles embed.FS

// vocabulary is one file of text: lists of templates and words by their name. A
// line "[name]" begins a list, every other line is one entry of it.
type vocabulary map[string][]string

var (
	common = sync.OnceValue(func() vocabulary { return read("text/common.txt") })
	names  = sync.OnceValue(func() vocabulary { return read("text/names.txt") })
)

// subjects are what posts are about: every file that is not for all of them.
var subjects = sync.OnceValue(func() []vocabulary {
	files, err := fs.Glob(textFiles, "text/*.txt") // sorted, so a seed means the same on every machine
	if err != nil {
		panic(err)
	}
	var all []vocabulary
	for _, file := range files {
		if base := path.Base(file); base != "common.txt" && base != "names.txt" {
			subject := read(file)
			subject["name"] = []string{strings.TrimSuffix(base, ".txt")}
			all = append(all, subject)
		}
	}
	return all
})

// read panics where an embedded file is malformed: every test sees it.
func read(file string) vocabulary {
	text, err := textFiles.ReadFile(file)
	if err != nil {
		panic(err)
	}
	v, list := vocabulary{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "["):
			list = strings.Trim(line, "[]")
		default:
			v[list] = append(v[list], line)
		}
	}
	return v
}

// list returns the subject's own entries of a list, then those for all subjects.
func (v vocabulary) list(name string) []string {
	return slices.Concat(v[name], common()[name])
}
