package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
	"broadsheet/resolvers"
)

// WriteTimeout is how long a client may take to read a message or an event, and an answer that is not read at a pace.
const WriteTimeout = 30 * time.Second

// writeResponse answers in the media type that the client prefers. No cache may keep the
// answer, for it may depend on the viewer, or be an error that passes.
func writeResponse(w http.ResponseWriter, r *http.Request, status int, response *graphql.Response) {
	writeBody(w, status, writeHead(w, r, status, response))
}

// writeBody writes the body of an answer that no cache may keep.
func writeBody(w http.ResponseWriter, status int, b body) {
	h := w.Header()
	h["Cache-Control"] = noStore
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Length", strconv.Itoa(b.len()))
	w.WriteHeader(status)
	_ = b.writeTo(w) // the client has left
}

// writeHead sets the headers that all answers have, and returns the body.
func writeHead(w http.ResponseWriter, r *http.Request, status int, response *graphql.Response) body {
	record.Bound(r.Context(), response)
	record.Note(r.Context(), response)
	b := bodyOf(response)
	h := w.Header()
	h["Content-Type"] = contentTypes[accepted(r)]
	if others := h["Vary"]; others != nil {
		h["Vary"] = append(others, vary...)
	} else {
		h["Vary"] = vary
	}
	if rec := record.Of(r.Context()); rec != nil {
		writeBudget(h, &rec.Asker.Work, status)
	}
	return b
}

// Headers that many answers share. None of them is changed in place.
var (
	contentTypes = map[string][]string{
		mediaJSON:    {mediaJSON + "; charset=utf-8"},
		mediaGraphQL: {mediaGraphQL + "; charset=utf-8"},
	}
	vary    = []string{"Accept, Authorization"}
	noStore = []string{"no-store"}
)

// accepted returns the media type to answer in: application/json where the client accepts neither.
func accepted(r *http.Request) string {
	if rec := record.Of(r.Context()); rec != nil && rec.Media != "" {
		return rec.Media
	}
	media, _ := negotiate(r)
	return cmp.Or(media, mediaJSON)
}

// statusOf returns the status of an executed request: 200 as soon as anything was answered. A request that was not
// executed is the client's error, which application/json, for the sake of old clients, hides behind a 200.
func statusOf(r *http.Request, response *graphql.Response) int {
	switch {
	case len(response.Errors) == 0, answered(response.Data), response.Errors[0].Extensions[resolvers.Executed] != nil:
		return http.StatusOK
	case every(response, refusal.CodeUnavailable):
		return http.StatusServiceUnavailable
	case every(response, refusal.CodeRateLimited):
		return http.StatusTooManyRequests
	case len(response.Data) > 0 || accepted(r) != mediaGraphQL:
		return http.StatusOK
	case every(response, refusal.CodeForbidden):
		return http.StatusForbidden
	case every(response, refusal.CodeTimeout):
		return http.StatusServiceUnavailable
	case every(response, refusal.CodeInternal):
		return http.StatusInternalServerError
	default:
		return http.StatusBadRequest
	}
}

// answered reports whether any root field holds more than null.
func answered(data json.RawMessage) bool {
	fields := json.NewDecoder(bytes.NewReader(data))
	if begin, err := fields.Token(); err != nil || begin != json.Delim('{') {
		return false
	}
	for fields.More() {
		_, nameless := fields.Token()
		value, err := fields.Token()
		if nameless != nil || err != nil {
			return false
		}
		if value != nil { // what it holds is not read
			return true
		}
	}
	return false
}

func every(response *graphql.Response, code string) bool {
	for _, err := range response.Errors {
		if refusal.CodeOf(err) != code {
			return false
		}
	}
	return true
}

const (
	// smallAnswer is up to which size, in bytes, an answer goes to the system at once, whether the client reads or not.
	smallAnswer = 4 << 10

	// paceGrace is how long a client may take to begin to read a large answer, and how far it may be behind its pace.
	paceGrace = 10 * time.Second

	// pieceBytes is how much of an answer is written at a time.
	pieceBytes = 64 << 10
)

// paced is an answer that a client has to read at a pace, for it holds memory as long as that takes. A client that
// falls behind is cut off.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	rate    int64 // bytes a second
	began   time.Time
	sent    int64
}

// atPace returns a response of so many bytes that is to be read at a pace; 0: at any, within [WriteTimeout]. A small
// one has the server's time for a request.
func atPace(w http.ResponseWriter, bytes int, rate int64) http.ResponseWriter {
	if bytes <= smallAnswer {
		return w
	}
	control, now := http.NewResponseController(w), time.Now()
	if rate == 0 {
		_ = control.SetWriteDeadline(now.Add(WriteTimeout)) // a recorder in tests has none
		return w
	}
	return &paced{ResponseWriter: w, control: control, rate: rate, began: now}
}

func (p *paced) Write(text []byte) (n int, err error) {
	for err == nil && n < len(text) {
		var m int
		m, err = p.piece(text[n:min(n+pieceBytes, len(text))])
		n += m
	}
	return n, err
}

// piece writes what has to be read by when all that was sent is, at the pace.
func (p *paced) piece(text []byte) (int, error) {
	p.sent += int64(len(text))
	reading := time.Duration(float64(p.sent) / float64(p.rate) * float64(time.Second))
	_ = p.control.SetWriteDeadline(p.began.Add(paceGrace + reading)) // a recorder in tests has none
	return p.ResponseWriter.Write(text)
}

// Unwrap is for [http.ResponseController].
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }
