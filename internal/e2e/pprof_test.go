package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var profiling = regexp.MustCompile(`msg=profiling url=(\S+)`)

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo", "--pprof-listen", "127.0.0.1:0").ready()
	found := profiling.FindStringSubmatch(s.log.String())
	if found == nil {
		t.Fatalf("the log does not say where: %s", s.log.String())
	}
	beside := &server{t: t, url: strings.TrimSuffix(found[1], "/"), client: s.client}
	if index := beside.get("/"); index.status != http.StatusOK || !strings.Contains(index.text, "goroutine") {
		t.Errorf("the index: %d %s", index.status, index.text)
	}
	for _, profile := range []string{"/heap", "/goroutine", "/profile?seconds=1"} {
		a := beside.get(profile)
		unzipped, err := gzip.NewReader(bytes.NewReader([]byte(a.text)))
		if err != nil {
			t.Fatalf("%s: %d %v", profile, a.status, err)
		}
		if text, err := io.ReadAll(unzipped); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", profile, err)
		}
	}
	if got := beside.get("/cmdline").status; got != http.StatusNotFound {
		t.Errorf("the command line, which may hold a password: %d", got)
	}
	if got := s.get("/debug/pprof/").status; got != http.StatusNotFound {
		t.Errorf("on the main listener: %d", got)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log.String())
	}
	if _, err := beside.try(http.MethodGet, "/", nil, nil); err == nil {
		t.Error("profiles outlive the server")
	}
}

func TestProfilesAreForLoopback(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
		want(t, 1, "profiles are for nobody else: listen on loopback, as in 127.0.0.1:6060",
			"--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--pprof-listen", address)
	}
	want(t, 1, "which --pprof-listen names", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--pprof-listen", "127.0.0.1:none")
	s := start(t, "--data-dir", t.TempDir(), "--no-demo").ready()
	if strings.Contains(s.log.String(), "profiling") {
		t.Error("it serves profiles though nobody asked for them")
	}
}
