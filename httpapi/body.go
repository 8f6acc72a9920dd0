package httpapi

import (
	"bytes"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
)

// bodyOf returns a response as the specification has it: without data where nothing was
// executed, which is not the same as data that is null. The data is JSON without blanks
// already, so it is not read again: it stands in the body as encoding/json would write it,
// which escapes what HTML would take for its own.
func bodyOf(response *graphql.Response) []byte {
	var body bytes.Buffer
	body.Grow(len(response.Data) + 64)
	next := byte('{')
	member := func(name string) {
		body.WriteByte(next)
		body.WriteString(name)
		next = ','
	}
	if len(response.Errors) > 0 {
		member(`"errors":`)
		body.Write(marshal(response.Errors))
	}
	if len(response.Data) > 0 {
		member(`"data":`)
		escape(&body, response.Data)
	}
	if len(response.Extensions) > 0 {
		member(`"extensions":`)
		body.Write(marshal(response.Extensions))
	}
	if next == '{' {
		body.WriteByte(next)
	}
	body.WriteByte('}')
	return body.Bytes()
}

func marshal(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // whoever recovers answers with an internal error
	}
	return text
}

// escape is json.HTMLEscape, which looks at each byte, where there is anything to escape.
// U+2028 and U+2029 begin with 0xE2.
func escape(body *bytes.Buffer, text []byte) {
	for _, c := range []byte{'<', '>', '&', 0xE2} {
		if bytes.IndexByte(text, c) >= 0 {
			json.HTMLEscape(body, text)
			return
		}
	}
	body.Write(text)
}
