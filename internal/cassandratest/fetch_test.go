package cassandratest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestJarsAreThoseOfTheVersion(t *testing.T) {
	t.Parallel()
	if !strings.Contains(jarList, "  org/apache/cassandra/cassandra-all/"+Version+"/cassandra-all-"+Version+".jar\n") {
		t.Errorf("jars.txt is not for Cassandra %s", Version)
	}
	pom, err := os.ReadFile("pom.xml")
	if err != nil || !strings.Contains(string(pom), "<cassandra>"+Version+"</cassandra>") {
		t.Errorf("pom.xml is not for Cassandra %s: %v", Version, err)
	}
}

func TestJarsAreInOrder(t *testing.T) {
	t.Parallel()
	var jars []string
	for line := range strings.Lines(jarList) {
		sum, jar, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if len(sum) != 2*sha256.Size || !strings.HasSuffix(jar, ".jar") {
			t.Errorf("%q: want a SHA-256, two spaces and the path of a jar", line)
		}
		jars = append(jars, jar)
	}
	if !slices.IsSorted(jars) || len(slices.Compact(jars)) != len(jars) {
		t.Error("want the paths in their order, each once")
	}
}

func TestFetchJars(t *testing.T) {
	t.Parallel()
	const right = "content"
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string // in the error; none if empty
	}{
		{"right", func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, right) }, ""},
		{"other content", func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, "another") }, "/a/b.jar: its SHA-256 is"},
		{"absent", http.NotFound, "/a/b.jar: 404 Not Found"},
		{"aborted", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, right)
		}, "/a/b.jar: unexpected EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.HandleFunc("/maven/a/b.jar", test.answer)
			server := httptest.NewServer(mux)
			defer server.Close()
			dir := t.TempDir()
			list := fmt.Sprintf("%x  a/b.jar\n", sha256.Sum256([]byte(right)))
			err := fetchJars(t.Context(), server.URL+"/maven", list, dir)
			switch jar := filepath.Join(dir, "b.jar"); {
			case test.want == "":
				if got, rerr := os.ReadFile(jar); string(got) != right || err != nil {
					t.Errorf("%q, %v, %v; want %q", got, err, rerr, right)
				}
				wantOnly(t, dir, "b.jar")
			case err == nil || !strings.Contains(err.Error(), test.want):
				t.Errorf("%v; want %q", err, test.want)
			case exists(jar):
				t.Error("a jar that failed has its name")
			}
		})
	}
}

func TestFetchJarsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	if err := fetchJars(ctx, server.URL, "0  a.jar\n", t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want %v", err, context.Canceled)
	}
}

// A mirror is asked in place of Maven Central, and one that lacks a jar leaves no cache.
func TestFetchAsksTheMirror(t *testing.T) {
	mirror := httptest.NewServer(http.NotFoundHandler())
	defer mirror.Close()
	cache := t.TempDir()
	t.Setenv(mavenEnv, mirror.URL)
	t.Setenv(cacheEnv, cache)
	if _, err := Fetch(t.Context()); err == nil || !strings.Contains(err.Error(), mirror.URL) {
		t.Errorf("%v; want what the mirror answered", err)
	}
	wantOnly(t, filepath.Join(cache, "cassandra"))
}

// put returns a fill that writes one file.
func put(name string) func(string) error {
	return func(tmp string) error { return os.WriteFile(filepath.Join(tmp, name), nil, 0o644) }
}

func TestFillOnceKeepsTheFirst(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "dir")
	for _, name := range []string{"first", "second"} {
		if err := fillOnce(dir, put(name)); err != nil {
			t.Fatal(err)
		}
	}
	wantOnly(t, dir, "first")
	wantOnly(t, filepath.Dir(dir), "dir")
}

func TestFillOnceAbortedLeavesNothing(t *testing.T) {
	t.Parallel()
	parent, aborted := t.TempDir(), errors.New("aborted")
	err := fillOnce(filepath.Join(parent, "dir"), func(tmp string) error {
		return errors.Join(put("half")(tmp), aborted)
	})
	if !errors.Is(err, aborted) {
		t.Error(err)
	}
	wantOnly(t, parent)
}

func TestFillOnceOverlapping(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "dir")
	err := fillOnce(dir, func(tmp string) error {
		return errors.Join(put("slow")(tmp), fillOnce(dir, put("quick")))
	})
	if err != nil {
		t.Fatal(err)
	}
	wantOnly(t, dir, "quick")
	wantOnly(t, parent, "dir")
}

// wantOnly fails t unless dir has just these entries.
func wantOnly(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if i >= len(want) || e.Name() != want[i] {
			t.Errorf("%s has %v, want %v", dir, entries, want)
			return
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%s has %v, want %v", dir, entries, want)
	}
}
