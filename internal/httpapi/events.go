package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/klauspost/compress/gzhttp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

const transportEvents = "sse"

// asEvents reports whether a request is answered by an event stream: a subscription, or where the client accepts
// nothing else.
func (p *prepared) asEvents(r *http.Request) bool {
	rec := record.Of(r.Context())
	return rec.Events && (rec.Media == "" || p.Operation != nil && p.Operation.Operation == ast.Subscription)
}

// streaming answers by an event stream, in the distinct connections mode of GraphQL over Server-Sent Events.
func (a *API) streaming(r *http.Request, s *state, p *prepared) (made answer) {
	slot, tooMany := a.enterLive(r)
	if tooMany != nil {
		return refusing(r, tooMany)
	}
	rec := record.Of(r.Context())
	rec.Transport = transportEvents
	e := &events{api: a, record: rec, slot: slot, request: r}
	e.ctx, e.cancel = context.WithCancelCause(r.Context())
	defer func() {
		if made == nil { // a panic
			e.close()
		}
	}()
	rec.Asker.After = r.Header.Get("Last-Event-ID")
	reply := a.reply(e.ctx, s, p, e)
	return func(w http.ResponseWriter) {
		defer e.close()
		e.begin(w)
		reply()
	}
}

// events is an event stream (HTML, section 9.2), to which answers are written.
type events struct {
	api     *API
	record  *record.Record
	ctx     context.Context
	cancel  context.CancelCauseFunc
	slot    *client.Reservation
	request *http.Request

	mu      sync.Mutex // of what follows
	w       http.ResponseWriter
	control *http.ResponseController
	beat    *time.Timer
	over    bool
	why     error // set when a write fails
}

var _ sink = (*events)(nil)

// begin sends the headers, and begins to show that the stream lives.
func (e *events) begin(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", mediaEvents+"; charset=utf-8")
	h["Cache-Control"] = noStore
	h["Vary"] = append(h["Vary"], vary...)
	h.Set("X-Accel-Buffering", "no") // a proxy that gathers answers gives events late
	if e.api.config.CompressFrom > 0 {
		h.Set(gzhttp.HeaderNoCompression, "true") // it would gather them, too; the header is not sent
	}
	e.record.GraphQL = true
	e.w, e.control = w, http.NewResponseController(w)
	_ = e.control.SetReadDeadline(time.Time{}) // it would end the request; a recorder in tests has none
	w.WriteHeader(http.StatusOK)
	e.write(comment)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beat = time.AfterFunc(e.api.config.Live.KeepAlive, e.heartbeat)
}

// close ends what the stream had. It is called once.
func (e *events) close() {
	e.mu.Lock()
	e.over = true
	if e.beat != nil {
		e.beat.Stop()
	}
	e.mu.Unlock()
	e.cancel(nil)
	e.record.Unsubscribed()
	e.slot.Release()
}

// comment is a line of no event.
var comment = []byte(":\n\n")

// heartbeat sends a comment, by which each side finds out that the other is gone, and judges the token anew.
func (e *events) heartbeat() {
	_, err := e.api.viewer(e.request.Context(), e.request.Header.Values("Authorization"), e.record.Origin.Remote)
	if err != nil && !isBeyond(err) {
		e.cancel(graphqlws.ErrRefused)
		return
	}
	if e.write(comment) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.beat.Reset(e.api.config.Live.KeepAlive)
	}
}

// write sends text at once, which has its own time, and is not copied. Where it is not taken, the stream ends.
func (e *events) write(pieces ...[]byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return false
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(e.api.config.Live.WriteTimeout)) // a recorder in tests has none
	err := writeAll(e.w, pieces)
	if err == nil {
		err = e.control.Flush()
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, os.ErrDeadlineExceeded):
		e.why = graphqlws.ErrSlow
	default:
		e.why = graphqlws.ErrLeft
	}
	e.over = true
	e.cancel(e.why) // it may be late: the HTTP server ends a request that can't be answered
	return false
}

// next sends an answer. JSON without blanks has no line ends.
func (e *events) next(answer body, cursor string) bool {
	head := "event: next\n"
	if cursor != "" {
		head += "id: " + cursor + "\n"
	}
	return e.write(slices.Concat([][]byte{[]byte(head + "data: ")}, answer[:], [][]byte{[]byte("\n\n")})...)
}

// comeBack are the codes at which a client is to connect again, behind the last event, as an EventSource does by itself
// where a stream is not complete.
var comeBack = []string{refusal.CodeShuttingDown, refusal.CodeSlowConsumer, refusal.CodeUnavailable, refusal.CodeUnauthenticated}

func (e *events) fail(errs gqlerror.List) {
	e.next(bodyOf(&graphql.Response{Errors: errs}), "")
	if !slices.Contains(comeBack, refusal.CodeOf(errs[0])) {
		e.complete()
	}
}

func (e *events) complete() { e.write([]byte("event: complete\ndata:\n\n")) }

func (e *events) ended(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return cmp.Or(e.why, context.Cause(ctx))
}
