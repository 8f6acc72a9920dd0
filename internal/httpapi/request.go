package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

// badf is the error of a request that is no GraphQL request.
func badf(status int, format string, args ...any) *refusal.Error {
	return &refusal.Error{Status: status, Code: refusal.CodeBadRequest, Message: fmt.Sprintf(format, args...)}
}

// params is a GraphQL request. Its document is text, or is named.
type params struct {
	graphql.RawParams
	documentID string // of a persisted document; empty: none is named
	own        bool   // the document is the program's
}

// receive reads what HTTP brings of a GraphQL request: the body of a POST. The rest of a GET is in its URL.
func receive(w http.ResponseWriter, r *http.Request, maxBody int64, by *client.Reservation) (body []byte, err error) {
	switch r.Method {
	case http.MethodPost, http.MethodGet, http.MethodHead:
	default:
		if isPreflight(r) { // which the CORS protocol answers where other origins are allowed
			return nil, badf(http.StatusMethodNotAllowed, "no page of another origin may use this server: its operator allows some by --cors-origins")
		}
		return nil, badf(http.StatusMethodNotAllowed, "use POST, or GET for a query")
	}
	media, events := negotiate(r)
	if media == "" && !events {
		return nil, badf(http.StatusNotAcceptable, "answers are %s, %s or %s, and the request accepts none of them", mediaGraphQL, mediaJSON, mediaEvents)
	}
	rec := record.Of(r.Context())
	rec.Media, rec.Events = media, events
	if r.Method == http.MethodPost {
		if err := checkContent(r.Header); err != nil {
			return nil, err
		}
		return readBody(w, r, maxBody, by)
	}
	return nil, nil
}

// readParams reads a GraphQL request from what was received.
func (s *state) readParams(r *http.Request, body []byte) (*params, error) {
	if r.Method != http.MethodPost {
		return readGet(r)
	}
	defer s.turn(r.Context(), len(body))()
	return decodeParams(body)
}

// longText is from how many bytes on JSON is read in turns: so much takes about a millisecond.
const longText = 64 << 10

// turn waits until JSON of so many bytes may be read, and returns what ends that.
func (s *state) turn(ctx context.Context, bytes int) (end func()) {
	return s.texts.Turn(ctx, bytes/longText*document.ManyUnits)
}

func checkContent(h http.Header) error {
	if text := h.Get("Content-Type"); text != mediaJSON {
		mediaType, attributes, err := mime.ParseMediaType(text)
		if err != nil || mediaType != mediaJSON {
			return badf(http.StatusUnsupportedMediaType, "send the request as Content-Type: application/json")
		}
		if charset := attributes["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
			return badf(http.StatusUnsupportedMediaType, "send the request in UTF-8")
		}
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return badf(http.StatusUnsupportedMediaType, "send the request without a Content-Encoding")
	}
	return nil
}

const (
	// smallBody is up to which length, in bytes, there is memory for a body before it comes.
	smallBody = 4 << 10

	// bodyCopies is how many times a body is in memory: as it came, with as much again where it grew, and the texts
	// that were read from it.
	bodyCopies = 3
)

var errFull = refusal.New(refusal.CodeUnavailable, "too many large requests are on their way: try again later").Beyond(limit.Bodies.String())

// readBody reads a bounded body. The server's deadline for reading ends with a whole one: past it the operation would
// be cancelled as if the client had left. It stays for what does not arrive, which the server reads behind the answer.
func readBody(w http.ResponseWriter, r *http.Request, maxBody int64, by *client.Reservation) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, tooLarge(maxBody) // nothing of it is read
	}
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0), smallBody)) + bytes.MinRead)
	_, err := body.ReadFrom(reserving{http.MaxBytesReader(w, r.Body, maxBody), by, &record.Of(r.Context()).Asker.Work})
	if err == nil {
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a recorder in tests has none
		return body.Bytes(), nil
	}
	var refused *refusal.Error
	var beyond *http.MaxBytesError
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, badf(http.StatusRequestTimeout, "the body did not arrive in time").Beyond(limit.BodyTime.String())
	case errors.As(err, &beyond):
		return nil, tooLarge(maxBody)
	}
	return nil, badf(http.StatusBadRequest, "the body did not arrive whole")
}

// reserving reads a body, and pays for what has come, as long as there is memory for it.
type reserving struct {
	io.Reader
	by     *client.Reservation
	budget *client.Budget
}

func (r reserving) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if refused := r.by.Reserve(bodyCopies * n); refused != nil {
		return n, refused
	}
	if !r.budget.Move(n) {
		return n, r.budget.Beyond()
	}
	return n, err
}

