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

// bodyOf returns a response as the specification has it: without data where nothing was
// executed, which is not the same as data that is null. The data is JSON without blanks that
// is [escaped], so it is neither read again nor copied.
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

// join returns the body in one piece.
func (b body) join() []byte { return bytes.Join(b[:], nil) }

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

func (b body) writeTo(w io.Writer) error {
	for _, piece := range b {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

func marshal(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // what recovers answers with an internal error
	}
	return text
}

// escaped returns JSON as encoding/json would write it, which escapes what HTML would take for
// its own: it is json.HTMLEscape, which looks at each byte, where there is anything to escape.
// U+2028 and U+2029 begin with 0xE2.
func escaped(text []byte) []byte {
	special := specials(text)
	if special == 0 {
		return text
	}
	var safe bytes.Buffer
	safe.Grow(len(text) + special*escapedBy)
	json.HTMLEscape(&safe, text)
	return safe.Bytes()
}

// escapedBy is how much longer a byte gets that is escaped.
const escapedBy = len(`\u003c`) - 1

// specials returns how many bytes may have to be escaped.
func specials(text []byte) (n int) {
	for _, c := range [][]byte{{'<'}, {'>'}, {'&'}, {0xE2}} {
		n += bytes.Count(text, c)
	}
	return n
}
