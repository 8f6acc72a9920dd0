package httpapi

import (
	"net/http"
	"time"
)

// paceGrace is how long a client may take to begin to read a large answer, and so how far it may
// be behind its pace.
const paceGrace = 10 * time.Second

// pieceBytes is how much of an answer is written at a time.
const pieceBytes = 64 << 10

// paced is an answer that a client has to read at a pace: what it holds of memory is held as long
// as that takes. A client that falls behind is cut off.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	rate    int64 // bytes a second
	began   time.Time
	sent    int64
}

// atPace returns a response of so many bytes that is to be read at a pace; 0: at any, within
// [WriteTimeout]. A small one has the time of its request, for it goes to the system at once.
func atPace(w http.ResponseWriter, bytes int, rate int64) http.ResponseWriter {
	if bytes <= smallAnswer {
		return w
	}
	control, now := http.NewResponseController(w), time.Now()
	if rate == 0 {
		_ = control.SetWriteDeadline(now.Add(WriteTimeout)) // a recorder in tests has none
		return w
	}
	return &paced{ResponseWriter: w, control: control, rate: rate, began: now}
}

func (p *paced) Write(text []byte) (n int, err error) {
	for err == nil && n < len(text) {
		var m int
		m, err = p.piece(text[n:min(n+pieceBytes, len(text))])
		n += m
	}
	return n, err
}

// piece writes what has to be read by when all that was sent is, at the pace.
func (p *paced) piece(text []byte) (int, error) {
	p.sent += int64(len(text))
	reading := time.Duration(float64(p.sent) / float64(p.rate) * float64(time.Second))
	_ = p.control.SetWriteDeadline(p.began.Add(paceGrace + reading)) // a recorder in tests has none
	return p.ResponseWriter.Write(text)
}

// Unwrap is for [http.ResponseController].
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }
