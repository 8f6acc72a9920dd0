package pace

import "time"

// Places is room for so many at a time, in the order in which they come; nil: for any number.
type Places chan struct{}

// NewPlaces returns so many places, 0: any number.
func NewPlaces(n int) Places {
	if n == 0 {
		return nil
	}
	return make(Places, n)
}

// Try takes a place, which Leave gives back, if there is one.
func (p Places) Try() bool {
	if p == nil {
		return true
	}
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

// Take is Try that waits for a place, until ended is closed, before or meanwhile, or patience is over; 0: it has no
// end.
func (p Places) Take(ended <-chan struct{}, patience time.Duration) bool {
	select {
	case <-ended:
		return false
	default:
	}
	if p.Try() {
		return true
	}
	var late <-chan time.Time
	if patience > 0 {
		late = time.After(patience)
	}
	select {
	case p <- struct{}{}:
		return true
	case <-ended:
	case <-late:
	}
	return false
}

// Leave gives a place back.
func (p Places) Leave() {
	if p != nil {
		<-p
	}
}

// Enter is Take for what goes on without a place, too, once ended is closed. It returns what gives the place back.
func (p Places) Enter(ended <-chan struct{}) (leave func()) {
	if !p.Take(ended, 0) {
		return func() {}
	}
	return p.Leave
}
