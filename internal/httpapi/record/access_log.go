package record

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"broadsheet/internal/refusal"
	"broadsheet/resolvers"
)

// The longest that the access log shows of what a client chose, in bytes.
const (
	shownName      = 100
	shownPath      = 200
	shownUserAgent = 200
	shownMethod    = 20
)

// Origin is where a request came from.
type Origin struct {
	method, path, userAgent string     // as they are shown
	Remote                  netip.Addr // of the client
}

// OriginOf returns where a client's request came from.
func OriginOf(r *http.Request, client netip.Addr) Origin {
	return Origin{
		method: cut(r.Method, shownMethod), path: cut(r.URL.Path, shownPath), userAgent: cut(r.UserAgent(), shownUserAgent),
		Remote: client,
	}
}

// Log writes a request's line in the access log, with nothing of a query string, a body or a token. docs/operations.md
// lists its fields.
func (r *Record) Log(ctx context.Context, log *slog.Logger, took time.Duration) {
	level := slog.LevelDebug // probes and pages
	switch {
	case r.Failed():
		level = slog.LevelWarn // of which the log has few where a cause repeats
	case r.GraphQL:
		level = slog.LevelInfo
	}
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 18),
		slog.String("method", r.Origin.method),
		slog.String("path", r.Origin.path),
		slog.Int("status", r.Status),
		slog.Int64("bytes", r.Bytes),
		slog.Duration("took", took.Round(time.Microsecond)),
		slog.String("request", r.Asker.RequestID),
		slog.String("remote", r.Origin.Remote.String()),
		slog.String("user_agent", r.Origin.userAgent))
	if r.Transport != "" {
		attrs = append(attrs, slog.String("transport", r.Transport))
	}
	if r.GraphQL {
		attrs = append(attrs,
			slog.String("operation", r.Operation),
			slog.String("name", cut(r.Name, shownName)),
			slog.String("code", r.Code),
			slog.Int64("statements", r.statements.Load()),
			slog.Int64("partitions", r.partitions.Load()))
	}
	if len(r.Asker.UserErrors) > 0 {
		attrs = append(attrs, slog.String("user_errors", userErrorCodes(r.Asker.UserErrors)))
	}
	if r.Cost != CostUnknown {
		attrs = append(attrs, slog.Int("cost", r.Cost))
	}
	if r.trace != "" {
		attrs = append(attrs, slog.String("trace", r.trace))
	}
	log.LogAttrs(ctx, level, "request", attrs...)
}

// Failed reports whether the request has an error that is the server's, or its store's.
func (r *Record) Failed() bool {
	switch r.Code {
	case refusal.CodeInternal, refusal.CodeTimeout, refusal.CodeUnavailable, refusal.CodeShuttingDown:
		return true
	}
	return false
}

// userErrorCodes lists the codes, at most twenty.
func userErrorCodes(all []resolvers.UserError) string {
	codes := make([]string, min(len(all), refusal.MaxErrors))
	for i := range codes {
		codes[i] = all[i].Code
	}
	return strings.Join(codes, ",")
}

// cut returns at most n bytes of a text that a client chose, as valid UTF-8. The log escapes line ends and controls.
func cut(text string, n int) string { return strings.ToValidUTF8(text[:min(len(text), n)], "") }
