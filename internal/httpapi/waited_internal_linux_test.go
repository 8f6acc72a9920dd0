package httpapi

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"
)

// A request that is read late knows how late it is, where there are many connections.
func TestWaited(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections := New(Config{}).Connections(inner)
	told := make(chan time.Duration, 2)
	var hold func(*http.Request) // until the bytes behind the request have waited, too
	server := &http.Server{ConnContext: connections.ConnContext, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			hold(r)
			return
		}
		told <- waited(r.Context())
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(connections) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	two := func() {
		conn := dial()
		if _, err := io.WriteString(conn, "GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(conn)
		for range 2 {
			response, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
		}
	}
	hold = func(r *http.Request) {
		conn := r.Context().Value(connectionKey{}).(*counted)
		for sinceReceived(conn.Conn.(*net.TCPConn)) == 0 {
			runtime.Gosched()
		}
	}
	two()
	if ago := <-told; ago != 0 {
		t.Errorf("with few connections it waited %v", ago)
	}
	for range crowd {
		if _, err := io.WriteString(dial(), "GET /other HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-told // it is accepted, and stays
	}
	two()
	if ago := <-told; ago == 0 {
		t.Error("with many connections it did not wait")
	}
}
