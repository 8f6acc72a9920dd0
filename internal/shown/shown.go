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

// Blocks returns what the documents of a repository that match patterns show in a language.
func Blocks(t testing.TB, root, language string, patterns ...string) (blocks []string) {
	t.Helper()
	var documents []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || found == nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		documents = append(documents, found...)
	}
	for _, document := range documents {
		content, err := os.ReadFile(document)
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

// Commands returns the command lines that the documents show, without comments and continuations; but for clients.md,
// whose commands clients' tests run.
func Commands(t testing.TB, root string) (lines []string) {
	t.Helper()
	comment := regexp.MustCompile(`(?m)(^|\s+)#.*$`)
	for _, script := range Blocks(t, root, "sh", "*.md", "benchmarks/*.md", "deploy/*.md", "docs/[^c]*.md", "docs/c[^l]*.md") {
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
