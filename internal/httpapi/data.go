package httpapi

import (
	"sync"

	"broadsheet/internal/memory"
	"broadsheet/internal/refusal"
)

// data is that of an answer, which is reserved once, however many requests are answered with
// it: from when the first of them holds it until the last one is written.
type data struct {
	text []byte // JSON

	mu          sync.Mutex
	holders     int
	reservation *memory.Reservation // while there are holders
}

// hold returns the data, and an error where there is no memory for it. It is reserved for the
// client that is the first to hold it, of its share. Release it.
func (d *data) hold(budget *memory.Budget, share *memory.Share) (text []byte, err *refusal.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holders == 0 {
		reservation := budget.Sending(share)
		if !reservation.Reserve(len(d.text)) {
			return nil, memory.ErrFull // it holds nothing
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
