package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

const transportWebSocket = "websocket"

// webSocket opens a socket for a request that is authenticated, and returns.
func (a *API) webSocket(w http.ResponseWriter, r *http.Request) {
	if s := a.state.Load(); s.refusal != nil {
		refuse(w, r, s.refusal)
		return
	}
	if !a.mayOpen(r) {
		refuse(w, r, &refusal.Error{Status: http.StatusForbidden, Code: refusal.CodeForbidden, Message: "pages of this origin may not use the API: --cors-origins names those that may"})
		return
	}
	slot, tooMany := a.enterLive(r)
	if tooMany != nil {
		refuse(w, r, tooMany)
		return
	}
	rec := record.Of(r.Context())
	c := &session{api: a, slot: slot, origin: rec.Origin, token: r.Header.Values("Authorization"), viewer: rec.Asker.Bearer}
	refused := func(status int, err error) {
		refuse(w, r, badf(status, "%s", strings.TrimPrefix(err.Error(), "websocket: ")))
	}
	a.metrics.Sockets.Inc()
	if !a.sockets.Open(w, r, c, refused) {
		a.metrics.Sockets.Dec()
		slot.Release()
	}
}

// session is a socket's side of the API: the client that its operations are executed for.
type session struct {
	api    *API
	slot   *client.Reservation
	origin record.Origin
	token  []string    // Authorization, of the handshake's header, then of connection_init where that has a token
	viewer blog.Bearer // that it stands for
}

var _ graphqlws.Session = (*session)(nil)

// Closed counts the socket off.
func (c *session) Closed(code int) {
	c.api.metrics.Closed(code)
	c.slot.Release()
}

// Init judges the token of connection_init. One that is bad closes the socket with 4403: at 4401 clients would not come
// back.
func (c *session) Init(payload []byte) (expires time.Time, refused *graphqlws.Close) {
	values, err := authorizationOf(payload)
	if err == nil && len(values) > 0 {
		c.token = values
		c.viewer, err = c.judged()
	}
	return c.viewer.Expires, closeFor(err)
}

// Judge judges the token as that of a request is.
func (c *session) Judge() *graphqlws.Close {
	_, err := c.judged()
	if isBeyond(err) {
		return nil // it is not known to be bad
	}
	return closeFor(err)
}

func (c *session) judged() (blog.Bearer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.api.config.Limits.Time(limit.Deadline))
	defer cancel()
	return c.api.viewer(ctx, c.token, c.origin.Remote)
}

// closeFor returns how a socket is closed whose token is not taken.
func closeFor(err error) *graphqlws.Close {
	switch {
	case err == nil:
		return nil
	case blog.KindOf(err) == blog.Unavailable, isBeyond(err):
		return &graphqlws.Close{Code: graphqlws.CodeTryAgainLater, Reason: err.Error()}
	default:
		return &graphqlws.Close{Code: graphqlws.CodeForbidden, Reason: err.Error()}
	}
}

// authorizationOf returns the values of connection_init's Authorization, in any case, as those of a header. Null is
// none.
func authorizationOf(payload []byte) (values []string, err error) {
	var fields map[string]any
	err = decodeObject("the payload", payload, &fields)
	for name, value := range fields {
		if !strings.EqualFold(name, "Authorization") || value == nil {
			continue
		}
		text, ok := value.(string)
		if !ok {
			return nil, errAuthorization
		}
		values = append(values, text)
	}
	return values, err
}

// Message takes of the memory for bodies, and of its client's budget.
func (c *session) Message() graphqlws.Message {
	e := &exchange{session: c, record: record.New(rand.Text(), c.origin)}
	c.api.hasCome(e.record, c.viewer)
	e.Reservation, e.paid = c.api.bodies.For(&e.record.Asker.Work.Client.Bodies, true), e.record.Asker.Work.Pay(1)
	return e
}

// Reserve has a message in memory as often as a body is, and paid as one.
func (e *exchange) Reserve(bytes int) bool {
	refused := e.Reservation.Reserve(bodyCopies * bytes)
	if refused == nil && (!e.paid || !e.record.Asker.Work.Move(bytes)) {
		refused = e.record.Asker.Work.Beyond()
	}
	if refused != nil {
		e.api.metrics.Limited.WithLabelValues(refused.Limit).Inc()
	}
	return refused == nil
}

// Read is a method of [graphqlws.Message].
func (e *exchange) Read(bytes int) (end func()) {
	return e.api.state.Load().turn(context.Background(), bytes)
}

