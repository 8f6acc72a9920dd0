package harness

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Answer is an HTTP response, read.
type Answer struct {
	T      testing.TB
	Status int
	Header http.Header
	Text   string
}

// Get makes a request, and fails t where nothing answers.
func (s *Server) Get(path string) Answer {
	s.T.Helper()
	return s.Do(http.MethodGet, path, "", nil)
}

// Do makes a request, and fails t where nothing answers.
func (s *Server) Do(method, path, body string, headers map[string]string) Answer {
	s.T.Helper()
	a, err := s.Try(method, path, strings.NewReader(body), headers)
	if err != nil {
		s.T.Fatal(err)
	}
	return a
}

// Try is Do where nothing may answer.
func (s *Server) Try(method, path string, body io.Reader, headers map[string]string) (Answer, error) {
	request, err := http.NewRequestWithContext(s.T.Context(), method, s.URL+path, body)
	if err != nil {
		return Answer{}, err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	text, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	return Answer{T: s.T, Status: response.StatusCode, Header: response.Header, Text: string(text)}, err
}

// As executes an operation for a subject, nobody's where it is empty. The variables
// are JSON, or empty.
func (s *Server) As(subject, query, variables string) Answer {
	s.T.Helper()
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
		s.T.Fatal(err)
	}
	return s.Do(http.MethodPost, "/graphql", string(text), headers)
}

// NullOr returns a text as JSON, null where it is empty.
func NullOr(text string) string {
	if text == "" {
		return "null"
	}
	return `"` + text + `"`
}
