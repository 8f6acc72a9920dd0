package cluster

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
)

// The driver's messages are passed on without its name, and failures are warnings.
func TestDriverLog(t *testing.T) {
	t.Parallel()
	var written strings.Builder
	config := Config{
		Hosts: []string{"127.0.0.1"},
		Log:   slog.New(slog.NewTextHandler(&written, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	driver, err := config.WithDefaults().cluster("")
	if err != nil {
		t.Fatal(err)
	}
	driver.Logger.Printf("gocql: unable to dial %s\n", "a")
	driver.Logger.Println("gocql: unable to dial", "b")
	driver.Logger.Print("all is well")
	var got []string
	for line := range strings.Lines(written.String()) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), "level=")
		got = append(got, line)
	}
	want := []string{
		`WARN msg="Cassandra driver" error="unable to dial a"`,
		`WARN msg="Cassandra driver" error="unable to dial b"`,
		`DEBUG msg="Cassandra driver" message="all is well"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
