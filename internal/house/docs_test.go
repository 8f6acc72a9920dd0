package house

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// dependencies are the modules of docs/dependencies.md, each with the folders that
// may import it.
type dependencies map[string][]string

var (
	dependencyRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]*) \\|$")
	quoted        = regexp.MustCompile("`([^`]+)`")
)

func readDependencies(t *testing.T) dependencies {
	t.Helper()
	all := dependencies{}
	for _, row := range dependencyRow.FindAllStringSubmatch(text(t, "docs/dependencies.md"), -1) {
		folders := []string{}
		for _, folder := range quoted.FindAllStringSubmatch(row[2], -1) {
			folders = append(folders, folder[1])
		}
		if strings.TrimSpace(row[3]) == "" {
			t.Errorf("docs/dependencies.md: %s lacks its reason", row[1])
		}
		all[row[1]] = folders
	}
	return all
}

// allow reports whether a folder may import a package.
func (d dependencies) allow(folder, imported string) bool {
	for _, owner := range d[d.moduleOf(imported)] {
		if below(folder, owner) {
			return true
		}
	}
	return false
}

// moduleOf returns the module that a package belongs to, "" if it is none of these. A
// module may lie below another.
func (d dependencies) moduleOf(imported string) (module string) {
	for m := range d {
		if below(imported, m) && len(m) > len(module) {
			module = m
		}
	}
	return module
}

func TestDependenciesHaveReasons(t *testing.T) {
	documented, required := readDependencies(t), requirements(t)
	for m := range required {
		if _, ok := documented[m]; !ok {
			t.Errorf("docs/dependencies.md lacks %s, which a go.mod requires: give it a row with its reason, or do without it", m)
		}
	}
	for m := range documented {
		if _, ok := required[m]; !ok {
			t.Errorf("docs/dependencies.md names %s, which no go.mod requires directly: take its row out, or run go mod tidy", m)
		}
	}
}

func TestRequirementsAreUsed(t *testing.T) {
	required := requirements(t)
	used := map[string]bool{}
	for _, f := range parsed(t) {
		for _, imported := range f.imports() {
			m := required.moduleOf(imported)
			if used[m] = true; m == "" && isLibrary(imported) {
				t.Errorf("%s imports %s, which go.mod calls indirect: run go mod tidy", f.path, imported)
			}
		}
	}
	for m := range required {
		if !used[m] {
			t.Errorf("nothing imports %s: run go mod tidy", m)
		}
	}
}

var requirement = regexp.MustCompile(`(?m)^(?:require |\t)(\S+) v\S+$`)

