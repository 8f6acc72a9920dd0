package house

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

func TestEveryPackageHasOneComment(t *testing.T) {
	comments := map[string][]string{}
	for _, f := range parsed(t) {
		if f.isTest() {
			continue
		}
		had := comments[f.folder()]
		if f.Doc != nil {
			had = append(had, f.path)
		}
		comments[f.folder()] = had
	}
	for folder, files := range comments {
		switch len(files) {
		case 0:
			t.Errorf("%s: its package has no comment: say in doc.go, or in its only file, what it is for", folder)
		case 1:
		default:
			t.Errorf("%s: its package has a comment in each of %v: keep one, put a blank line below the others", folder, files)
		}
	}
}

func TestNothingIsLeftForLater(t *testing.T) {
	marks := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)
	files, err := filesNamed(".go", ".cql", ".graphqls")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if path.Dir(file) == "graph" {
			continue
		}
		for i, line := range strings.Split(text(t, file), "\n") {
			if mark := marks.FindString(line); mark != "" {
				t.Errorf("%s:%d: %s: do it, or write it down where it is planned", file, i+1, mark)
			}
		}
	}
}

func TestNoStatementScansOrNamesEveryColumn(t *testing.T) {
	unwanted := regexp.MustCompile(`(?i)\bselect\s+\*|\ballow\s+filtering\b`)
	for _, f := range parsed(t) {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if found := unwanted.FindString(literal.Value); found != "" {
					t.Errorf("%s: %s: name the columns; a query that a key does not answer needs a table of its own", f.path, found)
				}
			}
			return true
		})
	}
}
