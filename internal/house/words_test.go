package house

import (
	"cmp"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instead has words that are not used in names, each with the field's term for what they
// would stand for. The glossaries in blog/doc.go and cassandra/doc.go have the terms.
var instead = map[string]string{
	"aboard":   "in the batch",
	"boarding": "queueing",
	"combiner": "batches (coalescing)",
	"doorway":  "gate",
	"flight":   "batch or read under way",
	"gatherer": "coalesce.Next",
	"ledger":   "counted partition, counted table",
	"rider":    "change",
	"riding":   "in the batch",
	"vacancy":  "placeholder",
}

// elsewhere has, for a package, words that mean something else in another part of it or in a
// package that it uses, each with its term there.
var elsewhere = map[string]map[string]string{
	"internal/audit":                    {"open": "undecided, of suspects", "together": "sets, of tables"},
	"benchmarks/measure":                {"rest": "pause"},
	"internal/storetest":                {"place": "position, of a like; a post's place is in the feed", "together": "atOnce", "view": "answer"},
	"cassandra":                         {"open": "undone, of intents; unlessConcluded, of keys; a store is opened, by Open"},
	"cassandra/auditor":                 {"standing": "of what a truth says that it is there; statements on every row are every…"},
	"internal/cassandratest":            {"together": "agree, of nodes"},
	"internal/cassandratest/faultproxy": {"open": "flowing, of a line"},
	"cassandra/feed":                    {"open": "named, of buckets in the index"},
	"cassandra/gap":                     {"place": "list; a post's place is in the feed"},
	"cassandra/journal":                 {"place": "slot"},
	"cassandra/truth":                   {"together": "coalesced, of reads"},
	"internal/dataset":                  {"together": "atOnce"},
	"embedded":                          {"place": "cell; a post's place is in the feed", "room": "disk space", "together": "in one commit", "view": "snapshot"},
	"graph/plan":                        {"place": "field context", "room": "what an answer may have"},
	"internal/httpapi":                  {"place": "slot", "room": "budget, of memory"},
	"internal/httpapi/coerce":           {"place": "path"},
	"internal/httpapi/document":         {"open": "within, of fragments", "place": "selection set"},
	"internal/httpapi/graphqlws":        {"place": "slot"},
	"internal/mutants":                  {"place": "component"},
	"internal/live":                     {"rest": "pause"},
	"internal/program":                  {"place": "target, of a benchmark", "together": "atOnce"},
	"resolvers":                         {"place": "path; locate, of errors", "room": "reservation", "together": "batched, of reads"},
}

// A word has one meaning in a package.
func TestAWordHasOneMeaning(t *testing.T) {
	for _, f := range parsed(t) {
		terms := elsewhere[f.folder()]
		if f.isTest() || terms == nil {
			continue
		}
		for _, name := range declaredNames(f.File) {
			for _, part := range namePart.FindAllString(name, -1) {
				part = strings.ToLower(part)
				if term := cmp.Or(terms[part], terms[strings.TrimSuffix(part, "s")]); term != "" && name != "Open" {
					t.Errorf("%s names something %s: %q is %s", f.path, name, part, term)
				}
			}
		}
	}
}

// declaredNames are those of what a file declares for its package, and of the fields of its types.
func declaredNames(file *ast.File) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names = append(names, n.Name.Name)
			return false
		case *ast.TypeSpec:
			names = append(names, n.Name.Name)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names = append(names, name.Name)
			}
		case *ast.StructType:
			for _, field := range n.Fields.List {
				for _, name := range field.Names {
					names = append(names, name.Name)
				}
			}
		}
		return true
	})
	return names
}

var namePart = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

func TestNamesAreTheFieldsTerms(t *testing.T) {
	for _, f := range parsed(t) {
		if f.isTest() || !slices.ContainsFunc([]string{"blog", "cassandra", "embedded", "resolvers", "internal"}, func(folder string) bool { return below(f.folder(), folder) }) {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			if !ok || strings.HasSuffix(name.Name, "InFlight") || strings.HasPrefix(name.Name, "inFlight") {
				return true // a term of its own
			}
			for _, part := range namePart.FindAllString(name.Name, -1) {
				if term := instead[strings.ToLower(part)]; term != "" {
					t.Errorf("%s names something %s: the term is %s", f.path, name.Name, term)
				}
			}
			return true
		})
	}
}

var glossaryEntry = regexp.MustCompile(`(?m)^//\t(\S.*?)  +\S`)

// A glossary that nobody finishes reading explains nothing.
func TestTheGlossariesAreShort(t *testing.T) {
	entries := 0
	for _, page := range []string{"blog/doc.go", "cassandra/doc.go"} {
		_, words, found := strings.Cut(text(t, page), "// # Words\n")
		if !found {
			t.Errorf("%s has no section Words", page)
		}
		words, _, _ = strings.Cut(words, "\n// # ")
		entries += len(glossaryEntry.FindAllString(words, -1))
	}
	if entries < 15 || entries > 25 {
		t.Errorf("the glossaries have %d entries, want 15 to 25", entries)
	}
}

// Servers, programs and commands are no persons: a comment names what it speaks of.
func TestCommentsNameWhatTheySpeakOf(t *testing.T) {
	for _, f := range parsed(t) {
		if f.isTest() || f.folder() == "graph" {
			continue
		}
		for _, group := range f.Comments {
			if strings.Contains(strings.ToLower(group.Text()), "whoever") {
				t.Errorf("%s: name who or what it is: %.80s", f.path, group.Text())
			}
		}
	}
}

// A statement is read clause by clause.
func TestStatementsFitOnTheScreen(t *testing.T) {
	verb := regexp.MustCompile("`(SELECT|INSERT|UPDATE|DELETE) ")
	for _, f := range parsed(t) {
		if f.isTest() || !below(f.folder(), "cassandra") {
			continue
		}
		for i, line := range strings.Split(text(t, f.path), "\n") {
			if line = strings.ReplaceAll(line, "\t", "    "); verb.MatchString(line) && len(line) > 120 {
				t.Errorf("%s:%d: %d columns of CQL: break it before a clause", f.path, i+1, len(line))
			}
		}
	}
}
