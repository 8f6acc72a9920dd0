package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// as executes a mutation's fields for a subject.
func (s server) as(t *testing.T, subject, fields string) answer {
	t.Helper()
	return s.query(t, "mutation {"+fields+"}", "Authorization", "Bearer "+subject)
}

const aPost = `createPost(input: {title: "T", content: "c"}) {post {id} userErrors {message}}`

// A subject that has written as much as it may is refused until time has passed, and told when; what
// else it does, and others do, is not.
func TestWritesHaveRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := limited(t, func(c *httpapi.Config) { c.Limits[limit.Writes], c.Limits[limit.Work] = 200, 1000 })
		for _, subject := range []string{"alice", "bob"} {
			s.as(t, subject, `createUser(input: {username: "`+subject+`"}) {user {id}}`).want(200, "")
			s.as(t, subject, aPost).want(200, "")
		}
		s.as(t, "alice", "a: "+aPost+" b: "+aPost).want(429, "RATE_LIMITED") // one is left
		s.as(t, "alice", aPost).want(200, "")
		refused := s.as(t, "alice", aPost)
		refused.want(429, "RATE_LIMITED")
		if refused.header.Get("Retry-After") != "10800" || !strings.Contains(refused.body, `"limit":"writes"`) ||
			!strings.Contains(refused.body, "the account has written as much as it may; nothing was executed: try again in 10800 s") || s.beyond(t, "writes") != 2 {
			t.Errorf("Retry-After %s, counted %d times: %s", refused.header.Get("Retry-After"), s.beyond(t, "writes"), refused.body)
		}
		s.as(t, "alice", `updateUser(input: {bio: "b"}) {user {id}}`).want(200, "")
		s.query(t, "{viewer {id posts {edges {node {id}}}}}", "Authorization", "Bearer alice").want(200, "")
		s.as(t, "bob", aPost).want(200, "")
		time.Sleep(3 * time.Hour)
		s.as(t, "alice", aPost).want(200, "")
		s.as(t, "alice", aPost).want(429, "RATE_LIMITED")
		time.Sleep(24 * time.Hour)
		much := s.as(t, "alice", "a: "+aPost+" b: "+aPost+" c: "+aPost)
		much.want(200, "QUERY_TOO_COMPLEX")
		if !strings.Contains(much.body, "write less in one operation") {
			t.Errorf("three posts at once, where two are the most: %s", much.body)
		}
		s.as(t, "alice", "a: "+aPost+" b: "+aPost).want(200, "")
		if got := s.query(t, "{viewer {posts {edges {node {id}}}}}", "Authorization", "Bearer alice"); strings.Count(got.body, `"id"`) != 5 {
			t.Errorf("posts of what was refused: %s", got.body)
		}
	})
}

// What each command writes is counted in units, and what it writes several of in each's.
func TestUnitsOfWrites(t *testing.T) {
	t.Parallel()
	for field, units := range map[string]float64{
		aPost: 25,
		`createComment(input: {postId: "p", content: "c"}) {userErrors {code}}`: 5,
		`likePost(input: {postId: "p"}) {userErrors {code}}`:                    1,
		`unlikePost(input: {postId: "p"}) {userErrors {code}}`:                  1,
		`updateUser(input: {username: "n"}) {userErrors {code}}`:                500,
		`updateUser(input: {email: "a@b.c"}) {userErrors {code}}`:               500,
		`updateUser(input: {displayName: null}) {userErrors {code}}`:            25,
		`createUser(input: {username: "n", email: "a@b.c"}) {user {id}}`:        500,
		`updateUser(input: {email: null, bio: "b"}) {userErrors {code}}`:        500,
		`updateUser(input: {username: "n", email: null}) {userErrors {code}}`:   1000,

		`updateUser(input: {bio: "b"}) {userErrors {code}}`:                         0,
		`createUser(input: {username: "n"}) {user {id}}`:                            0,
		`deletePost(input: {id: "p"}) {userErrors {code}}`:                          0,
		`createPost(input: {title: "T", content: "c"}) @skip(if: true) {post {id}}`: 0,
		`updatePost(input: {id: "p"}) {userErrors {code message}}`:                  0,
	} {
		t.Run(field, func(t *testing.T) {
			allowing := func(units float64) server {
				return limited(t, func(c *httpapi.Config) { c.Limits[limit.Writes] = 4 * units })
			}
			s := allowing(max(units, 1))
			s.as(t, "alice", field).want(200, "")
			if got := s.as(t, "alice", field); units == 0 {
				got.want(200, "")
			} else {
				got.want(429, "RATE_LIMITED")
			}
			s.as(t, "bob", field).want(200, "")
			if units > 1 {
				allowing(units-1).as(t, "alice", field).want(200, "QUERY_TOO_COMPLEX")
			}
		})
	}
}

// A mutation over a WebSocket has the same rates, and the socket goes on.
func TestWritesOverAWebSocket(t *testing.T) {
	t.Parallel()
	limits := limit.Default
	limits[limit.Writes] = 100
	s := live(t, httpapi.Config{Limits: limits})
	s.post(t, "first")
	c := s.connect(t, `{"Authorization":"Bearer alice"}`)
	c.subscribe("1", `mutation {`+aPost+`}`)
	if m := c.next(); m.Type != "error" || !strings.Contains(string(m.Payload), `"limit":"writes"`) {
		t.Errorf("a post beyond the rate is answered with %s %s", m.Type, m.Payload)
	}
	c.subscribe("2", `{viewer {username}}`)
	if m := c.next(); m.Type != "next" || !strings.Contains(string(m.Payload), "alice") {
		t.Errorf("a query after it is answered with %s %s", m.Type, m.Payload)
	}
}

// An account that was renamed lately is told when it may be again.
func TestRenameInterval(t *testing.T) {
	t.Parallel()
	s := limited(t, func(c *httpapi.Config) { c.Limits[limit.RenameInterval] = 3600 })
	rename := func(name string) answer {
		return s.as(t, "alice", fmt.Sprintf(`updateUser(input: {username: %q}) {user {username} userErrors {code message field}}`, name))
	}
	s.as(t, "alice", `createUser(input: {username: "alice"}) {user {id}}`).want(200, "")
	rename("alicia").want(200, "")
	if got := rename("alison"); !strings.Contains(got.body, `"user":null,"userErrors":[{"code":"FORBIDDEN","message":"was changed lately: it can be changed again from `) ||
		!strings.Contains(got.body, `"field":["username"]`) {
		t.Errorf("the second rename: %s", got.body)
	}
	if got := s.query(t, "{viewer {username}}", "Authorization", "Bearer alice"); !strings.Contains(got.body, `"alicia"`) {
		t.Errorf("after it: %s", got.body)
	}
}

// A large message over a WebSocket takes of the memory that bodies share, until it is executed. Where there is none
// the socket closes, to be tried again later.
func TestMessagesTakeMemory(t *testing.T) {
	t.Parallel()
	limits := limit.Default
	limits[limit.Bodies] = 64 << 10
	s := live(t, httpapi.Config{Limits: limits})
	for range 2 {
		c := s.connect(t, `{}`)
		c.subscribe("1", "{__typename}"+strings.Repeat(" ", 100<<10))
		c.wantClose(websocket.CloseTryAgainLater)
	}
	if s.beyond(t, "bodies") != 2 {
		t.Errorf("it is counted %d times", s.beyond(t, "bodies"))
	}
	c := s.connect(t, `{}`)
	for range 20 {
		c.subscribe("2", "{__typename}"+strings.Repeat(" ", 8<<10))
		c.want("next", "Query")
		c.want("complete", "")
	}
}
