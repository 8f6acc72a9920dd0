package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"github.com/99designs/gqlgen/graphql"
)

// body is a response's, in pieces: what comes before the data, the data, and what follows.
type body [3][]byte

// bodyOf returns a response as the specification has it: without data where nothing was executed, which is not the same
// as null. The data is JSON without blanks, and is neither read again nor copied.
func bodyOf(response *graphql.Response) (b body) {
	next := "{"
	member := func(piece int, name string) {
		b[piece] = append(slices.Grow(b[piece], 16), next...)
		b[piece] = append(b[piece], name...)
		next = ","
	}
	if len(response.Errors) > 0 {
		member(0, `"errors":`)
		b[0] = append(b[0], marshal(response.Errors)...)
	}
	if len(response.Data) > 0 {
		member(0, `"data":`)
		b[1] = response.Data
	}
	if len(response.Extensions) > 0 {
		member(2, `"extensions":`)
		b[2] = append(b[2], marshal(response.Extensions)...)
	}
	if next == "{" {
		b[0] = append(b[0], next...)
	}
	b[2] = append(b[2], '}')
	return b
}

func (b body) len() int { return len(b[0]) + len(b[1]) + len(b[2]) }

// ReadAt makes a body an [io.ReaderAt].
func (b body) ReadAt(p []byte, at int64) (n int, err error) {
	for _, piece := range b {
		if skipped := min(at, int64(len(piece))); skipped < int64(len(piece)) {
			n += copy(p[n:], piece[skipped:])
			at = 0
		} else {
			at -= skipped
		}
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (b body) writeTo(w io.Writer) error { return writeAll(w, b[:]) }

// writeAll writes pieces, one after the other.
func writeAll(w io.Writer, pieces [][]byte) error {
	for _, piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// marshal returns JSON in which nothing is escaped for HTML, as in the data: no page has an answer in it.
func marshal(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // what recovers answers with an internal error
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
