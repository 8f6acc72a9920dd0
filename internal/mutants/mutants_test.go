package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// most is how many faults there may be: one of a kind, so that all are tried whenever CI runs.
const most = 80

// The list is of the code as it is, and names tests that there are.
func TestEveryFaultCanBePlanted(t *testing.T) {
	t.Parallel()
	all, err := parse(faultsText)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 || len(all) > most {
		t.Errorf("there are %d faults, of at most %d: keep one of a kind", len(all), most)
	}
	for _, f := range all {
		text, err := f.planted("../..")
		if err == nil {
			_, err = parser.ParseFile(token.NewFileSet(), f.file, text, 0)
		}
		if err != nil {
			t.Error(err)
		}
		tests := testsOf(t, filepath.Join("../..", f.pkg))
		for one := range strings.SplitSeq(f.run, "|") {
			name, _, _ := strings.Cut(strings.Trim(one, "^$"), "/")
			if name = strings.TrimSuffix(name, "$"); !strings.Contains(tests, "\nfunc "+name+"(") {
				t.Errorf("%s: %s has no test %s", f.name, f.pkg, name)
			}
		}
	}
}

// testsOf returns the text of a package's tests.
func testsOf(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for says, text := range map[string]string{
		"line 1 is not understood":        "-a\n",
		"line 2 is not understood":        "# a fault\n-without its file\n",
		"line 3: another fault is named":  "# one\na.go: go test ./a -run TestA\n# one\n",
		"line 2 is not understood: \"a.g": "# one\na.go\n",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// module makes one with a package and a test of it.
func module(t *testing.T) (root string) {
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example\n\ngo 1.26\n",
		"sums/sums.go":   "package sums\n\nfunc Sum(a, b int) int {\n\treturn a + b\n}\n\nfunc Twice(a int) int {\n\treturn 2 * a\n}\n",
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
	return root
}

func TestWhatBecomesOfFaults(t *testing.T) {
	t.Parallel()
	root := module(t)
	for name, c := range map[string]struct{ hunk, run, prints, says string }{
		"noticed":             {"-\treturn a + b\n+\treturn a - b\n", "TestSum", `noticed: TestSum\n1 faults in`, ""},
		"panics":              {"-\treturn a + b\n+\tpanic(a)\n", "TestSum", `panics: TestSum\n`, ""},
		"not noticed":         {"-\treturn 2 * a\n+\treturn a\n", "TestSum", `NOT NOTICED`, "go test ./sums -run 'TestSum' passes with it"},
		"without a test":      {"-\treturn a + b\n+\treturn a - b\n", "TestNone", `NOT NOTICED`, "passes with it"},
		"no Go":               {"-\treturn a + b\n+\treturn a + c\n", "TestSum", `DOES NOT COMPILE`, "undefined: c"},
		"gone":                {"-\treturn a / b\n+\treturn a\n", "TestSum", `CAN'T BE PLANTED`, "has these lines 0 times"},
		"a part of a line":    {"-turn 2 * a\n+turn a\n", "TestSum", `CAN'T BE PLANTED`, "0 times"},
		"lines beside others": {" func Sum(a, b int) int {\n-\treturn a + b\n }\n", "TestSum", `DOES NOT COMPILE`, "missing return"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults, err := parse("## A heading\n\n# " + name + "\nsums/sums.go: go test ./sums -run " + c.run + "\n" + c.hunk)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err = runner{root: root, atOnce: 2, out: &out}.try(t.Context(), faults)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if !regexp.MustCompile(c.prints).Match(out.Bytes()) {
				t.Errorf("it prints %q", &out)
			}
		})
	}
}

func TestTestsThatFailWithoutAFault(t *testing.T) {
	t.Parallel()
	root := module(t)
	if err := os.WriteFile(filepath.Join(root, "sums/f_test.go"), []byte("package sums\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Fail() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := fault{name: "a fault", file: "sums/sums.go", pkg: "./sums", run: "TestFails", old: "\treturn a + b\n"}
	if err := (runner{root: root, atOnce: 1, out: &bytes.Buffer{}}).try(t.Context(), []fault{f}); err == nil || !strings.Contains(err.Error(), "fail without a fault") {
		t.Error(err)
	}
}
