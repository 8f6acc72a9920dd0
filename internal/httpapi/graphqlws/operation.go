package graphqlws

import (
	"context"
	"errors"
)

// Operation is one of a socket's, which it answers. Behind its last message it is silent.
type Operation struct {
	socket *socket
	id     string
	runner Runner
	ctx    context.Context
	cancel context.CancelCauseFunc
	stream bool // its answers come as long as there are events
}

// run is below all that an operation waits in, like [socket.run].
func (o *Operation) run() {
	defer o.end()
	o.runner.Begin(o.ctx, o)()
}

func (o *Operation) end() {
	defer o.socket.finished(o)
	o.runner.End(recover())
}

// ErrTooMany is that a socket has as many streams as it may.
var ErrTooMany = errors.New("the socket has too many streams")

// Stream says that the operation answers until it is ended. It is refused by [ErrTooMany], or by why it is over.
func (o *Operation) Stream() error {
	s := o.socket
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.operations[o.id] != o {
		return ErrCompleted
	}
	if s.leaving != nil {
		return s.cause
	}
	if most := s.server.config.MaxStreams; most > 0 && s.streams >= most {
		return ErrTooMany
	}
	s.streams++
	o.stream = true
	<-s.slots
	return nil
}

// Next sends an answer, which is JSON in pieces, and reports whether it was written.
func (o *Operation) Next(pieces ...[]byte) bool {
	all := append(append(make([][]byte, 0, len(pieces)+2), o.begin(typeNext)), pieces...)
	return o.socket.send(o, false, append(all, []byte("}"))...)
}

// Error sends errors, a list in JSON, which are the operation's end.
func (o *Operation) Error(errs []byte) bool {
	return o.socket.send(o, true, o.begin(typeError), errs, []byte("}"))
}

// Complete says that there are no more answers.
func (o *Operation) Complete() bool {
	return o.socket.send(o, true, []byte(`{"id":`), quoted(o.id), []byte(`,"type":"`+typeComplete+`"}`))
}

// begin returns a message up to its payload.
func (o *Operation) begin(kind string) []byte {
	return append(append([]byte(`{"id":`), quoted(o.id)...), `,"type":"`+kind+`","payload":`...)
}
