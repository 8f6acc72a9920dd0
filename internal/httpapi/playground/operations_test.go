package playground

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestOperations(t *testing.T) {
	all := Operations()
	if len(all) < 10 || named(t, all[0]) != "Feed" {
		t.Fatalf("%d operations, the first is %q; want ten or more, Feed first", len(all), named(t, all[0]))
	}
	seen := map[string]bool{}
	for _, op := range all {
		t.Run(op.Name, func(t *testing.T) {
			if seen[named(t, op)] {
				t.Error("the name is used twice")
			}
			seen[named(t, op)] = true
			if title, _, _ := strings.Cut(op.Query, "\n"); !strings.HasPrefix(title, "# ") || len(title) < 3 {
				t.Errorf("the first line is no title: %q", title)
			}
			for line := range strings.SplitSeq(op.Query, "\n") {
				if n := len([]rune(line)); n > 50 {
					t.Errorf("%d columns do not fit beside the answer at a window of 1280 pixels: %s", n, line)
				}
			}
			checkVariables(t, op)
		})
	}
}

var namedOperation = regexp.MustCompile(`(?m)^(?:query|mutation|subscription) (\w+)`)

// named returns the name of the only operation that a query has.
func named(t *testing.T, op Operation) string {
	t.Helper()
	all := namedOperation.FindAllStringSubmatch(op.Query, -1)
	if len(all) != 1 {
		t.Fatalf("%s has %d named operations, not one", op.Name, len(all))
	}
	return all[0][1]
}

var declared = regexp.MustCompile(`\$(\w+):`)

// checkVariables wants a value for each declared variable, and no other.
func checkVariables(t *testing.T, op Operation) {
	t.Helper()
	names := declared.FindAllStringSubmatch(op.Query, -1)
	values := map[string]any{}
	if op.Variables != nil {
		if err := json.Unmarshal(op.Variables, &values); err != nil {
			t.Fatal(err)
		}
	}
	if len(values) != len(names) {
		t.Errorf("%d values for %d variables", len(values), len(names))
	}
	for _, name := range names {
		if values[name[1]] == nil {
			t.Errorf("no value for $%s", name[1])
		}
	}
}

// GraphiQL shows the first default tab's query but not its variables.
func TestFirstTabNeedsNoVariables(t *testing.T) {
	if first := Operations()[0]; first.Variables != nil {
		t.Errorf("%s has variables", first.Name)
	}
}

// GraphiQL labels a tab with the first thing that looks like an operation in a line that does not start with #.
func TestTabsAreLabelledWithTheirOperationsName(t *testing.T) {
	comment := regexp.MustCompile(`(?m)^#.*$`)
	label := regexp.MustCompile(`(?:query|subscription|mutation)\s+(\w+)`)
	for _, op := range Operations() {
		m := label.FindStringSubmatch(comment.ReplaceAllString(op.Query, ""))
		if m == nil || m[1] != named(t, op) {
			t.Errorf("%s is labelled %q", op.Name, m)
		}
	}
}
