package document

import (
	"context"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/client"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/refusal"
)

// The work that a new document takes, in units of a tenth of a millisecond. A document that is
// kept takes none.
const (
	textUnit       = 4 << 10 // bytes that are parsed
	selectionUnit  = 16      // selections that are validated
	comparisonUnit = 400     // fields that are compared
)

// Work is what a client may have done for it.
type Work interface{ Begin(units int) bool } // pays for work before it is done; false: it is not to be done

// begin begins units of work, of any amount where there is no bound.
func begin(by Work, units int) *gqlerror.Error {
	if by == nil || by.Begin(units) {
		return nil
	}
	return refusal.Beyond(refusal.CodeRateLimited, limit.Work.String(), "the client's budget of work is used up: try again later").GraphQL()
}

func textUnits(text string) int { return len(text)/textUnit + 1 }

func validationUnits(s size, comparisons int) int {
	return s.selections/selectionUnit + comparisons/comparisonUnit
}

// manyUnits is from how many units on documents are parsed, and validated, in turns.
const manyUnits = 10

// turn waits until what takes so many units may be done, and returns what ends that. What takes long
// leaves a processor free, as large answers do. Where the client leaves there is nothing to wait for.
func (d *Documents) turn(ctx context.Context, units int) (end func()) {
	if units < manyUnits {
		return func() {}
	}
	return client.Enter(d.Turns, ctx.Done())
}
