package httpapi

import (
	"sync"

	"broadsheet/internal/memory"
)

// data is that of an answer, which is reserved once, however many requests are answered with
// it: from when the first of them holds it until the last one is written.
type data struct {
	mu          sync.Mutex
	text        []byte // JSON
	escaped     bool
	holders     int
	reservation *memory.Reservation // while there are holders
}

// hold returns the data as it is written, and an error where there is no memory for it, and
// for what escaping makes of it. Release it.
func (d *data) hold(budget *memory.Budget) (text []byte, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holders == 0 {
		reservation := budget.Sending()
		if !reservation.Reserve(2*len(d.text) + specials(d.text)*escapedBy) {
			return nil, reservation.Err() // it holds nothing
		}
		d.reservation = reservation
	}
	d.holders++
	if !d.escaped {
		d.text, d.escaped = escaped(d.text), true
	}
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
