package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// block is what stands between fences in the documents, with its language.
var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// shown returns what the documents show in a language.
func shown(t *testing.T, language string) (blocks []string) {
	t.Helper()
	for _, document := range []string{"README.md", "CONTRIBUTING.md", "docs/identity.md"} {
		content, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range block.FindAllStringSubmatch(string(content), -1) {
			if found[1] == language {
				blocks = append(blocks, found[2])
			}
		}
	}
	if blocks == nil {
		t.Fatalf("the documents show no %s", language)
	}
	return blocks
}

// shownCommands returns the command lines, without comments and continuations.
func shownCommands(t *testing.T) (lines []string) {
	t.Helper()
	comment := regexp.MustCompile(`(?m)(^|\s+)#.*$`)
	for _, script := range shown(t, "sh") {
		script = strings.ReplaceAll(script, "\\\n", "")
		for line := range strings.Lines(comment.ReplaceAllString(script, "")) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// Every request that the README shows is answered without an error by a server as
// `go run .` starts it.
func TestShownRequests(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir()).ready()
	for _, query := range shown(t, "graphql") {
		if got := s.as("alice", query, "").ok(); strings.Contains(got.text, `"code"`) {
			t.Errorf("%s\nanswers %s", query, got.text)
		}
	}
	requests := 0
	for _, line := range shownCommands(t) {
		if !strings.HasPrefix(line, "curl ") {
			continue
		}
		requests++
		status, text := curl(t, s, line)
		if status != http.StatusOK || strings.Contains(text, `"errors"`) || !strings.Contains(text, `"title"`) {
			t.Errorf("%s\nanswers %d %s", line, status, text)
		}
	}
	if requests == 0 {
		t.Error("the README shows no request by curl")
	}
}

var (
	curlURL    = regexp.MustCompile(`http://127\.0\.0\.1:8080(\S*)`)
	curlHeader = regexp.MustCompile(`-H '([^:']+): ([^']+)'`)
	curlData   = regexp.MustCompile(`-d '([^']+)'`)
)

// curl makes the request of a command line, to another address.
func curl(t *testing.T, s *server, line string) (status int, text string) {
	t.Helper()
	path, data := curlURL.FindStringSubmatch(line), curlData.FindStringSubmatch(line)
	if path == nil || data == nil {
		t.Fatalf("no URL of the default address, or no data: %s", line)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path[1], strings.NewReader(data[1]))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range curlHeader.FindAllStringSubmatch(line, -1) {
		r.Header.Set(header[1], header[2])
	}
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// Every command that the documents show is one that its program understands.
func TestShownCommands(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range shownCommands(t) {
		words := strings.Fields(line)
		switch {
		case words[0] == "broadsheet":
			wantUnderstood(t, words[1:])
		case strings.HasPrefix(line, "go run . ") || line == "go run .":
			wantUnderstood(t, words[3:])
		case words[0] == "make":
			if target := "\n" + words[1] + ":"; !strings.Contains(string(makefile), target) {
				t.Errorf("%s: the Makefile has no such target", line)
			}
		case words[0] == "curl": // see TestShownRequests
		case words[0] == "go" && words[1] == "run":
			if _, err := os.Stat(words[2]); err != nil {
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
	var log output
	if _, _, done := parse(args, io.Discard, &log); done {
		t.Errorf("broadsheet %s: %s", strings.Join(args, " "), log.String())
	}
}

// Every flag and every variable that the documents name exists.
func TestShownFlags(t *testing.T) {
	known := knownFlags(t)
	named := regexp.MustCompile("`[^`]*`")
	word := regexp.MustCompile(`--[a-z][a-z-]+|BROADSHEET_[A-Z_]+`)
	for _, document := range []string{"README.md", "CHANGELOG.md", "docs/http.md", "docs/identity.md", "docs/limits.md", "docs/operations.md"} {
		content, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range named.FindAllString(block.ReplaceAllString(string(content), ""), -1) {
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
	parsed, _, done := parse([]string{"schema"}, io.Discard, io.Discard)
	if done {
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
	visit(parsed.context.Model.Node)
	return known
}
