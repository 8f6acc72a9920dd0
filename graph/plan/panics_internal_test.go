package plan

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// Whatever panics while an answer is made, in whichever of its goroutines, is an error of it:
// the writing of a field's value, and what intercepts root fields.
func TestPanicsAreErrorsOfTheAnswer(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"written", "intercepted"} {
		for _, panicking := range []string{"a", "b"} { // the first is written beside the second
			oc := operationOf(t, schema, "{ a b }")
			oc.RecoverFunc = func(_ context.Context, cause any) error { return fmt.Errorf("panic: %v", cause) }
			oc.RootResolverMiddleware = func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
				if where == "intercepted" && graphql.GetRootFieldContext(ctx).Object == panicking {
					panic("boom")
				}
				return next(ctx)
			}
			ctx := graphql.WithOperationContext(t.Context(), oc)
			ctx = graphql.WithResponseContext(ctx, graphql.DefaultErrorPresenter, oc.RecoverFunc)
			answer := Execute(0, ctx, New(schema, nil).Of(oc), func(_ int, _ context.Context, w *Writer, f *Field, _ *struct{}) bool {
				if where == "written" && f.Name == panicking {
					panic("boom")
				}
				w.Bytes = append(w.Bytes, '7')
				return true
			})
			want := strings.Replace(`{"a":7,"b":7}`, `"`+panicking+`":7`, `"`+panicking+`":null`, 1)
			if errs := graphql.GetErrors(ctx); string(answer) != want || len(errs) != 1 || !strings.Contains(errs[0].Error(), "boom") {
				t.Errorf("%s, %s: %s, %v; want %s and one error", where, panicking, answer, errs, want)
			}
		}
	}
}
