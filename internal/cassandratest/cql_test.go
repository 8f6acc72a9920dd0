package cassandratest

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
)

// serve answers each request on one connection with the next frame.
func serve(t *testing.T, frames ...[]byte) (host string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		for _, frame := range frames {
			var header [headerLen]byte
			if _, err := io.ReadFull(c, header[:]); err != nil {
				return
			}
			if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(header[5:]))); err != nil {
				return
			}
			if _, err := c.Write(frame); err != nil {
				return
			}
		}
	}()
	return l.Addr().String()
}

// frame is a response.
func frame(op byte, body string) []byte {
	header := []byte{protocolResponse, 0, 0, 0, op}
	return append(binary.BigEndian.AppendUint32(header, uint32(len(body))), body...)
}

func TestPing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer []byte
		want   string // in the error; empty for none
	}{
		{"ready", frame(opReady, ""), ""},
		{"wants a password, so it serves", frame(opAuthenticate, "\x00\x01x"), ""},
		{"an error", frame(opError, "\x00\x00\x10\x01\x00\x04busy"), "0x1001: busy"},
		{"an error cut short", frame(opError, "\x00"), "cut short"},
		{"another opcode", frame(opResult, ""), "opcode 0x08"},
		{"another protocol", []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), "protocol 4"},
		{"a huge body", []byte{protocolResponse, 0, 0, 0, opReady, 0xff, 0, 0, 0}, "bytes"},
		{"hangs up", nil, "EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := ping(t.Context(), serve(t, test.answer))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v; want %q", err, test.want)
			}
		})
	}
}

// peers is the RESULT of countPeers, as far as it is looked at.
func peers(n byte) []byte { return frame(opResult, "rows\x00\x00\x00\x00\x00\x00\x00"+string(n)) }

// schema is the RESULT of selectSchemaVersion.
func schema(version string) []byte { return frame(opResult, "rows"+strings.Repeat(version, 16)) }

func TestAgree(t *testing.T) {
	t.Parallel()
	ready, all := frame(opReady, ""), frame(opResult, "")
	good := [][]byte{ready, peers(1), all, schema("a")}
	tests := []struct {
		name  string
		other [][]byte
		want  string // in the error; empty for none
	}{
		{"the same", good, ""},
		{"knows nobody yet", [][]byte{ready, peers(0)}, "knows 0 peers of 1"},
		{"can't read from all", [][]byte{ready, peers(1), frame(opError, "\x00\x00\x10\x00\x00\x04none")}, "0x1000: none"},
		{"another schema", [][]byte{ready, peers(1), all, schema("b")}, "another schema"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := agree(t.Context(), []string{serve(t, good...), serve(t, test.other...)})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v; want %q", err, test.want)
			}
		})
	}
}
