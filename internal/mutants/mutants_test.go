package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The lists are of the code as it is.
func TestEveryFaultCanBePlanted(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, f := range faults() {
		text, err := f.planted("../..")
		if err == nil {
			_, err = parser.ParseFile(token.NewFileSet(), f.file, text, 0)
		}
		if err != nil {
			t.Errorf("%v: %v", f, err)
		}
		if known[f.String()] || f.name == "" || f.kind == "" {
			t.Errorf("%v: has no kind, or no name, or another has its name", f)
		}
		known[f.String()] = true
	}
	for _, name := range []string{"embedded", "cassandra", "graph", "blog", "audit", "resolvers", "httpapi", "identity", "relay", "share", "live", "coalesce", "memory"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(known)), func(of string) bool { return strings.HasPrefix(of, name+": ") }) {
			t.Errorf("%s: there are no faults", name)
		}
	}
}

// module is one with a package, a test of it and faults.
func module(t *testing.T) (root string, faults map[string]fault) {
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example\n\ngo 1.26\n",
		"sums/sums.go":   "package sums\n\nfunc Sum(a, b int) int { return a + b }\n\nfunc Twice(a int) int { return 2 * a }\n",
		"sums/s_test.go": "package sums\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	faults = map[string]fault{
		"noticed":  {old: "a + b", new: "a - b"},
		"survives": {old: "2 * a", new: "a"},
		"hangs":    {old: "return a + b", new: "time.Sleep(time.Hour); return a", imports: "time"},
		"no Go":    {old: "a + b", new: "a + c"},
		"gone":     {old: "a / b", new: "a"},
	}
	for name, f := range faults {
		f.name, f.kind, f.file = name, "a kind", "sums/sums.go"
		faults[name] = f
	}
	return root, faults
}

func TestWhatBecomesOfFaults(t *testing.T) {
	t.Parallel()
	root, faults := module(t)
	var told bytes.Buffer
	r := runner{root: root, atOnce: 2, limit: time.Minute, told: &told}
	tried, err := r.try(t.Context(), []fault{faults["noticed"], faults["survives"]})
	if err != nil {
		t.Fatal(err)
	}
	if tried[0].outcome != noticed || tried[0].by != "TestSum" || tried[1].outcome != survived {
		t.Errorf("%+v", tried)
	}
	if !strings.Contains(table("package", tried, fault.component), "sums") || !strings.Contains(told.String(), "SURVIVED") {
		t.Errorf("it tells\n%s%s", &told, table("package", tried, fault.component))
	}

	r.limit = time.Second
	tried, err = r.try(t.Context(), []fault{faults["hangs"]})
	if err != nil || tried[0].outcome != hung {
		t.Errorf("%+v, %v", tried, err)
	}
	for name, says := range map[string]string{"no Go": "does not compile", "gone": "stands 0 times"} {
		if _, err := r.try(t.Context(), []fault{faults[name]}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want one that says %q", name, err, says)
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	of := func(o outcome, accepted string) trial {
		return trial{fault: fault{name: "n", file: "p/f.go", accepted: accepted}, outcome: o}
	}
	nine := slices.Repeat([]trial{of(noticed, "")}, 9)
	for name, c := range map[string]struct {
		tried []trial
		says  string
	}{
		"all are noticed":          {nine, ""},
		"one survives":             {append(slices.Clone(nine), of(survived, "")), "no test fails with it"},
		"one is accepted":          {append(slices.Clone(nine), of(survived, "a reason")), ""},
		"an accepted one hangs":    {append(slices.Clone(nine), of(hung, "a reason")), "is noticed"},
		"two of ten are accepted":  {append(slices.Clone(nine[1:]), of(survived, "a reason"), of(survived, "a reason")), "less than 90 %"},
		"nothing was tried at all": {nil, ""},
	} {
		err := verdict(c.tried)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
