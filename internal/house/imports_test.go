package house

import (
	"slices"
	"strings"
	"testing"
)

// mayImport says of each folder which others of the module it may import; for its
// tests there is no rule. Imports go one way: the program → (httpapi, resolvers,
// graph) → blog, and the program → a store, or identity, → blog; the stores and the program →
// audit → blog. What isn't named here may not be imported, and main alone may import the program.
var mayImport = map[string][]string{
	".":                           {"internal/program"},
	"internal/program":            {"internal/audit", "blog", "cassandra", "cassandra/migrate", "cassandra/move", "internal/changes", "internal/dataset", "embedded", "internal/httpapi", "internal/httpapi/limit", "internal/identity", "internal/pace", "internal/relay", "internal/tracing"},
	"internal/audit":              {"blog", "internal/pace"},
	"blog":                        {},
	"internal/decorate":           {"blog", "internal/coalesce"},
	"internal/storetest":          {"internal/audit", "blog", "internal/decorate", "internal/productmap"},
	"cassandra":                   {"internal/audit", "blog", "cassandra/auditor", "cassandra/cascade", "cassandra/changelog", "cassandra/cluster", "cassandra/counted", "cassandra/cql", "cassandra/feed", "cassandra/gap", "cassandra/job", "cassandra/journal", "cassandra/migrate", "cassandra/move", "cassandra/tables", "cassandra/truth", "internal/service"},
	"embedded":                    {"internal/audit", "blog", "internal/pace"},
	"internal/relay":              {"blog"},
	"graph":                       {"blog", "graph/plan", "internal/live", "internal/relay"},
	"graph/graphtest":             {},
	"graph/plan":                  {"internal/pace", "internal/recent"},
	"graph/plan/plangen":          {},
	"resolvers":                   {"blog", "internal/decorate", "graph", "graph/plan", "internal/client", "internal/live", "internal/pace", "internal/refusal", "internal/relay"},
	"internal/live":               {"blog", "internal/changes", "internal/pace"},
	"internal/httpapi":            {"blog", "graph", "internal/httpapi/coerce", "internal/httpapi/document", "internal/httpapi/graphqlws", "internal/httpapi/limit", "internal/httpapi/peer", "internal/httpapi/playground", "internal/httpapi/record", "internal/refusal", "internal/client", "internal/coalesce", "internal/pace", "internal/recent", "internal/live", "internal/relay", "resolvers", "internal/decorate", "web"},
	"internal/httpapi/coerce":     {"internal/refusal"},
	"internal/httpapi/document":   {"internal/client", "internal/httpapi/coerce", "internal/httpapi/limit", "internal/pace", "internal/recent", "internal/refusal"},
	"internal/httpapi/graphqlws":  {},
	"internal/httpapi/limit":      {},
	"internal/httpapi/peer":       {},
	"internal/httpapi/playground": {"internal/static"},
	"internal/httpapi/record":     {"blog", "internal/client", "internal/httpapi/graphqlws", "internal/httpapi/limit", "internal/refusal", "internal/live", "resolvers"},
	"web":                         {"internal/recent", "internal/static"},
	"internal/identity":           {"blog", "internal/pace"},
	"internal/dataset":            {"blog", "internal/pace"},
	"internal/changes":            {"blog"},
	"internal/tracing":            {},

	// The floors below the store. Each knows those below it alone: statements and how they are
	// repeated and share batches, then the cluster that they go to, then the schema that they need;
	// the partitions that count their rows, which know no table and no command; the statements
	// of the tables of copies; the jobs, which write copies page by page; the gaps, which are
	// made in the background; the feed's index; and the truths, how they are read, guarded and
	// raised; and the journal, whose recovery is given what finishes an intent; the
	// jobs of renames and deletions; and the auditor, which stands on all of them.
	"cassandra/cql":       {"blog", "internal/coalesce", "internal/pace"},
	"cassandra/cluster":   {"blog", "cassandra/cql", "internal/service"},
	"cassandra/counted":   {"blog", "cassandra/cql", "internal/pace"},
	"cassandra/tables":    {"blog", "cassandra/cql"},
	"cassandra/job":       {"blog", "cassandra/cql", "cassandra/tables", "internal/pace"},
	"cassandra/gap":       {"blog", "cassandra/cql", "cassandra/job", "cassandra/tables"},
	"cassandra/feed":      {"blog", "cassandra/cql"},
	"cassandra/changelog": {"blog", "cassandra/cql", "internal/coalesce", "internal/pace"},
	"cassandra/truth":     {"blog", "cassandra/counted", "cassandra/cql", "cassandra/tables", "internal/coalesce", "internal/pace"},
	"cassandra/journal":   {"blog", "cassandra/cluster", "cassandra/counted", "cassandra/cql", "cassandra/job", "cassandra/truth", "internal/pace", "internal/service"},
	"cassandra/cascade":   {"blog", "cassandra/counted", "cassandra/cql", "cassandra/job", "cassandra/tables", "cassandra/truth", "internal/coalesce"},
	"cassandra/auditor":   {"internal/audit", "blog", "cassandra/cascade", "cassandra/cluster", "cassandra/counted", "cassandra/cql", "cassandra/feed", "cassandra/gap", "cassandra/job", "cassandra/journal", "cassandra/migrate", "cassandra/move", "cassandra/tables", "cassandra/truth"},
	"cassandra/move":      {"internal/audit", "blog", "cassandra/cluster", "cassandra/cql", "cassandra/job", "cassandra/migrate", "internal/pace"},
	"cassandra/schema":    {},
	"cassandra/suite":     {"blog", "embedded"},
	"cassandra/migrate":   {"blog", "cassandra/cluster", "cassandra/cql", "cassandra/schema", "internal/pace"},

	// A module of its own, in no program that is shipped.
	"benchmarks":         {"benchmarks/floor", "benchmarks/measure", "benchmarks/naive", "blog", "cassandra", "cassandra/migrate", "internal/dataset", "internal/program"},
	"benchmarks/measure": {"blog", "internal/relay"},
	"benchmarks/naive":   {"blog", "cassandra", "cassandra/cluster"},
	"benchmarks/floor":   {"blog", "cassandra"},

	// A module of its own: real nodes, and a double of one.
	"internal/cassandratest":               {"internal/cassandratest/cqlnode"},
	"internal/cassandratest/cqlnode":       {},
	"internal/cassandratest/faultproxy":    {},
	"internal/cassandratest/withcassandra": {"internal/cassandratest"},
	"internal/testkeyspace":                {"internal/audit", "blog", "cassandra", "internal/cassandratest", "cassandra/cluster", "cassandra/migrate"},
	"deploy":                               {},
	"deploy/release":                       {}, // a module of its own
	"internal/coalesce":                    {"blog"},
	"internal/mutants":                     {},
	"internal/e2e":                         {},
	"internal/e2e/alerts":                  {},
	"internal/e2e/harness":                 {"cassandra", "internal/cassandratest", "internal/program", "internal/storetest"},
	"internal/e2e/kill":                    {},
	"internal/e2e/load":                    {},
	"clients/guide/go":                     {}, // a module of its own
	"examples/search":                      {}, // a module of its own
	"internal/house":                       {},
	"internal/productmap":                  {"blog"},
	"internal/readmemap":                   {"blog", "internal/productmap"},
	"internal/recent":                      {},
	"internal/refusal":                     {},
	"internal/pace":                        {},
	"internal/service":                     {"blog", "internal/pace"},
	"internal/shown":                       {},
	"internal/client":                      {"internal/pace", "internal/refusal"},
	"internal/static":                      {},
}

