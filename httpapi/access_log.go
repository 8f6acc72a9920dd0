package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"broadsheet/resolvers"
)

// The longest that the access log shows of what a client chose, in bytes.
const (
	shownName      = 100
	shownPath      = 200
	shownUserAgent = 200
	shownMethod    = 20
)

// origin is where a request came from.
type origin struct {
	method, path, userAgent string // as they are shown
	remote                  netip.Addr
}

func (a *API) originOf(r *http.Request) origin {
	return origin{
		method: cut(r.Method, shownMethod), path: cut(r.URL.Path, shownPath), userAgent: cut(r.UserAgent(), shownUserAgent),
		remote: a.config.TrustedProxies.Client(r),
	}
}

// access writes a request's line. docs/operations.md tells its fields. Never in it:
// what a query string, a body or a token holds.
func (a *API) access(ctx context.Context, rec *record, took time.Duration, from func() origin) {
	level := slog.LevelDebug // probes and pages
	if rec.graphql {
		level = slog.LevelInfo
	}
	if !a.config.Log.Enabled(ctx, level) {
		return
	}
	of := from()
	attrs := append(make([]slog.Attr, 0, 18),
		slog.String("method", of.method),
		slog.String("path", of.path),
		slog.Int("status", rec.status),
		slog.Int64("bytes", rec.bytes),
		slog.Duration("took", took.Round(time.Microsecond)),
		slog.String("request", rec.asker.RequestID),
		slog.String("remote", of.remote.String()),
		slog.String("user_agent", of.userAgent))
	if rec.transport != "" {
		attrs = append(attrs, slog.String("transport", rec.transport))
	}
	if rec.graphql {
		attrs = append(attrs,
			slog.String("operation", rec.operation),
			slog.String("name", cut(rec.name, shownName)),
			slog.String("code", rec.code),
			slog.Int64("statements", rec.statements.Load()),
			slog.Int64("partitions", rec.partitions.Load()))
	}
	if len(rec.asker.UserErrors) > 0 {
		attrs = append(attrs, slog.String("user_errors", userErrorCodes(rec.asker.UserErrors)))
	}
	if rec.cost != costUnknown {
		attrs = append(attrs, slog.Int("cost", rec.cost))
	}
	a.config.Log.LogAttrs(ctx, level, "request", append(attrs, rec.noted()...)...)
}

// userErrorCodes lists the codes, at most twenty.
func userErrorCodes(all []resolvers.UserError) string {
	codes := make([]string, min(len(all), maxErrors))
	for i := range codes {
		codes[i] = all[i].Code
	}
	return strings.Join(codes, ",")
}

// cut returns at most n bytes of a text that a client chose, as valid UTF-8. Line
// ends and controls are escaped by the log.
func cut(text string, n int) string { return strings.ToValidUTF8(text[:min(len(text), n)], "") }

// noteAttrs adds to what a request's line in the access log says, as the id of its trace.
// Outside of a request it does nothing.
func noteAttrs(ctx context.Context, attrs ...slog.Attr) {
	if r := recordOf(ctx); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.attrs = append(r.attrs, attrs...)
	}
}
