package limit_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"broadsheet/internal/httpapi/limit"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/limits.md")

func values(t *testing.T, profile string, perClient bool, settings ...string) limit.Values {
	t.Helper()
	v, err := limit.For(profile, perClient, settings...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	none := values(t, "", true)
	if none[limit.Body] != 1<<20 || none[limit.Tokens] != 10_000 || none.Time(limit.QueueTime) != 500*time.Millisecond || none[limit.Work] != 1000 || none.Time(limit.RenameInterval) != time.Hour {
		t.Errorf("none: %v", none)
	}
	if limit.Default[limit.Tokens] != 10_000 || limit.Default[limit.Work] != 0 || limit.Default[limit.RenameInterval] != 0 {
		t.Errorf("on one machine: %v", limit.Default)
	}
	if local := values(t, "local", true); local != limit.Default {
		t.Errorf("local: %v, want %v", local, limit.Default)
	}
	internal := values(t, "internal", true)
	if internal[limit.Work] != 5000 || internal[limit.Tokens] != 10_000 {
		t.Errorf("internal: %v", internal)
	}
	public := values(t, "public", false)
	if public[limit.Tokens] != 2000 || public[limit.Body] != 512<<10 || public[limit.Subscriptions] != 20 || public[limit.Cost] != 500 {
		t.Errorf("public: %v", public)
	}
	given := values(t, "public", false, "tokens=3000", "work=0.5", "queue_time=1m", "body=2MiB", "tokens=4000", "cost=0")
	if given[limit.Tokens] != 4000 || given[limit.Work] != 0.5 || given.Time(limit.QueueTime) != time.Minute || given[limit.Body] != 2<<20 || given[limit.Selections] != 1000 || given[limit.Cost] != 0 {
		t.Errorf("beside settings: %v", given)
	}
}

// What sets no limit is refused, with what would.
func TestBadSettings(t *testing.T) {
	t.Parallel()
	for setting, says := range map[string]string{
		"max-tokens=5":  "tokens=10000",
		"tokens":        "tokens=: want a whole number, above 0, as in tokens=10000",
		"tokens=0":      "above 0",
		"tokens=1.5":    "a whole number",
		"tokens=-1":     "above 0",
		"tokens=NaN":    "a whole number",
		"tokens=1e99":   "a whole number",
		"body=1MB":      "a number of bytes, above 0, as in body=1MiB",
		"body=-1":       "above 0",
		"answers=-1MiB": "0, which is no limit, or more",
		"deadline=10":   "a time with its unit, above 0, as in deadline=10s",
		"deadline=0s":   "above 0",
		"work=-0.1":     "a number a second, 0, which is no limit, or more",
		"work=Inf":      "a number a second",
		"":              "sets no limit",
		"=5":            "sets no limit",
	} {
		if v, err := limit.For("", true, setting); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v %v", setting, v, err)
		}
	}
}

// docs/limits.md has what the table has.
func TestThePageHasTheTable(t *testing.T) {
	t.Parallel()
	const page = "../../../docs/limits.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const head = "\n| limit | what it bounds | in | default | internal | public | beyond it |\n|---|---|---|---|---|---|---|\n"
	before, rest, found := strings.Cut(string(text), head)
	_, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table that begins with%s", page, head)
	}
	whole := before + head + rows() + "\n" + after
	if *update {
		err = os.WriteFile(page, []byte(whole), 0o600)
	}
	if err != nil || !*update && whole != string(text) {
		t.Errorf("%s lacks a change of the table (%v): go test ./internal/httpapi/limit -run %s -update", page, err, t.Name())
	}
}

func rows() string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, l := range limit.Table {
		if seen[l.Name] || l.Bounds == "" || l.Beyond == "" {
			panic(fmt.Sprintf("a limit is not whole: %+v", l))
		}
		seen[l.Name] = true
		bounds, standard := l.Bounds, l.Default
		if l.Section != "" {
			bounds += ": [more](#" + l.Section + ")"
		}
		if l.PerClient {
			standard += "; 0 with `--auth dev`"
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s |", l.Name, bounds, l.Unit, standard, l.Internal, l.Public, l.Beyond)
		b.WriteString(strings.ReplaceAll(row, "|  |", "| |") + "\n")
	}
	return strings.ReplaceAll(b.String(), "|  |", "| |")
}
