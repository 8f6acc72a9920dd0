package plan

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
)

// While an answer that is long is copied, other goroutines run: none waits until that is done, and no collection does.
func TestOthersRunWhileALongAnswerIsCopied(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	long := bytes.Repeat([]byte("x"), 4*aTurn)
	for name, copies := range map[string]func(w *Writer){
		"a part": func(w *Writer) { part{there: true, by: &Writer{Bytes: long}, to: len(long)}.move(w) },
		"parts":  func(w *Writer) { w.growFor([]part{{to: 2 * len(long)}}) },
		"growth": func(w *Writer) {
			for w.Bytes = w.Bytes[:0]; len(w.Bytes) < len(long); w.mayGrow() {
				w.Bytes = append(w.Bytes, long[:chunk]...)
			}
		},
		"the answer": func(w *Writer) {
			p := &Plan{query: &Selection{fields: make([]Field, 1)}}
			p.assemble([]root{{by: w, value: w, there: true}})
		},
	} {
		p := &Plan{}
		w := p.writer(&p.parts)
		w.Bytes, w.limit = bytes.Clone(long), &Limit{}
		var ran atomic.Bool
		go ran.Store(true) // runs where this goroutine lets it
		copies(w)
		if !ran.Load() {
			t.Errorf("%s: nobody ran meanwhile", name)
		}
		runtime.Gosched()
	}
}

// What an answer is appended to has room before it is full: append would move all of it in one piece.
func TestALongAnswerHasRoom(t *testing.T) {
	t.Parallel()
	w := &Writer{limit: &Limit{}}
	for len(w.Bytes) < 4<<20 {
		w.Bytes = append(w.Bytes, bytes.Repeat([]byte{byte(len(w.Bytes) / chunk)}, chunk)...)
		if w.mayGrow(); len(w.Bytes) > large && cap(w.Bytes)-len(w.Bytes) < aTurn {
			t.Fatalf("%d bytes have room for %d", len(w.Bytes), cap(w.Bytes))
		}
	}
	for i, b := range w.Bytes {
		if b != byte(i/chunk) {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
}
