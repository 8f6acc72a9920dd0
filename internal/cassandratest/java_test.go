//go:build unix

package cassandratest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeJava is the home of a program that says that it is such a Java.
func fakeJava(t *testing.T, version string) (home string) {
	t.Helper()
	home = t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho 'openjdk version \"%s\" 2025-04-15\nmore' >&2\n", version)
	if err := os.WriteFile(filepath.Join(home, "bin", "java"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return home
}

func TestJavaPath(t *testing.T) {
	tests := []struct {
		name                  string
		home, path, installed string // versions; none if empty
		want                  string // the version, or what is in the error
	}{
		{"17", "17.0.15", "", "", "17.0.15"},
		{"21 without an update", "", "21", "", "21"},
		{"JAVA_HOME before the PATH", "21.0.1", "17.0.1", "", "21.0.1"},
		{"the PATH where JAVA_HOME is too new", "25.0.3", "17.0.1", "21.0.1", "17.0.1"},
		{"an installed one where both do not fit", "25", "11.0.2", "17.0.1", "17.0.1"},
		{"too new", "", "25.0.3", "", `java is openjdk version "25.0.3"`},
		{"too old", "1.8.0_17", "", "", `java is openjdk version "1.8.0_17"`},
		{"one that begins like another", "", "", "170.1", `java is openjdk version "170.1"`},
		{"none", "", "", "", "no Java in JAVA_HOME, on the PATH or where systems install it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			withoutJava(t)
			homes := map[string]string{}
			for _, version := range []string{test.home, test.path, test.installed} {
				if version != "" {
					homes[version] = fakeJava(t, version)
				}
			}
			t.Setenv("JAVA_HOME", homes[test.home])
			t.Setenv("PATH", filepath.Join(homes[test.path], "bin"))
			t.Setenv("BROADSHEET_JVMS", filepath.Join(homes[test.installed], "b*", "java"))
			got, err := javaPath(t.Context())
			if err != nil && strings.Contains(err.Error(), test.want) {
				return
			}
			if home, ok := homes[test.want]; !ok || got != filepath.Join(home, "bin", "java") || err != nil {
				t.Errorf("%q, %v; want %s of %v", got, err, test.want, homes)
			}
		})
	}
}
