package program

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"broadsheet/internal/shown"
)

// Every command that the documents show is one that its program understands.
func TestShownCommands(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`^(export )?[A-Z_]+=('[^']*'|\S*) ?`)
	named := regexp.MustCompile(`(?:^|[\s./]+)((?:deploy|examples|internal|cassandra|clients)/[\w./-]*\w|embedded)(?:\s|$)`)
	for _, line := range shown.Commands(t, "../..") {
		for variable.MatchString(line) {
			line = variable.ReplaceAllString(line, "")
		}
		line, _, _ = strings.Cut(strings.ReplaceAll(line, "…", "--jwt-issuer i --jwt-audience a --jwks-url https://i.example"), " > ")
		words := append(strings.Fields(line), "")
		switch found := named.FindStringSubmatch(line); {
		case words[0] == "broadsheet":
			wantUnderstood(t, words[1:len(words)-1])
		case strings.HasPrefix(line, "go run . ") || line == "go run .":
			wantUnderstood(t, words[3:len(words)-1])
		case words[0] == "make":
			if target := "\n" + words[1] + ":"; !strings.Contains(string(makefile), target) {
				t.Errorf("%s: the Makefile has no such target", line)
			}
		case strings.HasPrefix(line, "go run -C benchmarks ."): // see the tests of the folder benchmarks
		case words[0] == "curl": // see TestShownRequests of the folder e2e
		case words[0] == "go" && words[1] == "run":
			if _, err := os.Stat(filepath.Join("../..", strings.TrimPrefix(words[2], "broadsheet/"))); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		case words[0] == "" || words[0] == "(cd" || words[0] == "docker" || words[0] == "search" || line == "go tool pprof http://127.0.0.1:9090/debug/pprof/profile":
		case found != nil:
			if _, err := os.Stat(filepath.Join("../..", found[1])); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		default:
			t.Errorf("%s: teach this test to check it", line)
		}
	}
}

func wantUnderstood(t *testing.T, args []string) {
	t.Helper()
	if len(args) > 0 && args[0] == "migrate" { // the text before says which store
		args = append(args, "--store", "cassandra", "--cassandra-hosts", "127.0.0.1")
	}
	var log strings.Builder
	if _, line, _ := parse(args, io.Discard, &log); line == nil {
		t.Errorf("broadsheet %s: %s", strings.Join(args, " "), log.String())
	}
}

// Every flag and every variable that the documents name exists.
func TestShownFlags(t *testing.T) {
	known := knownFlags(t)
	named := regexp.MustCompile("`[^`]*`")
	word := regexp.MustCompile(`--[a-z][a-z-]+|BROADSHEET_[A-Z_]+`)
	for _, document := range []string{"README.md", "CHANGELOG.md", "docs/http.md", "docs/identity.md", "docs/limits.md", "docs/operations.md"} {
		for _, code := range named.FindAllString(shown.Text(t, "../..", document), -1) {
			for _, flag := range word.FindAllString(code, -1) {
				if !known[flag] {
					t.Errorf("%s names %s, which no command has", document, flag)
				}
			}
		}
	}
}

// knownFlags returns the flags of all commands, and their variables.
func knownFlags(t *testing.T) map[string]bool {
	t.Helper()
	_, line, _ := parse([]string{"schema"}, io.Discard, io.Discard)
	if line == nil {
		t.Fatal("the command schema is not understood")
	}
	known := map[string]bool{}
	var visit func(*kong.Node)
	visit = func(node *kong.Node) {
		for _, flag := range node.Flags {
			known["--"+flag.Name] = true
			if flag.Tag.Negatable != "" {
				known["--no-"+flag.Name] = true
			}
			for _, variable := range flag.Envs {
				known[variable] = true
			}
		}
		for _, child := range node.Children {
			visit(child)
		}
	}
	visit(line.Model.Node)
	return known
}
