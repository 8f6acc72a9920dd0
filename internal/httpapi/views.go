package httpapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
	"broadsheet/web"
)

// viewsFrom is from how many bytes on views are compressed: what would fit one packet is not.
const viewsFrom = 1400

// view answers with what a view makes of its query's answer, which is executed as any client's without a token.
func (a *API) view(v web.View) http.Handler {
	return compressed(viewsFrom, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := a.spans.Begin(r.Context())
		defer a.spans.End(ctx)
		r = r.WithContext(ctx)
		rec := record.Of(ctx)
		a.hasCome(rec, blog.Bearer{})
		reserved := a.answers.Sending(&rec.Asker.Work.Client.Answers)
		defer reserved.Release()
		a.writeView(w, r, a.show(r, v, reserved))
	}))
}

// paintedBytes is how much is reserved and paid for each byte of a query's data beside it: it is read, written as text,
// and sent along.
const paintedBytes = 4

// show executes a view's query when it is its turn, and makes its answer.
func (a *API) show(r *http.Request, v web.View, reserved *client.Reservation) web.Shown {
	leave, ok := a.gate.enter(r.Context())
	if !ok {
		return a.failed(r, v, errBusy.List())
	}
	defer leave()
	s := a.state.Load()
	response := a.ask(r, s, v)
	if len(response.Errors) > 0 {
		return a.failed(r, v, response.Errors)
	}
	record.Note(r.Context(), response)
	bytes := paintedBytes * len(response.Data)
	refused := client.ErrUnpaid
	if record.Of(r.Context()).Asker.Work.Move(bytes) {
		refused = reserved.Reserve(bytes)
	}
	if refused != nil {
		return a.failed(r, v, refused.List())
	}
	defer s.turn(r.Context(), bytes)()
	shown, err := v.Shows(r, a.address(r), response.Data)
	if err != nil {
		panic(err) // the query is the program's own, and so is the schema
	}
	return shown
}

func (a *API) ask(r *http.Request, s *state, v web.View) *graphql.Response {
	refused := func(err error) *graphql.Response { return &graphql.Response{Errors: refusalOf(err).List()} }
	if s.refusal != nil {
		return refused(s.refusal)
	}
	ctx := r.Context()
	if err := record.Of(ctx).Asker.Work.BeginRequest(len(r.URL.RawQuery)); err != nil {
		return refused(err)
	}
	text, variables := v.Asks(r)
	p, err := a.prepare(ctx, s, &params{RawParams: graphql.RawParams{Query: text, Variables: variables}, own: true},
		question{posted: true, text: text + string(marshal(variables))}) // which no body is
	switch {
	case err != nil:
		return refused(err)
	case p.errs != nil:
		return s.refused(ctx, p)
	}
	response, data := a.execute(ctx, s, p)
	response.Data = data.text
	return response
}

// missed are the statuses of a view without an answer, by its query's code; others are failures of the server. A wrong
// variable is a part of the address.
var missed = map[string]int{refusal.CodeBadUserInput: 404, refusal.CodeRateLimited: 429,
	refusal.CodeUnavailable: 503, refusal.CodeTimeout: 503, refusal.CodeShuttingDown: 503, refusal.CodeClientLeft: 503}

// failed is a view's answer if its query has none.
func (a *API) failed(r *http.Request, v web.View, errs gqlerror.List) web.Shown {
	record.Note(r.Context(), &graphql.Response{Errors: errs})
	status := cmp.Or(missed[refusal.CodeOf(errs[0])], http.StatusInternalServerError)
	if status == http.StatusNotFound && r.URL.Query().Has("after") {
		status = http.StatusBadRequest
	}
	return v.Fails(status)
}

// writeView writes an answer, or 304 if the client has it.
func (a *API) writeView(w http.ResponseWriter, r *http.Request, shown web.Shown) {
	h := w.Header()
	h.Set("Content-Type", shown.ContentType)
	w = atPace(w, len(shown.Body), int64(a.config.Limits[limit.AnswerPace]))
	if shown.Version == nil {
		switch shown.Status {
		case http.StatusServiceUnavailable:
			h.Set("Retry-After", "1")
		case http.StatusTooManyRequests:
			_, begins, _ := record.Of(r.Context()).Asker.Work.Left()
			h.Set("Retry-After", strconv.Itoa(begins))
		}
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(shown.Status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(shown.Body) // the client may be gone
		}
		return
	}
	sum := sha256.Sum256(shown.Version)
	h.Set("ETag", `W/"`+base64.RawURLEncoding.EncodeToString(sum[:18])+`"`) // of both codings
	h.Set("Cache-Control", "no-cache")
	r.Header.Del("Range") // an answer is whole
	if r.Method == http.MethodHead {
		w = unmeasured{w}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(shown.Body))
}

// address is the server's own: as it is configured, else as the request has it.
func (a *API) address(r *http.Request) string {
	if a.config.PublicURL != "" {
		return a.config.PublicURL
	}
	scheme := "http"
	if from, _ := peer.Parse(r.RemoteAddr); a.config.TrustedProxies.Trust(from) && r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

func (a *API) robots(w http.ResponseWriter, r *http.Request) {
	text := web.Robots(a.address(r))
	a.writeView(w, r, web.Shown{Status: http.StatusOK, ContentType: "text/plain; charset=utf-8", Body: text, Version: text})
}

// CheckPublicURL returns what is wrong with a server's own address, for [Config.PublicURL].
func CheckPublicURL(address string) error {
	if err := CheckOrigin(address); err != nil || strings.Contains(address, "*") {
		return fmt.Errorf("%q is no address of a server: take a scheme and a host, as in https://blog.example.org", address)
	}
	return nil
}
