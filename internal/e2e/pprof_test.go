package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo", "--admin-listen", "127.0.0.1:0").ready()
	beside := s.operators()
	if index := beside.get("/debug/pprof/"); index.status != http.StatusOK || !strings.Contains(index.text, "goroutine") {
		t.Errorf("the index: %d %s", index.status, index.text)
	}
	for _, profile := range []string{"/heap", "/goroutine", "/profile?seconds=1"} {
		a := beside.get("/debug/pprof" + profile)
		unzipped, err := gzip.NewReader(bytes.NewReader([]byte(a.text)))
		if err != nil {
			t.Fatalf("%s: %d %v", profile, a.status, err)
		}
		if text, err := io.ReadAll(unzipped); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", profile, err)
		}
	}
	if got := beside.get("/debug/pprof/cmdline").status; got != http.StatusNotFound {
		t.Errorf("the command line, which may hold a password: %d", got)
	}
	if got := s.get("/debug/pprof/").status; got != http.StatusNotFound {
		t.Errorf("on the main listener: %d", got)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log.String())
	}
}
