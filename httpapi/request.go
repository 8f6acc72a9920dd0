package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

// badRequest is a request that is no GraphQL request.
type badRequest struct {
	status  int
	limit   string // that it is beyond; empty: none
	message string
}

func (e *badRequest) Error() string { return e.message }

func badf(status int, format string, args ...any) error {
	return &badRequest{status, "", fmt.Sprintf(format, args...)}
}

// readParams reads a GraphQL request from HTTP, as the GraphQL over HTTP
// specification says.
func readParams(w http.ResponseWriter, r *http.Request, maxBody int64) (*graphql.RawParams, error) {
	switch r.Method {
	case http.MethodPost:
		return readPost(w, r, maxBody)
	case http.MethodGet:
		return readGet(r)
	default:
		return nil, badf(http.StatusMethodNotAllowed, "use POST, or GET for a query")
	}
}

func readPost(w http.ResponseWriter, r *http.Request, maxBody int64) (*graphql.RawParams, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" {
		return nil, badf(http.StatusUnsupportedMediaType, "send the request as Content-Type: application/json")
	}
	body, err := readBody(w, r, maxBody)
	if err != nil {
		return nil, err
	}
	return decodeParams(body)
}

// readBody reads a bounded body. The server's deadline for reading ends with it,
// for once it passed, the operation would be cancelled as if the client had left.
func readBody(w http.ResponseWriter, r *http.Request, maxBody int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a recorder in tests has none
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &badRequest{http.StatusRequestEntityTooLarge, limitBody, fmt.Sprintf("the body is larger than %d bytes", maxBody)}
	case err != nil:
		return nil, badf(http.StatusBadRequest, "the body did not arrive whole")
	default:
		return body, nil
	}
}

func decodeParams(body []byte) (*graphql.RawParams, error) {
	var fields struct {
		Query         *string         `json:"query"`
		OperationName string          `json:"operationName"`
		Variables     json.RawMessage `json:"variables"`
		Extensions    json.RawMessage `json:"extensions"`
	}
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, badJSON(err)
	}
	if fields.Query == nil {
		return nil, badf(http.StatusBadRequest, "the JSON object has no query")
	}
	params := &graphql.RawParams{Query: *fields.Query, OperationName: fields.OperationName}
	return params, errors.Join(
		decodeObject("variables", fields.Variables, &params.Variables),
		decodeObject("extensions", fields.Extensions, &params.Extensions))
}

// badJSON says what is wrong with a body, and repeats nothing of it.
func badJSON(err error) error {
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field == "":
		return badf(http.StatusBadRequest, "the body must be one JSON object, not a JSON %s", mistyped.Value)
	case errors.As(err, &mistyped):
		return badf(http.StatusBadRequest, "%s must be a string, not a JSON %s", mistyped.Field, mistyped.Value)
	case errors.As(err, &syntax):
		return badf(http.StatusBadRequest, "the body is not JSON: byte %d is out of place", syntax.Offset)
	default:
		return badf(http.StatusBadRequest, "the body is not JSON")
	}
}

func readGet(r *http.Request) (*graphql.RawParams, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badf(http.StatusBadRequest, "the URL's query is malformed")
	}
	if !values.Has("query") {
		return nil, badf(http.StatusBadRequest, "the URL has no parameter query")
	}
	params := &graphql.RawParams{Query: values.Get("query"), OperationName: values.Get("operationName")}
	return params, errors.Join(
		decodeObject("variables", []byte(values.Get("variables")), &params.Variables),
		decodeObject("extensions", []byte(values.Get("extensions")), &params.Extensions))
}

// decodeObject reads a JSON object that may be absent or null. Numbers stay as
// they were written.
func decodeObject(name string, text []byte, into *map[string]any) error {
	if len(text) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil || d.More() {
		return badf(http.StatusBadRequest, "%s must be a JSON object", name)
	}
	return nil
}
