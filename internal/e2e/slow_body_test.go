package e2e

import (
	"io"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

// A body that stops arriving is answered, and its connection closed, when its time is over.
func TestASlowBodyIsAnswered(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "body_time=300ms", "--limit", "body=1000").Ready()
	for name, c := range map[string]struct{ rest, status string }{
		"it stops":                    {"Content-Length: 500\r\n\r\n{\"query\":", "HTTP/1.1 408 "},
		"it stops, and was too large": {"Transfer-Encoding: chunked\r\n\r\n1000\r\n" + strings.Repeat(" ", 1100), "HTTP/1.1 413 "},
	} {
		t.Run(name, func(t *testing.T) {
			conn := s.Connect()
			conn.Send("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + c.rest)
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), c.status) {
				t.Errorf("%v %s", err, answer)
			}
		})
	}
}
