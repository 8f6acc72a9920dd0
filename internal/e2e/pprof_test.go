package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--admin-listen", "127.0.0.1:0").Ready()
	beside := s.Operators()
	if index := beside.Get("/debug/pprof/"); index.Status != http.StatusOK || !strings.Contains(index.Text, "goroutine") {
		t.Errorf("the index: %d %s", index.Status, index.Text)
	}
	for _, profile := range []string{"/heap", "/goroutine", "/profile?seconds=1"} {
		a := beside.Get("/debug/pprof" + profile)
		unzipped, err := gzip.NewReader(bytes.NewReader([]byte(a.Text)))
		if err != nil {
			t.Fatalf("%s: %d %v", profile, a.Status, err)
		}
		if text, err := io.ReadAll(unzipped); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", profile, err)
		}
	}
	if got := beside.Get("/debug/pprof/cmdline").Status; got != http.StatusNotFound {
		t.Errorf("the command line, which may hold a password: %d", got)
	}
	if got := s.Get("/debug/pprof/").Status; got != http.StatusNotFound {
		t.Errorf("on the main listener: %d", got)
	}
	if code := s.Stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log.String())
	}
}
