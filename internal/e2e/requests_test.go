package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answer is an HTTP response, read.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	text   string
}

func (s *server) get(path string) answer {
	s.t.Helper()
	return s.do(http.MethodGet, path, "", nil)
}

// do makes a request, and fails t where nothing answers.
func (s *server) do(method, path, body string, headers map[string]string) answer {
	s.t.Helper()
	a, err := s.try(method, path, strings.NewReader(body), headers)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *server) try(method, path string, body io.Reader, headers map[string]string) (answer, error) {
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, body)
	if err != nil {
		return answer{}, err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	text, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	return answer{t: s.t, status: response.StatusCode, header: response.Header, text: string(text)}, err
}

// as executes an operation for a subject, nobody's where it is empty. The variables
// are JSON, or empty.
func (s *server) as(subject, query, variables string) answer {
	s.t.Helper()
	headers := map[string]string{"Content-Type": "application/json"}
	if subject != "" {
		headers["Authorization"] = "Bearer " + subject
	}
	body := map[string]any{"query": query}
	if variables != "" {
		body["variables"] = json.RawMessage(variables)
	}
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(http.MethodPost, "/graphql", string(text), headers)
}

// A body that stops arriving is answered, and its connection closed, when its time is over.
func TestASlowBodyIsAnswered(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "body_time=300ms", "--limit", "body=1000").ready()
	for name, c := range map[string]struct{ rest, status string }{
		"it stops":                    {"Content-Length: 500\r\n\r\n{\"query\":", "HTTP/1.1 408 "},
		"it stops, and was too large": {"Transfer-Encoding: chunked\r\n\r\n1000\r\n" + strings.Repeat(" ", 1100), "HTTP/1.1 413 "},
	} {
		t.Run(name, func(t *testing.T) {
			conn := s.connect()
			conn.send("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + c.rest)
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), c.status) {
				t.Errorf("%v %s", err, answer)
			}
		})
	}
}
