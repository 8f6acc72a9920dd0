package document

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/internal/httpapi/limit"
)

// What takes long to be validated waits for its turn, as long as its client does; what takes little,
// and what is known, does not.
func TestLongValidationsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		schema := gqlparser.MustLoadSchema(&ast.Source{Input: "type Query {a: Int}"})
		d := New(schema, nil, &limit.Default, true)
		turns := make(chan struct{}, 1)
		d.Turns = turns
		long := "{" + strings.Repeat("a ", 200) + "}"
		valid := func(ctx context.Context, text string, done *bool) {
			_, errs := d.Prepare(ctx, nil, text)
			if *done = true; errs != nil {
				t.Error(errs)
			}
		}
		end := d.Turn(t.Context(), ManyUnits)
		ctx, leave := context.WithCancel(t.Context())
		var short, waits, left bool
		go valid(t.Context(), long, &waits)
		go valid(ctx, long+" ", &left)
		valid(t.Context(), "{a}", &short)
		synctest.Wait()
		if waits || left {
			t.Error("it did not wait for its turn")
		}
		leave()
		synctest.Wait()
		if !left || waits {
			t.Error("it waits though its client has left, or another does not though its own has not")
		}
		end()
		synctest.Wait()
		if !waits {
			t.Error("it waits though it is its turn")
		}
		valid(t.Context(), long, &waits)
		if len(turns) > 0 {
			t.Error("a turn was not given back")
		}
	})
}
