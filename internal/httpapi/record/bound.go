package record

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/internal/refusal"
)

// Bound keeps an answer to a request that is wrong all over from being larger than
// the request.
func Bound(ctx context.Context, response *graphql.Response) {
	if len(response.Errors) > refusal.MaxErrors {
		Of(ctx).Limited(refusal.LimitErrors)
		response.Errors = response.Errors[:refusal.MaxErrors:refusal.MaxErrors]
	}
	for i, err := range response.Errors {
		// A message in bytes is not shorter than in code points.
		if len(err.Message) <= refusal.MaxErrorMessage {
			continue
		}
		if text := []rune(err.Message); len(text) > refusal.MaxErrorMessage {
			short := *err
			short.Message = string(text[:refusal.MaxErrorMessage-1]) + "…"
			response.Errors[i] = &short
		}
	}
}
