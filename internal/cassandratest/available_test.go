package cassandratest

import (
	"slices"
	"strings"
	"testing"
)

func TestExternalHosts(t *testing.T) {
	tests := []struct {
		name, env string
		want      []string // nil for an error
	}{
		{"one", "10.0.0.1:9043", []string{"10.0.0.1:9043"}},
		{"several with blanks and a stray comma", " a:1, b:2 ,", []string{"a:1", "b:2"}},
		{"Cassandra's own port", "a,b:1", []string{"a:9042", "b:1"}},
		{"IPv6 with and without a port", "[::1]:1,[::1]", []string{"[::1]:1", "[::1]:9042"}},
		{"commas only", ", ,", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(HostsEnv, test.env)
			got, err := externalHosts()
			if !slices.Equal(got, test.want) || (err == nil) != (test.want != nil) {
				t.Errorf("%v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestSplitHosts(t *testing.T) {
	t.Parallel()
	ips, port, err := SplitHosts([]string{"127.0.0.1:9043", "127.0.0.2:9043"})
	if err != nil || !slices.Equal(ips, []string{"127.0.0.1", "127.0.0.2"}) || port != 9043 {
		t.Errorf("%v, %d, %v", ips, port, err)
	}
	for _, hosts := range [][]string{{"a"}, {"a:x"}, {"a:1", "b:2"}} {
		if _, _, err := SplitHosts(hosts); err == nil {
			t.Errorf("%v: want an error", hosts)
		}
	}
}

func TestAvailablePrefersTheClusterThatIsNamed(t *testing.T) {
	t.Setenv(HostsEnv, "127.0.0.1:9042")
	if got, err := Available(t.Context()); got != External || err != nil {
		t.Errorf("%v, %v; want %v", got, err, External)
	}
}

// withoutJava hides from t every Java of this machine, and all programs.
func withoutJava(t *testing.T) {
	t.Helper()
	t.Setenv("JAVA_HOME", "")
	t.Setenv("PATH", t.TempDir())
	t.Setenv("BROADSHEET_JVMS", "")
}

func TestAvailableNamesThreeWays(t *testing.T) {
	t.Setenv(HostsEnv, "")
	withoutJava(t)
	_, err := Available(t.Context())
	if err == nil {
		t.Fatal("want an error where there is neither Java nor Docker")
	}
	for _, way := range []string{"CASSANDRA_HOSTS=", "install Java 17 or 21 (", "Docker"} {
		if !strings.Contains(err.Error(), way) {
			t.Errorf("%q is not in: %v", way, err)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Nodes: -1}, {Nodes: maxNodes + 1}, {CommitLogSync: "periodic"}} {
		if _, err := Start(t.Context(), o); err == nil {
			t.Errorf("%+v: want an error", o)
		}
	}
}
