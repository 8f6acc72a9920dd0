package resolvers

import (
	"context"
	"errors"
	"log/slog"
	"maps"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/internal/live"
	"broadsheet/internal/refusal"
)

// codes turns every kind into a code.
var codes = map[blog.Kind]string{
	blog.Internal:        refusal.CodeInternal,
	blog.Invalid:         refusal.CodeBadUserInput,
	blog.TooLong:         refusal.CodeBadUserInput,
	blog.Taken:           refusal.CodeBadUserInput,
	blog.NotFound:        refusal.CodeUnavailable, // deleted between two reads of one request: asked again, the answer is whole
	blog.Forbidden:       refusal.CodeForbidden,
	blog.VersionConflict: refusal.CodeBadUserInput,
	blog.Unavailable:     refusal.CodeUnavailable,
	blog.Timeout:         refusal.CodeTimeout,
	blog.Expired:         refusal.CodeCursorExpired,
	blog.Suspended:       refusal.CodeForbidden,
}

// messages stand in for errors that bring no text for a person, and hide the text
// of those that must not show theirs.
var messages = map[string]string{
	refusal.CodeInternal:    "internal error",
	refusal.CodeTimeout:     "the deadline passed before the answer was there; a write may have happened or not",
	refusal.CodeUnavailable: "the store can't answer now; try again later",
}

// ending returns the error that ends a subscription as a client sees it.
func ending(err error) error {
	for cause, code := range map[error]string{
		live.ErrSlow: refusal.CodeSlowConsumer, live.ErrStopped: refusal.CodeShuttingDown, errTokenExpired: refusal.CodeUnauthenticated,
	} {
		if errors.Is(err, cause) {
			return refusal.New(code, cause.Error()).GraphQL()
		}
	}
	return err
}

// presenter returns what turns any error into the one that a client sees. What a
// client can't mend is logged with its cause.
func presenter(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := present(err)
		locate(ctx, shown)
		report(ctx, log, shown, err)
		return shown
	}
}

func present(err error) *gqlerror.Error {
	known, isKnown := errors.AsType[*gqlerror.Error](err)
	if isKnown && known.Extensions["code"] != nil {
		shown := *known
		shown.Extensions = maps.Clone(known.Extensions)
		return &shown
	}
	shown := &gqlerror.Error{Err: err}
	if isKnown {
		shown.Path, shown.Locations = known.Path, known.Locations
	}
	code := codes[blog.KindOf(err)]
	shown.Message = messages[code]
	if domain, ok := errors.AsType[*blog.Error](err); ok && code != refusal.CodeInternal && domain.Message != "" {
		shown.Message = (&blog.Error{Field: domain.Field, Message: domain.Message}).Error()
	}
	shown.Extensions = map[string]any{"code": code}
	return shown
}

// locate completes where in the response and in the query the error arose. gqlgen
// lengthens the path of a field by that of its argument; a response has no such
// place, so the message names the argument.
func locate(ctx context.Context, shown *gqlerror.Error) {
	field := graphql.GetFieldContext(ctx)
	if field == nil || field.Field.Field == nil {
		return
	}
	path := field.Path()
	if len(shown.Path) > len(path) {
		shown.Message = shown.Path[len(path):].String() + ": " + shown.Message
	}
	shown.Path = path
	if at := field.Field.Position; at != nil && len(shown.Locations) == 0 {
		shown.Locations = []gqlerror.Location{{Line: at.Line, Column: at.Column}}
	}
}

func report(ctx context.Context, log *slog.Logger, shown *gqlerror.Error, cause error) {
	code, level := refusal.CodeOf(shown), slog.LevelWarn
	switch code {
	case refusal.CodeInternal:
		level = slog.LevelError
	case refusal.CodeTimeout, refusal.CodeUnavailable:
	default:
		return
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		level = slog.LevelDebug // the client has left
	}
	attrs := []slog.Attr{slog.String("code", code), slog.String("path", shown.Path.String()), slog.Any("error", cause)}
	if id := AskerOf(ctx).RequestID; id != "" {
		attrs = append(attrs, slog.String("request", id))
		shown.Extensions["requestId"] = id
	}
	log.LogAttrs(ctx, level, "a request failed", attrs...)
}

// recovered makes an error of a panic; the presenter logs and hides it.
func recovered(_ context.Context, cause any) error { return blog.Panicked(cause) }