// Operation reads a request, whose names are those of a body, if its client may have more done.
func (e *exchange) Operation(payload []byte) (graphqlws.Runner, error) {
	if err := e.record.Asker.Work.BeginRequest(0); err != nil { // its bytes are paid
		e.tooMuch = err
		return e, nil
	}
	defer e.Read(len(payload))()
	params, err := decodeParams(payload)
	if err != nil {
		return nil, err
	}
	e.params, e.asked = params, question{posted: true, text: string(payload)}
	return e, nil
}

// exchange is a message of a socket, and then its operation, a request of its own with an id, a line in the log, and a
// span.
type exchange struct {
	*session
	record *record.Record

	*client.Reservation      // of the message, until it is taken
	paid                bool // for itself

	tooMuch error // why nothing was read of it; nil: it was
	params  *params
	asked   question

	operation *graphqlws.Operation
	ctx       context.Context
	began     time.Time
}

var (
	_ graphqlws.Runner = (*exchange)(nil)
	_ sink             = (*exchange)(nil)
)

// Begin executes an operation, or opens its stream, and forgets what was asked.
func (e *exchange) Begin(ctx context.Context, o *graphqlws.Operation) (answer func()) {
	rec := e.record
	rec.Transport, rec.GraphQL, rec.Status = transportWebSocket, true, http.StatusSwitchingProtocols
	e.operation, e.began = o, time.Now()
	e.ctx = e.api.spans.Begin(rec.In(ctx))
	e.api.metrics.InFlight.Inc()
	defer func() { e.params, e.asked = nil, question{} }()
	e.Reservation.Release() // the socket may not have yet, and what the message took is taken again
	s, reservation := e.api.state.Load(), e.api.bodies.For(&rec.Asker.Work.Client.Bodies, true)
	defer reservation.Release()
	switch refused := reservation.Reserve(bodyCopies * len(e.asked.text)); {
	case e.tooMuch != nil:
		return e.refused(e.tooMuch)
	case refused != nil:
		return e.refused(refused)
	case s.refusal != nil:
		return e.refused(s.refusal)
	}
	leave, ok := e.api.gate.enter(e.ctx)
	if !ok {
		return e.refused(errBusy)
	}
	defer leave()
	return e.execute(s)
}

// End ends what Begin began, and answers for an operation that panicked.
func (e *exchange) End(panicked any) {
	if panicked != nil {
		e.api.logPanic(e.ctx, slog.LevelError, "an operation panicked", panicked)
		e.api.fail(e.ctx, e, internalErrors(e.ctx))
	}
	e.record.Unsubscribed()
	e.api.metrics.InFlight.Dec()
	e.api.spans.End(e.ctx)
	e.api.answered(e.ctx, e.record, time.Since(e.began))
}

func (e *exchange) refused(err error) reply {
	return func() { e.api.fail(e.ctx, e, refusalOf(err).List()) }
}

// execute executes an operation, or opens its stream.
func (e *exchange) execute(s *state) reply {
	p, err := e.api.prepare(e.ctx, s, e.params, e.asked)
	if err != nil {
		return e.refused(err)
	}
	if p.errs == nil && p.Operation.Operation == ast.Subscription {
		p.errs = e.stream(e.api.config.Limits.Int(limit.Subscriptions))
	}
	return e.api.reply(e.ctx, s, p, e)
}

// stream makes the operation one of the socket's streams, or says why it can't be.
func (e *exchange) stream(most int) gqlerror.List {
	switch err := e.operation.Stream(); err {
	case nil:
		return nil
	case graphqlws.ErrTooMany:
		return refusal.New(refusal.CodeRateLimited, fmt.Sprintf("at most %d subscriptions at once are allowed on a WebSocket", most)).Beyond(limit.Subscriptions.String()).List()
	default:
		return endings[graphqlws.ErrLeaving].List()
	}
}

func (e *exchange) next(answer body, _ string) bool {
	e.record.Bytes += int64(answer.len())
	return e.operation.Next(answer[:]...)
}

func (e *exchange) fail(errs gqlerror.List) {
	text, err := json.Marshal(errs)
	if err != nil {
		panic(err) // their extensions are ours
	}
	e.record.Bytes += int64(len(text))
	e.operation.Error(text)
}

func (e *exchange) complete() { e.operation.Complete() }

func (e *exchange) ended(ctx context.Context) error { return context.Cause(ctx) }
