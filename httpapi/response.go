package httpapi

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// body is a response as the specification has it: without data where nothing was
// executed, which is not the same as data that is null.
type body struct {
	Errors     gqlerror.List   `json:"errors,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	Extensions map[string]any  `json:"extensions,omitempty"`
}

// writeResponse answers in the media type that the client prefers.
func writeResponse(w http.ResponseWriter, r *http.Request, status int, response *graphql.Response) {
	note(r.Context(), response)
	text, err := json.Marshal(body{response.Errors, response.Data, response.Extensions})
	if err != nil {
		panic(err) // whoever recovers answers with an internal error
	}
	h := w.Header()
	h.Set("Content-Type", accepted(r)+"; charset=utf-8")
	h.Set("Cache-Control", "no-store") // answers depend on who asks, and change
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // nobody is left to tell
}

// accepted returns application/graphql-response+json where the client names it and
// does not prefer application/json, which every client understands.
func accepted(r *http.Request) string {
	weights := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		weights[media] = 1
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			weights[media] = q
		}
	}
	if w := weights[mediaGraphQL]; w > 0 && w >= weights[mediaJSON] {
		return mediaGraphQL
	}
	return mediaJSON
}

// statusOf returns the status of an executed request: 200 as soon as anything was
// answered. A request that was not executed is the client's error, which
// application/json, for the sake of old clients, hides behind a 200.
func statusOf(r *http.Request, response *graphql.Response) int {
	switch {
	case len(response.Errors) == 0, answered(response.Data):
		return http.StatusOK
	case every(response, codeUnavailable):
		return http.StatusServiceUnavailable
	case len(response.Data) == 0 && accepted(r) == mediaGraphQL:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}

// answered reports whether any root field holds more than null.
func answered(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return false
	}
	for _, field := range fields {
		if string(field) != "null" {
			return true
		}
	}
	return false
}

func every(response *graphql.Response, code string) bool {
	for _, err := range response.Errors {
		if codeOf(err) != code {
			return false
		}
	}
	return true
}
