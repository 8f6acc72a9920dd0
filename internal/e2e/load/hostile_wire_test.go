package load

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	toGraphQL = "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	asked     = `{"query": "{__typename}"}` // 25 bytes
	told      = `{"data":{"__typename":"Query"}}`
)

// closed stands for a connection that was closed without an answer.
const closed = 0

// exchange writes bytes as they are, and returns the statuses of all answers until the
// connection is closed, by the server or, when the last is there, by the client.
func (h *hostile) exchange(t *testing.T, text string, answers int) (statuses []int) {
	t.Helper()
	conn := h.dial(t)
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, text) }() // a server that refuses does not read it all
	reader := bufio.NewReader(conn)
	for len(statuses) < answers {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return append(statuses, closed)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		statuses = append(statuses, response.StatusCode)
	}
	return statuses
}

// dial opens a connection that ends at the bound.
func (h *hostile) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(hostileBound)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// connections are those that wire and slow have, at once: most of their time is the server's
// patience.
func (h *hostile) connections(t *testing.T) {
	h.wire(t)
	h.slow(t)
}

// wire is what no client sends, byte by byte: RFC 9112 says what of it is refused.
func (h *hostile) wire(t *testing.T) {
	get := "GET /livez HTTP/1.1\r\nHost: localhost\r\n"
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }
	for name, c := range map[string]struct {
		text string
		want []int
	}{
		"garbage":                                {strings.Repeat("\x16\x03\x01\x00\xff\x80", 100) + "\r\n\r\n", []int{400}},
		"a TLS handshake":                        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{400}},
		"HTTP/2 without an upgrade":              {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{421}},
		"HTTP/0.9":                               {"GET /livez\r\n\r\n", []int{400}},
		"HTTP/1.0":                               {"GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n", []int{200, closed}},
		"HTTP/9.9":                               {"GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n", []int{505}},
		"no host":                                {"GET /livez HTTP/1.1\r\n\r\n", []int{400}},
		"two hosts":                              {get + "Host: y\r\n\r\n", []int{400}},
		"NUL in a header":                        {get + "X-A: a\x00b\r\n\r\n", []int{400}},
		"NUL in a header's name":                 {get + "X-\x00: b\r\n\r\n", []int{400}},
		"invalid UTF-8 in a header":              {get + "X-Request-Id: \xff\xfe\r\n\r\n", []int{200}},
		"invalid UTF-8 in a token":               {toGraphQL + "Authorization: Bearer \xff\xfe\r\n" + length(len(asked)) + "\r\n" + asked, []int{401}},
		"a blank before a header's colon":        {get + "X-A : b\r\n\r\n", []int{400}},
		"a folded header":                        {get + "X-A: b\r\n c\r\n\r\n", []int{200}},
		"a header of 100 kB":                     {get + "X-A: " + strings.Repeat("a", 100_000) + "\r\n\r\n", []int{431}},
		"a URL of 100 kB":                        {"GET /" + strings.Repeat("a", 100_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{431}},
		"10,000 headers":                         {get + repeat(10_000, "X-%d: a\r\n") + "\r\n", []int{431}},
		"headers without an end":                 {get + strings.Repeat("X-A: a\r\n", 100_000), []int{431}},
		"two lengths":                            {toGraphQL + length(len(asked)) + length(5) + "\r\n" + asked, []int{400}},
		"the same length twice":                  {toGraphQL + length(len(asked)) + length(len(asked)) + "\r\n" + asked, []int{200}},
		"a length below zero":                    {toGraphQL + length(-1) + "\r\n" + asked, []int{400}},
		"a length with a sign":                   {toGraphQL + "Content-Length: +25\r\n\r\n" + asked, []int{400}},
		"a length beyond all bounds":             {toGraphQL + "Content-Length: 99999999999999999999\r\n\r\n" + asked, []int{400}},
		"a length and chunks":                    {toGraphQL + length(4) + "Transfer-Encoding: chunked\r\n\r\n19\r\n" + asked + "\r\n0\r\n\r\n" + get + "\r\n", []int{200, 200}}, // the chunks are what counts
		"chunks and a length of another request": {toGraphQL + "Transfer-Encoding: chunked\r\nContent-Length: 60\r\n\r\n0\r\n\r\nPOST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nx=1", []int{400}},
		"chunked twice":                          {toGraphQL + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", []int{501}},
		"chunked, written otherwise":             {toGraphQL + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", []int{501}},
		"a chunk of another size":                {toGraphQL + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx\r\n0\r\n\r\n", []int{400}},
		"a chunk that is no number":              {toGraphQL + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n", []int{400}},
		"chunks of a byte":                       {toGraphQL + "Transfer-Encoding: chunked\r\n\r\n" + chunks(asked) + "0\r\n\r\n", []int{200}},
		"long extensions of chunks":              {toGraphQL + "Transfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("a", 100_000) + "\r\n{\r\n0\r\n\r\n", []int{400}},
		"20 MB of trailers":                      {toGraphQL + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X-A: aaaaaaaaaaaaaa\r\n", 1_000_000), []int{400}},
		"20 MB":                                  {toGraphQL + length(20<<20) + "\r\n" + strings.Repeat(" ", 20<<20), []int{413}},
		"20 MB that never come":                  {toGraphQL + length(20<<20) + "\r\n", []int{413}},
		"a terabyte that never comes":            {toGraphQL + length(1<<40) + "\r\n", []int{413}},
		"an expectation":                         {toGraphQL + length(20<<20) + "Expect: 100-continue\r\n\r\n", []int{413}},
		"an unknown expectation":                 {toGraphQL + length(25) + "Expect: more\r\n\r\n" + asked, []int{417}},
		"an upgrade to nothing":                  {"GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: nothing\r\n\r\n", []int{400}},
		"a proxy's request":                      {"CONNECT example.org:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{421}},
		"another host's URL":                     {"GET http://example.org/livez HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{421}},
		"a request in one line":                  {"GET /livez HTTP/1.1\rHost: localhost\r\r", []int{400}},
		"pipelined requests":                     {strings.Repeat(toGraphQL+length(len(asked))+"\r\n"+asked, 100), all(100, 200)},
		"pipelined behind a refusal":             {toGraphQL + length(2) + "\r\n[]" + get + "\r\n", []int{400, 200}},
		"a path without a slash":                 {"GET graphql HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{400}},
		"a path of NUL":                          {"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{400}},
		"a blank in the path":                    {"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{400}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timed(t, func() {
				if got := h.exchange(t, c.text, len(c.want)); fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("%v, not %v", got, c.want)
				}
			})
		})
	}
}

func all(n, status int) (statuses []int) {
	for range n {
		statuses = append(statuses, status)
	}
	return statuses
}

// chunks writes each byte of a text as a chunk.
func chunks(text string) (chunked string) {
	for _, b := range []byte(text) {
		chunked += fmt.Sprintf("1\r\n%c\r\n", b)
	}
	return chunked
}

// slow are clients that keep a connection busy, or leave it.
func (h *hostile) slow(t *testing.T) {
	head := toGraphQL + "Content-Length: 1000\r\n\r\n"
	for name, c := range map[string]struct {
		sent string // at once
		drip string // then a byte at a time, without an end
		want int
	}{
		"nothing at all":           {"", "", closed},
		"headers, a byte a time":   {"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: ", "a", closed},
		"headers that stop":        {"GET /livez HTTP/1.1\r\nHost: localhost\r\n", "", closed},
		"a body, a byte at a time": {head, " ", http.StatusRequestTimeout},
		"a body that stops":        {head + "{", "", http.StatusRequestTimeout},
		"chunks, one at a time":    {toGraphQL + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", http.StatusRequestTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timed(t, func() {
				conn := h.dial(t)
				defer conn.Close()
				if _, err := io.WriteString(conn, c.sent); err != nil {
					t.Fatal(err)
				}
				var dripping sync.WaitGroup
				defer dripping.Wait()
				ended := make(chan struct{})
				defer close(ended)
				if c.drip != "" {
					dripping.Go(func() { drip(conn, c.drip, ended) })
				}
				status := closed
				if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
					status = response.StatusCode
					response.Body.Close()
				}
				if status != c.want {
					t.Errorf("%d, not %d", status, c.want)
				}
			})
		})
	}
	t.Run("half a connection", func(t *testing.T) {
		t.Parallel()
		timed(t, func() {
			conn := h.dial(t)
			defer conn.Close()
			_, err := io.WriteString(conn, toGraphQL+"Content-Length: 25\r\n\r\n"+asked)
			if closing := conn.(*net.TCPConn).CloseWrite(); err != nil || closing != nil {
				t.Fatal(err, closing)
			}
			// net/http takes it for a client that has left, where it notices before the answer.
			text, err := io.ReadAll(conn)
			if err != nil || !strings.HasSuffix(string(text), told) && !strings.Contains(string(text), "TIMEOUT") {
				t.Errorf("%v %s", err, text)
			}
		})
	})
	t.Run("half a request on half a connection", func(t *testing.T) {
		t.Parallel()
		timed(t, func() {
			conn := h.dial(t)
			defer conn.Close()
			_, err := io.WriteString(conn, toGraphQL+"Content-Length: 25\r\n\r\n{")
			if closing := conn.(*net.TCPConn).CloseWrite(); err != nil || closing != nil {
				t.Fatal(err, closing)
			}
			if text, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 400") {
				t.Errorf("%v %s", err, text)
			}
		})
	})
}

// drip writes a text again and again, for as long as it is taken.
func drip(conn net.Conn, text string, ended <-chan struct{}) {
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticks.C:
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}
}

