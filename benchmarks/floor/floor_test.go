package floor_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"testing"

	"broadsheet/benchmarks/floor"
	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/dataset"
	"broadsheet/internal/testkeyspace"
)

func TestMain(m *testing.M) {
	cassandratest.VerifyTestMain(m)
}

// item is what tells the answers' items apart.
type item struct {
	ID                      string
	Title, Content          string
	Author, User            struct{ ID, Username string }
	CommentCount, LikeCount int
	Comments                []item
}

type list struct {
	TotalCount  int
	Items       []item
	HasNextPage bool
}

// The floor answers what the store does: else it would be no measure for it.
func TestFloorAnswersAsTheStore(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	plan := dataset.NewPlan(dataset.Size{Users: 25, MinPosts: 5, MaxPosts: 5, MaxComments: 25, MaxLikes: 25}, 3)
	if err := plan.Write(t.Context(), store, dataset.Writing{AtOnce: true}); err != nil {
		t.Fatal(err)
	}
	handler, err := floor.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(handler.Close)
	feed, err := store.Feed(t.Context(), blog.FirstPage[blog.PostID](100))
	if err != nil {
		t.Fatal(err)
	}
	// The post with the most comments has more than a page.
	post := slices.MaxFunc(feed.Items, func(a, b blog.Post) int { return a.Comments.N - b.Comments.N })

	t.Run("Q1", func(t *testing.T) {
		user, err := store.UserByID(t.Context(), post.Author.ID)
		got := ask[struct{ ID, Username, DisplayName string }](t, handler, "/Q1?id="+post.Author.ID.String(), err)
		if got.ID != user.ID.String() || got.Username != user.Username || got.DisplayName != *user.DisplayName {
			t.Errorf("%+v, not %+v", got, user)
		}
	})
	t.Run("Q2", func(t *testing.T) {
		p, err := store.PostByID(t.Context(), post.ID)
		same(t, ask[item](t, handler, "/Q2?id="+post.ID.String(), err), ofPost(p))
	})
	t.Run("Q3", func(t *testing.T) {
		page, err := store.PostsByAuthor(t.Context(), post.Author.ID, blog.FirstPage[blog.PostID](20))
		same(t, ask[list](t, handler, "/Q3?id="+post.Author.ID.String(), err), list{0, each(page.Items, ofPost), page.HasNext})
	})
	t.Run("Q4", func(t *testing.T) {
		page, err := store.CommentsByPost(t.Context(), blog.CommentsQuery{Post: post.ID, Page: blog.FirstPage[blog.CommentID](20)})
		same(t, ask[list](t, handler, "/Q4?id="+post.ID.String(), err), list{page.Count.N, each(page.Items, ofComment), page.HasNext})
	})
	t.Run("Q5", func(t *testing.T) {
		page, err := store.LikesByPost(t.Context(), post.ID, blog.FirstPage[blog.ReactionPosition](20))
		likes := each(page.Items, func(l blog.Reaction) (i item) { i.User = by(l.User); return i })
		same(t, ask[list](t, handler, "/Q5?id="+post.ID.String(), err), list{page.Count.N, likes, page.HasNext})
	})
	t.Run("Q6", func(t *testing.T) {
		same(t, ask[list](t, handler, "/Q6", nil), list{0, each(feed.Items, ofPost), true})
	})
	t.Run("nested", func(t *testing.T) {
		want := list{0, each(feed.Items[:20], ofPost), true}
		for i := range want.Items {
			page, err := store.CommentsByPost(t.Context(), blog.CommentsQuery{Post: feed.Items[i].ID, Page: blog.FirstPage[blog.CommentID](5)})
			if err != nil {
				t.Fatal(err)
			}
			want.Items[i].Comments = each(page.Items, ofComment)
		}
		same(t, ask[list](t, handler, "/nested", nil), want)
	})
	t.Run("C3 and C4", func(t *testing.T) { testWrites(t, store, handler, feed.Items[:3]) })
	for path, status := range map[string]int{
		"/Q2?id=" + post.Author.ID.String(): http.StatusNotFound, "/Q2?id=none": http.StatusBadRequest, "/Q7": http.StatusNotFound,
	} {
		if got := get(handler, path).Code; got != status {
			t.Errorf("%s: status %d, not %d", path, got, status)
		}
	}
}

// What the floor writes is what the store would have written: every copy is right.
func testWrites(t *testing.T, store *cassandra.Store, handler http.Handler, posts []blog.Post) {
	for _, p := range posts {
		for _, path := range []string{"/C3?content=Hear%20hear&post=", "/C4?post="} {
			for range 2 {
				if answer := send(handler, http.MethodPost, path+p.ID.String()+"&user="+posts[0].Author.ID.String()); answer.Code != http.StatusOK {
					t.Fatalf("%s: status %d: %s", path, answer.Code, answer.Body)
				}
			}
		}
		now, err := store.PostByID(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		if more := now.Likes.N - p.Likes.N; now.Comments.N != p.Comments.N+2 || more < 0 || more > 1 {
			t.Errorf("%d comments and %d likes became %d and %d", p.Comments.N, p.Likes.N, now.Comments.N, now.Likes.N)
		}
	}
	verified, err := audit.Verifying{Report: func(r audit.TableReport) {
		for _, drift := range r.Examples {
			t.Errorf("%s: %s: %s: %s", r.Table, drift.Kind, drift.Row, drift.Problem)
		}
	}}.Run(t.Context(), store)
	if err != nil || verified.Drifted() > 0 {
		t.Errorf("%d rows drifted: %v", verified.Drifted(), err)
	}
}

func get(handler http.Handler, path string) *httptest.ResponseRecorder {
	return send(handler, http.MethodGet, path)
}

func send(handler http.Handler, method, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer
}

// ask returns the floor's answer. failed is why the store has none to compare it with.
func ask[T any](t *testing.T, handler http.Handler, path string, failed error) (found T) {
	t.Helper()
	if failed != nil {
		t.Fatal(failed)
	}
	answer := get(handler, path)
	if answer.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s", path, answer.Code, answer.Body)
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func same[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the floor answers\n%+v\nthe store\n%+v", got, want)
	}
}

func by(a blog.Author) struct{ ID, Username string } {
	return struct{ ID, Username string }{a.ID.String(), a.Username}
}

func ofPost(p blog.Post) item {
	return item{ID: p.ID.String(), Title: p.Title, Content: p.Content, Author: by(p.Author), CommentCount: p.Comments.N, LikeCount: p.Likes.N}
}

func ofComment(c blog.Comment) item {
	return item{ID: c.ID.String(), Content: c.Content, Author: by(c.Author)}
}

func each[A, B any](all []A, of func(A) B) []B {
	var made []B
	for _, a := range all {
		made = append(made, of(a))
	}
	return made
}
