// Package shown reads what the documents show, for the tests that hold it true.
package shown

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is what stands between fences in the documents, with its language.
var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// Blocks returns what the documents of a repository show in a language.
func Blocks(t testing.TB, root, language string) (blocks []string) {
	t.Helper()
	for _, document := range []string{"README.md", "CONTRIBUTING.md", "docs/identity.md", "benchmarks/README.md"} {
		content, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range block.FindAllStringSubmatch(string(content), -1) {
			if found[1] == language {
				blocks = append(blocks, found[2])
			}
		}
	}
	if blocks == nil {
		t.Fatalf("the documents show no %s", language)
	}
	return blocks
}

// Commands returns the command lines that they show, without comments and continuations.
func Commands(t testing.TB, root string) (lines []string) {
	t.Helper()
	comment := regexp.MustCompile(`(?m)(^|\s+)#.*$`)
	for _, script := range Blocks(t, root, "sh") {
		script = strings.ReplaceAll(script, "\\\n", "")
		for line := range strings.Lines(comment.ReplaceAllString(script, "")) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// Text returns a document without its blocks.
func Text(t testing.TB, root, document string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	return block.ReplaceAllString(string(content), "")
}