// crowds are many connections, and clients that leave.
func (h *hostile) crowds(t *testing.T) {
	t.Run("1,000 idle connections", func(t *testing.T) {
		var conns []net.Conn
		defer func() {
			for _, conn := range conns {
				conn.Close()
			}
		}()
		for i := range 1000 {
			conn := h.dial(t)
			conns = append(conns, conn)
			if i%2 == 0 { // it is idle behind a request
				if _, err := io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
			}
		}
		timed(t, func() { h.healthy(t) })
	})
	for name, text := range map[string]string{
		"500 clients leave in their requests": toGraphQL + "Content-Length: 1000\r\n\r\n{\"query\":",
		"500 clients leave in their headers":  "POST /graphql HTTP/1.1\r\nHost",
		"500 clients leave before the answer": toGraphQL + "Content-Length: 61\r\n\r\n" + `{"query": "{feed(first: 100) {edges {node {content title}}}}"}`,
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func() {
				for i := range 500 {
					conn := h.dial(t)
					if _, err := io.WriteString(conn, text); err != nil {
						t.Fatal(err)
					}
					if i%2 == 0 {
						_ = conn.(*net.TCPConn).SetLinger(0) // a reset
					}
					conn.Close()
				}
				h.idle(t)
			})
		})
	}
	t.Run("a client leaves in the answer", func(t *testing.T) {
		timed(t, func() {
			query := `{"query": "{comments(postId: \"` + h.long + `\", first: 100) {edges {node {content}}}}"}`
			conn := h.dial(t)
			_ = conn.(*net.TCPConn).SetReadBuffer(4096)
			if _, err := fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", toGraphQL, len(query), query); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(conn, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			conn.Close()
			h.idle(t)
		})
	})
}

// idle waits until the server answers nobody but the one who asks for that.
func (h *hostile) idle(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(hostileBound)
	for !strings.Contains(h.Get("/metrics").Text, "broadsheet_http_requests_in_flight 1\n") {
		if time.Now().After(deadline) {
			t.Fatal("requests of clients that left are still answered")
		}
		runtime.Gosched()
	}
}
