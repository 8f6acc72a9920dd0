package house

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The size of the house. A change that needs less lowers the number to what the test logs.
const (
	mostLinkedLines = 47_475 // of Go, written by hand, in the program
	mostWords       = 40_341 // in README.md, CONTRIBUTING.md, CHANGELOG.md and docs
)

func TestLinkedLinesStayBelowTheirCeiling(t *testing.T) {
	const each = `{{if not .Standard}}{{if .Module}}{{if .Module.Main}}{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}{{end}}`
	list := exec.Command("go", "list", "-deps", "-f", each, ".")
	list.Dir = at(".")
	out, err := list.Output()
	if err != nil {
		t.Fatal("go list:", err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, file := range strings.Fields(string(out)) {
		name, err := filepath.Rel(top, file)
		if err != nil {
			t.Fatal(err)
		}
		content := text(t, name)
		if head, _, _ := strings.Cut(content, "\npackage "); !strings.Contains(head, "// Code generated ") {
			lines += strings.Count(content, "\n")
		}
	}
	if lines > mostLinkedLines {
		t.Errorf("%d hand-written lines are linked into the program, at most %d: take lines away, or raise mostLinkedLines and say in the commit what they buy", lines, mostLinkedLines)
	}
	t.Logf("%d hand-written lines are linked into the program: lower mostLinkedLines to that", lines)
}

func TestWordsStayBelowTheirCeiling(t *testing.T) {
	pages, err := filesNamed(".md")
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for _, page := range pages {
		switch {
		case page == "README.md", page == "CONTRIBUTING.md", page == "CHANGELOG.md", below(page, "docs"):
			words += len(strings.Fields(text(t, page)))
		}
	}
	if words > mostWords {
		t.Errorf("README.md, CONTRIBUTING.md, CHANGELOG.md and docs have %d words, at most %d: take words away, or raise mostWords and say in the commit what they buy", words, mostWords)
	}
	t.Logf("%d words: lower mostWords to that", words)
}
