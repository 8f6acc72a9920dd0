package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// The longest that the access log shows of what a client chose, in bytes.
const (
	shownName      = 100
	shownPath      = 200
	shownUserAgent = 200
	shownMethod    = 20
)

// access writes a request's line. docs/operations.md tells its fields. Never in it:
// what a query string, a body or a token holds.
func (a *API) access(r *http.Request, rec *record, took time.Duration) {
	level := slog.LevelDebug // probes and pages
	if rec.graphql {
		level = slog.LevelInfo
	}
	if !a.config.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 16),
		slog.String("method", cut(r.Method, shownMethod)),
		slog.String("path", cut(r.URL.Path, shownPath)),
		slog.Int("status", rec.status),
		slog.Int64("bytes", rec.bytes),
		slog.Duration("took", took.Round(time.Microsecond)),
		slog.String("request", rec.asker.RequestID),
		slog.String("remote", clientAddress(r, a.config.TrustedProxies).String()),
		slog.String("user_agent", cut(r.UserAgent(), shownUserAgent)))
	if rec.graphql {
		attrs = append(attrs,
			slog.String("operation", rec.operation),
			slog.String("name", cut(rec.name, shownName)),
			slog.String("code", rec.code),
			slog.Int64("statements", rec.statements.Load()),
			slog.Int64("partitions", rec.partitions.Load()))
	}
	if rec.cost != costUnknown {
		attrs = append(attrs, slog.Int("cost", rec.cost))
	}
	a.config.Log.LogAttrs(r.Context(), level, "request", append(attrs, rec.noted()...)...)
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
