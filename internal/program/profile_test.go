package program

import (
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestProfiles(t *testing.T) {
	serving := func(line string) *serveCommand {
		t.Helper()
		c, code, done := parse(strings.Fields(line), io.Discard, os.Stderr)
		if done || code != 0 {
			t.Fatalf("broadsheet %s: exit code %d", line, code)
		}
		return &c.flags.Serve
	}
	const jwt = "serve --auth jwt --jwt-issuer i --jwt-audience a --jwt-key-file k "
	public := serving(jwt + "--profile public").Limits.limits(authJWT)
	if public.Document.Tokens != 2000 || public.Body != 512<<10 || public.AddressRate != 20 || public.Subscriptions != 20 || public.Cost != 500 {
		t.Errorf("public: %+v", public)
	}
	given := serving("--max-tokens 3000 --profile public --rate-limit-address 7").Limits.limits(authDev)
	if given.Document.Tokens != 3000 || given.AddressRate != 7 || given.Document.Aliases != 30 {
		t.Errorf("beside flags: %+v", given)
	}
	t.Setenv("BROADSHEET_MAX_ALIASES", "44")
	t.Setenv("BROADSHEET_PROFILE", "public")
	if given = serving("--max-depth 9").Limits.limits(authDev); given.Document.Aliases != 44 || given.Document.Depth != 9 || given.Document.Tokens != 2000 {
		t.Errorf("by variables: %+v", given)
	}
	if local := serving(jwt + "--profile local").Limits.limits(authJWT); local.AddressRate != 0 || local.WorkRate != 0 || local.LivePerClient != 0 || local.RenameInterval != 0 || local.Document.Tokens != 10000 {
		t.Errorf("local: %+v", local)
	}
}

// docs/limits.md has a table of what each profile sets, and no other.
func TestProfilesAreTold(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	c, _, _ := parse([]string{"version"}, io.Discard, io.Discard)
	kept := map[string]string{}
	for _, leaf := range c.context.Model.Leaves(false) {
		for _, flag := range leaf.Flags {
			if flag.Group != nil && flag.Group.Key == "Limits" {
				kept[flag.Name] = flag.Default
			}
		}
	}
	set := map[string]bool{}
	for _, profile := range presets {
		for name := range profile {
			if _, known := kept[name]; !known {
				t.Errorf("a profile sets --%s, which is no limit", name)
			}
			set[name] = true
		}
	}
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		row := "| `--" + name + "` |"
		for _, profile := range []string{"local", "internal", "public"} {
			row += " " + presets[profile][name] + " |"
		}
		rows = append(rows, row)
	}
	_, table, _ := strings.Cut(string(page), "\n| flag | local | internal | public |\n|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if want := strings.Join(rows, "\n"); regexp.MustCompile(` +`).ReplaceAllString(table, " ") != regexp.MustCompile(` +`).ReplaceAllString(want, " ") {
		t.Errorf("docs/limits.md has\n%s\nwant\n%s", table, want)
	}
}
