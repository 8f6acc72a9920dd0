package embedded

import (
	"errors"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

// lender lends one value, and overwrites it once it has it back, as Pebble may.
type lender struct {
	value  []byte
	fails  error
	closed int
}

func (l *lender) Get([]byte) ([]byte, io.Closer, error) {
	if l.value == nil {
		return nil, nil, pebble.ErrNotFound
	}
	return l.value, l, nil
}

func (l *lender) Close() error {
	l.closed++
	for i := range l.value {
		l.value[i] = '#'
	}
	return l.fails
}

// What was read is not of the memory that was lent for it, which is given back once.
func TestWhatIsReadIsNotLent(t *testing.T) {
	l := &lender{value: []byte("a value")}
	if value, err := lookUp(l, nil); value != "a value" || err != nil || l.closed != 1 {
		t.Errorf("%q, %v; given back %d times", value, err, l.closed)
	}
	l = &lender{value: []byte("a value"), fails: errors.New("the disk")}
	if _, err := lookUp(l, nil); err != l.fails {
		t.Errorf("%v, want what kept it from being given back", err)
	}
	if value, err := lookUp(&lender{}, nil); value != "" || err != nil {
		t.Errorf("of nothing: %q, %v", value, err)
	}
}
