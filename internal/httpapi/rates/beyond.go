package rates

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/refusal"
)

// Beyond says that a client has used up what a limit gives it.
type Beyond struct {
	Limit   limit.Name
	What    string // is used up
	Seconds int    // until the client may try again
}

func (e *Beyond) Error() string {
	return e.What + ": try again in " + strconv.Itoa(e.Seconds) + " s"
}

// List is the errors of an answer.
func (e *Beyond) List() gqlerror.List {
	return refusal.Beyond(refusal.CodeRateLimited, e.Limit.String(), e.Error())
}
