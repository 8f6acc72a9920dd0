package e2e

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/shown"
)

// Every request that the README shows is answered without an error by a server as
// `go run .` starts it.
func TestShownRequests(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir()).Ready()
	for _, query := range shown.Blocks(t, harness.Repository, "graphql", "README.md", "docs/identity.md") {
		if got := s.As("alice", query, "").OK(); strings.Contains(got.Text, `"code"`) {
			t.Errorf("%s\nanswers %s", query, got.Text)
		}
	}
	requests := 0
	for _, line := range shown.Commands(t, harness.Repository) {
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
func curl(t *testing.T, s *harness.Server, line string) (status int, text string) {
	t.Helper()
	path, data := curlURL.FindStringSubmatch(line), curlData.FindStringSubmatch(line)
	if path == nil || data == nil {
		t.Fatalf("no URL of the default address, or no data: %s", line)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path[1], strings.NewReader(data[1]))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range curlHeader.FindAllStringSubmatch(line, -1) {
		r.Header.Set(header[1], header[2])
	}
	response, err := s.Client.Do(r)
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
