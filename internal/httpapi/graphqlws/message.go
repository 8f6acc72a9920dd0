package graphqlws

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// Subprotocol is the protocol's name in a handshake.
const Subprotocol = "graphql-transport-ws"

// The close codes of the protocol, and those of RFC 6455 that are used beside them.
const (
	CodeNormal              = websocket.CloseNormalClosure
	CodeGoingAway           = websocket.CloseGoingAway        // the server leaves
	CodeNoStatus            = websocket.CloseNoStatusReceived // a close frame without a code
	CodeLost                = websocket.CloseAbnormalClosure
	CodeTooLarge            = websocket.CloseMessageTooBig
	CodeTryAgainLater       = websocket.CloseTryAgainLater
	CodeInvalidMessage      = 4400
	CodeUnauthorized        = 4401 // an operation before the connection is acknowledged
	CodeForbidden           = 4403
	CodeSubprotocol         = 4406
	CodeInitTimeout         = 4408
	CodeSubscriberExists    = 4409
	CodeTooManyInitRequests = 4429
)

// Close is why a socket is closed, as the client sees it.
type Close struct {
	Code   int
	Reason string // at most 123 bytes are sent
}

// maxReason is the longest reason of a close frame, in bytes: RFC 6455, section 5.5.
const maxReason = 123

// frame returns the body of a close frame.
func (c Close) frame() []byte {
	reason := c.Reason
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return websocket.FormatCloseMessage(c.Code, reason)
}

func invalid(reason string) *Close { return &Close{CodeInvalidMessage, reason} }

// The types of messages.
const (
	typeInit      = "connection_init"
	typeAck       = "connection_ack"
	typePing      = "ping"
	typePong      = "pong"
	typeSubscribe = "subscribe"
	typeNext      = "next"
	typeError     = "error"
	typeComplete  = "complete"
)

// message is one of a client's.
type message struct {
	kind    string
	id      string
	payload json.RawMessage // nil: absent or null
}

// read reads a message. Its names differ by case, and others are ignored.
func read(text []byte) (m message, refused *Close) {
	if !utf8.Valid(text) {
		return m, invalid("the message is not UTF-8")
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return m, invalid("the message is no JSON object")
	}
	if err := cmp.Or(member(members["type"], &m.kind), member(members["id"], &m.id)); err != nil {
		return m, err
	}
	if payload := members["payload"]; string(payload) != "null" {
		m.payload = payload
	}
	return m, m.check()
}

// member reads a text that may be absent or null.
func member(text json.RawMessage, into *string) *Close {
	if text != nil && json.Unmarshal(text, into) != nil {
		return invalid("the message's type and id are strings")
	}
	return nil
}

// check returns what a message lacks that its type needs.
func (m message) check() *Close {
	switch m.kind {
	case typeInit, typePing, typePong:
		if m.payload != nil && !isObject(m.payload) {
			return invalid("the payload of " + m.kind + " is no object")
		}
	case typeSubscribe:
		if m.id == "" || !isObject(m.payload) {
			return invalid("subscribe needs an id and a payload, which is an object")
		}
	case typeComplete:
		if m.id == "" {
			return invalid("complete needs an id")
		}
	default:
		return invalid("the message's type is none that a client sends")
	}
	return nil
}

func isObject(text json.RawMessage) bool { return bytes.HasPrefix(text, []byte("{")) }

// quoted returns a text as JSON.
func quoted(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // no string fails
	}
	return b
}
