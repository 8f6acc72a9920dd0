package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/graph/graphtest"
	"broadsheet/internal/client"
	"broadsheet/internal/storetest"
	"broadsheet/resolvers"
)

// Whatever valid document is asked, it reads what it is charged at most, and nothing that its
// answer does not need: where a read fails, an error of the answer says so. What a list starts
// ahead of its rows, and nobody waits for, would fail untold.
func TestReadsAreChargedAndNeeded(t *testing.T) {
	t.Parallel()
	const documents = 1_000
	seed := storetest.Seed(t)
	clock, observer := storetest.NewClock(epoch), &readPartitions{}
	f := newFixture(t, openEmbedded(t, blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1)), Observer: observer}), clock)
	failing := &tellingStore{Store: f.store}
	hub := newHub(f.store)
	t.Cleanup(hub.Stop)
	if _, err := hub.Posts(t.Context(), blog.PostCreated, nil); err != nil { // so that it runs, outside of the bubbles
		t.Fatal(err)
	}
	for by, schema := range executors {
		whole, broken := attached(schema, f.store, io.Discard, client.NewAnswers(0, 0), hub, resolvers.Config{}), attached(schema, failing, io.Discard, client.NewAnswers(0, 0), hub, resolvers.Config{})
		failed, asked := 0, 0
		for n := range documents / len(executors) {
			random := randomOf(seed, n)
			d := f.names.randomDocument(random)
			params := graphql.RawParams{Query: f.names.expand(t, d.Text()), Variables: f.names.given(d.Variables())}
			subject := graphtest.Pick(random, "", "a", "b", "nobody")
			variables, _ := json.Marshal(params.Variables)
			about := fmt.Sprintf("document %d by %s as %q\n%s\n%s", n, by, subject, params.Query, variables)

			observer.take()
			cost := -1
			toTheEnd(t, func(t *testing.T) { _, cost = whole.costed(as(t, subject), params) })
			read := observer.take()
			if read > cost {
				t.Fatalf("%s\n%d partitions were read, and the cost is %d", about, read, cost)
			}
			asked += read

			if cost > 500 {
				continue
			}
			for _, kind := range loaders {
				failing.begin(kind, random.Uint32())
				var response *graphql.Response
				toTheEnd(t, func(t *testing.T) { response = broken.do(as(t, subject), params) })
				for _, failure := range failing.failures {
					if !slices.ContainsFunc(response.Errors, func(e *gqlerror.Error) bool { return strings.Contains(e.Error(), failure) }) {
						t.Fatalf("%s\n%s failed, and no error says so: %v", about, failure, response.Errors)
					}
					failed++
				}
			}
		}
		if asked < documents || failed < documents/10 {
			t.Errorf("%d partitions were read and %d reads failed: too few to prove anything", asked, failed)
		}
	}
}

// toTheEnd calls f, and returns when all that it has started has ended, too.
func toTheEnd(t *testing.T, f func(*testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f(t)
		synctest.Wait()
	})
}

// readPartitions counts partitions that are read, but for that of who asks.
type readPartitions struct {
	mu sync.Mutex
	n  int
}

func (r *readPartitions) Statement(_ context.Context, s blog.Statement) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.Kind == blog.Read && s.Table != blog.UsersBySubject {
		r.n += s.Partitions
	}
}

func (r *readPartitions) take() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.n
	r.n = 0
	return n
}

// tellingStore fails at some of the keys of one kind that loaders read, at the same ones as long
// as a document is answered, and notes of each failure what an answer has to say. One kind at a
// time: of two reads that start at once, because one row needs both, one that fails hides the
// other, as where a post is not there in which the viewer's like was to be shown.
type tellingStore struct {
	blog.Store
	salt uint32
	kind string

	mu       sync.Mutex
	failures []string
}

// loaders names what loaders read.
var loaders = []string{"the viewer", "the user", "the post", "the comment", "the likes"}

func (s *tellingStore) begin(kind string, salt uint32) { s.kind, s.salt, s.failures = kind, salt, nil }

func (s *tellingStore) fail(read string, key any) error {
	told := fmt.Sprintf("%s of %v", read, key)
	if read != s.kind {
		return nil
	}
	sum := fnv.New32a()
	fmt.Fprint(sum, s.salt, told)
	if sum.Sum32()%2 > 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.failures, told) {
		s.failures = append(s.failures, told)
	}
	return blog.Errorf(blog.Unavailable, "%s", told)
}

func (s *tellingStore) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	if err := s.fail("the viewer", subject); err != nil {
		return blog.User{}, err
	}
	return s.Store.UserBySubject(ctx, subject)
}

func (s *tellingStore) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	if err := s.fail("the user", id); err != nil {
		return blog.User{}, err
	}
	return s.Store.UserByID(ctx, id)
}

func (s *tellingStore) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	if err := s.fail("the post", id); err != nil {
		return blog.Post{}, err
	}
	return s.Store.PostByID(ctx, id)
}

func (s *tellingStore) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	if err := s.fail("the comment", key); err != nil {
		return blog.Comment{}, err
	}
	return s.Store.CommentByKey(ctx, key)
}

func (s *tellingStore) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	if err := s.fail("the likes", []any{user, posts}); err != nil {
		return nil, err
	}
	return s.Store.LikedPosts(ctx, user, posts)
}
