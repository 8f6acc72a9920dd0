package httpapi

import (
	"net/http"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/client"
	"broadsheet/internal/refusal"
)

// sharedAnswer is what several requests are answered with. One with errors that may pass is an error instead, and so the
// answer to one request.
type sharedAnswer struct {
	response *graphql.Response
	data     data
}

func (s *sharedAnswer) Error() string { return s.response.Errors.Error() }

// passes reports whether an error is a failure, and not the answer to every such request, as that a limit is reached.
func passes(err *gqlerror.Error) bool {
	switch refusal.CodeOf(err) {
	case refusal.CodeInternal, refusal.CodeUnavailable, refusal.CodeTimeout:
		return refusal.LimitOf(err) == ""
	case refusal.CodeRateLimited: // of the client for which it was made
		return true
	}
	return false
}

// question is what a request says, byte for byte: no request that says the same means anything else.
type question struct {
	posted bool // it is a body, else a URL's query
	text   string
}

func questionOf(r *http.Request, body []byte) question {
	if r.Method == http.MethodPost {
		return question{true, string(body)}
	}
	return question{false, r.URL.RawQuery}
}

// data is that of an answer, which is reserved once for all requests that share it: from when the first of them holds
// it until the last one is written.
type data struct {
	text []byte // JSON

	mu          sync.Mutex
	holders     int
	reservation *client.Reservation // while there are holders
}

// hold returns the data, which is to be released, or why there is no memory for it. The first to hold it reserves it,
// of its client's share.
func (d *data) hold(answers *client.Answers, share *client.Share) (text []byte, err *refusal.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holders == 0 {
		reservation := answers.Sending(share)
		if refused := reservation.Reserve(len(d.text)); refused != nil {
			return nil, refused // it holds nothing
		}
		d.reservation = reservation
	}
	d.holders++
	return d.text, nil
}

// release ends what hold began.
func (d *data) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holders--; d.holders == 0 {
		d.reservation.Release()
	}
}
