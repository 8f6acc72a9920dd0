package plan

import "testing"

// spending is a size that a function bounds.
type spending func(bytes int) bool

func (s spending) Spend(bytes int) bool { return s(bytes) }

// A writer that was used before owes an answer all that it writes, from its first byte.
func TestWriterTellsAllOfEachAnswer(t *testing.T) {
	t.Parallel()
	const written, times = 10 * chunk, 3
	p := &Plan{}
	w := p.writer(&p.answers)
	for use := range 2 {
		told := 0
		w.limit = &Limit{Size: spending(func(bytes int) bool { told += bytes; return true })}
		for range times {
			w.Bytes = append(w.Bytes, make([]byte, written)...)
			w.mayGrow()
		}
		if told != times*written {
			t.Errorf("use %d: %d bytes were written and %d told", use, times*written, told)
		}
		p.release(w) // into the pool, which gives it to the next
	}
}

// What a writer was told to ask is not asked for the answer after.
func TestWriterForgetsWhomItAsked(t *testing.T) {
	t.Parallel()
	p := &Plan{}
	w := p.writer(&p.answers)
	w.limit = &Limit{Size: spending(func(int) bool { return false })}
	p.release(w)
	w.Bytes = append(w.Bytes, make([]byte, 2*chunk)...)
	if !w.mayGrow() || !w.charge() {
		t.Error("it asks for an answer that is over")
	}
}

// The writers of parts, of which an answer has many, keep the room that parts need, and not that of answers.
func TestPartsKeepNoRoomOfAnswers(t *testing.T) {
	t.Parallel()
	p := &Plan{}
	var answers []*Writer
	for range 8 {
		w := p.writer(&p.answers)
		w.Bytes = make([]byte, 0, maxIdle)
		answers = append(answers, w)
	}
	for _, w := range answers {
		p.release(w)
	}
	w := p.writer(&p.answers)
	for range 8 {
		if part := w.another(); cap(part.Bytes) > 0 {
			t.Fatalf("a part has room for %d bytes, as answers had", cap(part.Bytes))
		}
	}
}