func TestImportsGoOneWay(t *testing.T) {
	for _, f := range parsed(t) {
		allowed, known := mayImport[f.folder()]
		if !known {
			t.Errorf("%s: say in internal/house/imports_test.go what the package %s may import", f.path, f.folder())
		}
		if f.isTest() {
			continue
		}
		for _, imported := range f.imports() {
			folder, ours := strings.CutPrefix(imported, module+"/")
			if ours && !slices.Contains(allowed, folder) {
				t.Errorf("%s imports %s, and %s may only import %v: move the code to where it may be used, or pass it in from the program", f.path, folder, f.folder(), allowed)
			}
		}
	}
}

func TestEveryFolderOfTheRuleExists(t *testing.T) {
	standing := map[string]bool{}
	for _, f := range parsed(t) {
		standing[f.folder()] = true
	}
	for folder, allowed := range mayImport {
		for _, name := range append(allowed, folder) {
			if !standing[name] {
				t.Errorf("internal/house/imports_test.go names %s, which has no Go files: take it out", name)
			}
		}
	}
}

func TestLibrariesStayWhereTheyBelong(t *testing.T) {
	dependencies := readDependencies(t)
	for _, f := range parsed(t) {
		for _, imported := range f.imports() {
			if !f.isTest() && isLibrary(imported) && !dependencies.allow(f.folder(), imported) {
				t.Errorf("%s imports %s: go through a package that docs/dependencies.md names for it, or name %s there", f.path, imported, f.folder())
			}
		}
	}
}

// What docs/dependencies.md says of other libraries may change; this not.
func TestDriversAndDomainStayApart(t *testing.T) {
	const segmentation = "github.com/rivo/uniseg"
	owners := map[string][]string{"github.com/gocql/": {"cassandra", "benchmarks", "internal/testkeyspace", "internal/cassandratest"}, "github.com/cockroachdb/pebble/": {"embedded"}}
	for _, f := range parsed(t) {
		for _, imported := range f.imports() {
			for driver, folders := range owners {
				if strings.HasPrefix(imported, driver) && !slices.ContainsFunc(folders, func(owner string) bool { return below(f.folder(), owner) }) {
					t.Errorf("%s imports %s, which is used below %v alone: give the store a method for it", f.path, imported, folders)
				}
			}
			if (below(f.folder(), "blog") || f.folder() == "internal/audit") && !f.isTest() && isLibrary(imported) && f.folder()+imported != "blog"+segmentation {
				t.Errorf("%s imports %s: the domain has the standard library and text segmentation only", f.path, imported)
			}
		}
	}
}

// isLibrary tells other modules' packages from ours and from the standard library's,
// whose paths begin without a domain.
func isLibrary(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".")
}

// below reports whether a folder is another or lies in it.
func below(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}
