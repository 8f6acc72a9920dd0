package floor

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"broadsheet/blog"
	"broadsheet/cassandra"

	"github.com/gocql/gocql"
)

// Floor is the handler with its session.
type Floor struct {
	session *gocql.Session
	ids     *blog.IDs
	mux     *http.ServeMux
}

var _ http.Handler = (*Floor)(nil)

// Open connects to a keyspace with a store's schema. Unavailable: no host answers.
func Open(ctx context.Context, c cassandra.Config) (*Floor, error) {
	session, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	f := &Floor{session: session, ids: blog.NewIDs(blog.SystemClock{}, rand.Reader), mux: http.NewServeMux()}
	for name, answer := range map[string]answer{
		"Q1": f.user, "Q2": f.post, "Q3": f.postsOf, "Q4": f.comments, "Q5": f.likes, "Q6": f.feed, "nested": f.nested,
	} {
		f.mux.Handle("GET /"+name, answer)
	}
	f.mux.Handle("POST /C3", answer(f.createComment))
	f.mux.Handle("POST /C4", answer(f.likePost))
	return f, nil
}

// ServeHTTP answers GET /Q1?id=UUID and so on, by the names of the guides' table, and
// POST /C3?post=UUID&user=UUID&content=TEXT and /C4.
func (f *Floor) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.mux.ServeHTTP(w, r) }

// Close disconnects.
func (f *Floor) Close() { f.session.Close() }

// answer is what a request is answered with.
type answer func(ctx context.Context, query url.Values) (any, error)

func (a answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, err := a(r.Context(), r.URL.Query())
	switch {
	case err == nil:
	case errors.Is(err, gocql.ErrNotFound):
		http.Error(w, "there is no such thing", http.StatusNotFound)
		return
	case errors.Is(err, errNoID):
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	default:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found) // the client left
}

var errNoID = errors.New("an id is not a UUID")

func idOf(query url.Values) (gocql.UUID, error) {
	id, err := blog.ParseUUID(query.Get("id"))
	if err != nil {
		return gocql.UUID{}, errNoID
	}
	return gocql.UUID(id), nil
}