func tooLarge(maxBody int64) error {
	return badf(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", maxBody).Beyond(limit.Body.String())
}

// decodeParams reads a request from a JSON object. Its names differ by case.
func decodeParams(body []byte) (*params, error) {
	if !utf8.Valid(body) {
		return nil, badf(http.StatusBadRequest, "the body is not UTF-8")
	}
	if countValues(body) > maxValues {
		return nil, tooManyValues()
	}
	var fields map[string]any
	if err := decodeJSON(body, &fields); err != nil {
		return nil, badJSON(err)
	}
	var p params
	err := errors.Join(
		take("query", fields["query"], &p.Query, "a string"),
		take("operationName", fields["operationName"], &p.OperationName, "a string"),
		take("documentId", fields["documentId"], &p.documentID, "a string"),
		take("variables", fields["variables"], &p.Variables, "a JSON object"),
		take("extensions", fields["extensions"], &p.Extensions, "a JSON object"))
	if err != nil {
		return nil, err
	}
	relayID, _ := fields["doc_id"].(string) // what is no string is the client's own
	id, _ := fields["id"].(string)
	return p.withDocument(fields["query"] != nil, relayID, id)
}

// take stores a value that may be absent or null.
func take[T any](name string, value any, into *T, kind string) (err error) {
	if value == nil {
		return nil
	}
	var ok bool
	if *into, ok = value.(T); !ok {
		err = badf(http.StatusBadRequest, "%s must be %s", name, kind)
	}
	return err
}

var errMoreThanJSON = errors.New("there is more behind the JSON object")

// decodeJSON reads one JSON object or null. Numbers stay as they were written.
func decodeJSON(text []byte, into *map[string]any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errMoreThanJSON
	}
	return nil
}

// maxValues bounds the values of a request's JSON, each of which takes some twenty times its text. A list of ids has
// 100.
const maxValues = 20_000

// countValues returns how many commas, colons and opening brackets a text has outside of strings: about as many values
// of JSON.
func countValues(text []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == ',' || c == ':' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

func tooManyValues() error {
	return badf(http.StatusRequestEntityTooLarge, "the JSON has more than %d values", maxValues).Beyond(refusal.LimitValues)
}

// badJSON says what is wrong with a body, and repeats nothing of it.
func badJSON(err error) error {
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &mistyped):
		return badf(http.StatusBadRequest, "the body must be one JSON object, not a JSON %s", mistyped.Value)
	case errors.Is(err, errMoreThanJSON):
		return badf(http.StatusBadRequest, "the body is not JSON: %v", errMoreThanJSON)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return badf(http.StatusBadRequest, "the body is not JSON: it ends too early")
	case errors.As(err, &syntax):
		return badf(http.StatusBadRequest, "the body is not JSON: byte %d is out of place", syntax.Offset)
	default:
		return badf(http.StatusBadRequest, "the body is not JSON")
	}
}

func readGet(r *http.Request) (*params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badf(http.StatusBadRequest, "the URL's query is malformed")
	}
	for _, given := range values {
		if len(given) > 1 || !utf8.ValidString(given[0]) {
			return nil, badf(http.StatusBadRequest, "a parameter of the URL is given more than once, or is not UTF-8")
		}
	}
	var p params
	p.Query, p.OperationName, p.documentID = values.Get("query"), values.Get("operationName"), values.Get("documentId")
	err = errors.Join(
		decodeObject("variables", []byte(values.Get("variables")), &p.Variables),
		decodeObject("extensions", []byte(values.Get("extensions")), &p.Extensions))
	if err != nil {
		return nil, err
	}
	return p.withDocument(values.Has("query"), values.Get("doc_id"), values.Get("id"))
}

// withDocument returns the request if it has a document, or names one, as Relay's clients do by doc_id or id.
func (p *params) withDocument(hasText bool, relayIDs ...string) (*params, error) {
	if p.Query == "" && p.documentID == "" {
		p.documentID = cmp.Or(relayIDs...)
	}
	switch {
	case p.Query != "" && p.documentID != "":
		return nil, badf(http.StatusBadRequest, "send query or documentId, not both")
	case !hasText && p.documentID == "" && p.Extensions["persistedQuery"] == nil:
		return nil, badf(http.StatusBadRequest, "the request has no query")
	default:
		return p, nil
	}
}

// decodeObject reads a JSON object that may be absent or null.
func decodeObject(name string, text []byte, into *map[string]any) error {
	switch {
	case len(text) == 0:
		return nil
	case countValues(text) > maxValues:
		return tooManyValues()
	case decodeJSON(text, into) != nil:
		return badf(http.StatusBadRequest, "%s must be a JSON object", name)
	default:
		return nil
	}
}

// isPreflight reports whether a browser asks by a request what a page may send (the Fetch standard).
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header["Origin"] != nil && r.Header["Access-Control-Request-Method"] != nil
}

// isSafe reports whether a method changes nothing (RFC 9110, section 9.2.1).
func isSafe(method string) bool { return method == http.MethodGet || method == http.MethodHead }