// requirements returns the modules that go.mod, and those of modules below it, require without
// calling them indirect.
func requirements(t *testing.T) dependencies {
	t.Helper()
	files, err := filesNamed("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	direct := dependencies{}
	for _, file := range files {
		for _, line := range requirement.FindAllStringSubmatch(text(t, file), -1) {
			if !below(line[1], module) {
				direct[line[1]] = nil
			}
		}
	}
	return direct
}

// pageWords bounds the words of README, CONTRIBUTING, CHANGELOG and docs: a change that needs more says in its
// commit what they buy, or says something else in fewer.
const pageWords = 30_000

// readmeWords bounds the words of the README, the bars of its tables left out.
const readmeWords = 1_500

func TestThePagesCanBeRead(t *testing.T) {
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/adr/*.md"} {
		found, err := glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	words := 0
	for _, page := range pages {
		words += len(strings.Fields(text(t, page)))
	}
	if words > pageWords {
		t.Errorf("the pages have %d words, of %d: say it in fewer, or once", words, pageWords)
	}
	bars := func(word string) bool { return !strings.ContainsFunc(word, unicode.IsLetter) }
	if n := len(slices.DeleteFunc(strings.Fields(text(t, "README.md")), bars)); n > readmeWords {
		t.Errorf("the README has %d words, of %d that a newcomer reads to their end", n, readmeWords)
	}
}

func TestEveryDecisionIsListed(t *testing.T) {
	list := text(t, "docs/adr/README.md")
	pages, err := glob("docs/adr/[0-9]*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("docs/adr holds no decisions", err)
	}
	for _, page := range pages {
		if !strings.Contains(list, "]("+filepath.Base(page)+")") {
			t.Errorf("docs/adr/README.md does not list %s: give it a row", filepath.Base(page))
		}
	}
}

// A reader who knows a guide looks for its words.
func TestTheGuidesTermsAreFound(t *testing.T) {
	page := text(t, "docs/guides.md")
	for _, term := range strings.Split("C1,C2,C3,C4,Q1,Q2,Q3,Q4,Q5,Q6,V1,V2,V3,partition key,sort key,clustering key,CQRS,"+
		"stored procedure,change feed,truncateFeed,updateUsernames,userUsername,creationDate,short form,truncated summary,"+
		"request unit,denormalization,begins_with,between,reverse template,secondary index,suffix,write sharding,"+
		"scatter and gather,queue-based load levelling,hot key,sparse index,optimistic locking,live migration,backfill,"+
		"users_by_username,hash_prefix,timeuuid,static column,tombstone,one table a query,chat room,search index,groups,"+
		"newest members,hot and cold,compression,permissions,versions of an item,import,linear scaling", ",") {
		if !strings.Contains(strings.ToLower(page), strings.ToLower(term)) {
			t.Errorf("docs/guides.md lacks %q, a term of the guides: say where it is here, or that it is not", term)
		}
	}
}

var guideRow = regexp.MustCompile(`(?m)^\| (.+?) \| \*\*(.+?)\*\*:? ?(.*?) ?\|$`)

// Each row says whether a term is here. What is there leads to a file or names a request or a flag;
// what is done otherwise leads to its decision.
func TestTheGuidesRowsHaveAState(t *testing.T) {
	page := text(t, "docs/guides.md")
	rows := guideRow.FindAllStringSubmatch(page, -1)
	if lines := strings.Count(page, "\n| ") - strings.Count(page, "\n| in the guide"); len(rows) != lines || lines < 60 {
		t.Errorf("docs/guides.md has %d rows, of which %d have a state", lines, len(rows))
	}
	for _, row := range rows {
		term, state, answer := row[1], row[2], row[3]
		shown := strings.Contains(answer, "`") || strings.Contains(answer, "](")
		switch {
		case state == "not there":
		case state == "here" && shown, state == "in part" && shown:
		case state == "otherwise" && strings.Contains(answer, "](adr/"):
		default:
			t.Errorf("docs/guides.md: %s: %q: say here, in part, otherwise or not there, and where it is or which decision says so", term, state)
		}
	}
}

var (
	anchored = regexp.MustCompile(`\]\(([^)#\s]*)#([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unslugs  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func TestLinksLeadToHeadings(t *testing.T) {
	pages, err := filesNamed(".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		for _, found := range anchored.FindAllStringSubmatch(text(t, page), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			target := page
			if found[1] != "" {
				target = path.Join(path.Dir(page), found[1])
			}
			if !exists(target) {
				continue // which TestLinksLeadToFiles says
			}
			if !slices.ContainsFunc(heading.FindAllStringSubmatch(text(t, target), -1), func(h []string) bool {
				return strings.ReplaceAll(unslugs.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == found[2]
			}) {
				t.Errorf("%s links to %s#%s, and there is no such heading", page, target, found[2])
			}
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)\s]*)?\)`)

func TestLinksLeadToFiles(t *testing.T) {
	pages, err := filesNamed(".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		for _, found := range link.FindAllStringSubmatch(text(t, page), -1) {
			if strings.Contains(found[1], ":") {
				continue
			}
			if target := path.Join(path.Dir(page), found[1]); !exists(target) {
				t.Errorf("%s links to %s, which does not exist", page, target)
			}
		}
	}
}
