package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
)

// lagging is a store amid renames: what holds a copy of a username has the former one yet,
// where former says so. Accounts have the new one.
type lagging struct {
	blog.Store
	former func(copy any, user blog.UserID) bool
	only   bool // the display name: the username never was another
}

func formerly(username string) string { return "was_" + username }

func (l lagging) rename(copy any, author *blog.Author) {
	if author.Username != "" && l.former(copy, author.ID) {
		author.DisplayName.Text = "Was " + author.Username
		if !l.only {
			author.Username = formerly(author.Username)
		}
	}
}

func (l lagging) posts(list string, page blog.Page[blog.Post], err error) (blog.Page[blog.Post], error) {
	for i := range page.Items {
		l.rename(place{list, page.Items[i].ID}, &page.Items[i].Author)
	}
	return page, err
}

func (l lagging) comments(list string, page blog.Page[blog.Comment], err error) (blog.Page[blog.Comment], error) {
	for i := range page.Items {
		l.rename(place{list, page.Items[i].ID}, &page.Items[i].Author)
	}
	return page, err
}

// place is where a copy stands.
type place struct {
	list string
	row  any
}

func (l lagging) Feed(ctx context.Context, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	page, err := l.Store.Feed(ctx, request)
	return l.posts("feed", page, err)
}

func (l lagging) PostsByAuthor(ctx context.Context, author blog.UserID, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	page, err := l.Store.PostsByAuthor(ctx, author, request)
	return l.posts("posts", page, err)
}

func (l lagging) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	p, err := l.Store.PostByID(ctx, id)
	l.rename(place{"post", id}, &p.Author)
	return p, err
}

func (l lagging) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (blog.CommentPage, error) {
	page, err := l.Store.CommentsByPost(ctx, q)
	page.Page, err = l.comments("comments", page.Page, err)
	return page, err
}

func (l lagging) CommentsByAuthor(ctx context.Context, author blog.UserID, request blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	page, err := l.Store.CommentsByAuthor(ctx, author, request)
	return l.comments("own comments", page, err)
}

func (l lagging) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	c, err := l.Store.CommentByKey(ctx, key)
	l.rename(place{"comments", key.Comment}, &c.Author)
	return c, err
}

func (l lagging) LikesByPost(ctx context.Context, post blog.PostID, request blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	page, err := l.Store.LikesByPost(ctx, post, request)
	for i := range page.Items {
		l.rename(place{"likes", page.Items[i].Position()}, &page.Items[i].User)
	}
	return page, err
}

// named collects the usernames of an answer by the users' ids. Objects that lack one of the
// two are left out. The display names, where they were asked for, are found by displayed and the id.
func named(value any, into map[string]map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		id, _ := v["id"].(string)
		username, ok := v["username"].(string)
		if _, err := relay.DecodeID[blog.UserID](id); ok && err == nil {
			add := func(key, name string) {
				if into[key] == nil {
					into[key] = map[string]bool{}
				}
				into[key][name] = true
			}
			add(id, username)
			if shown, asked := v["displayName"]; asked {
				add(displayed+id, fmt.Sprint(shown))
			}
		}
		for _, below := range v {
			named(below, into)
		}
	case []any:
		for _, below := range v {
			named(below, into)
		}
	}
}

func namesIn(t testing.TB, data json.RawMessage) map[string]map[string]bool {
	t.Helper()
	var value any
	if len(data) > 0 {
		decode(t, data, &value)
	}
	all := map[string]map[string]bool{}
	named(value, all)
	return all
}

// wantNames checks that an answer shows these usernames and no others; behind a slash is the display name.
func wantNames(t *testing.T, f *fixture, response *graphql.Response, want map[string]string) {
	t.Helper()
	if response.Errors != nil {
		t.Fatal(response.Errors)
	}
	all := namesIn(t, response.Data)
	for user, names := range want {
		username, display, _ := strings.Cut(names, "/")
		id := relay.EncodeID(f.users[user].ID)
		if shown := all[id]; len(shown) != 1 || !shown[username] {
			t.Errorf("%s is shown as %v, want %s: %s", user, shown, username, response.Data)
		}
		if shown := all[displayed+id]; display != "" && (len(shown) != 1 || !shown[display]) {
			t.Errorf("%s is displayed as %v, want %s: %s", user, shown, display, response.Data)
		}
	}
}

const (
	user      = `{ id username displayName }`
	displayed = "displayed "
)

// What is asked while bob is being renamed: the new name is "bob", the former one "was_bob".
func TestOneNameForOneUser(t *testing.T) {
	t.Parallel()
	const (
		feed     = `feed(first: 25) { edges { node { author ` + user + ` } } }`
		comments = `comments(postId: "<post:p03>") { edges { node { author ` + user + ` } } }`
		likes    = `likes(postId: "<post:p03>") { edges { node { user ` + user + ` } } }`
	)
	everywhere := func(any) bool { return true }
	in := func(list string) func(any) bool { return func(copy any) bool { return copy.(place).list == list } }
	for name, tc := range map[string]struct {
		as     string
		text   string
		former func(copy any) bool
		want   string
		reads  map[string]int // of accounts
	}{
		"copies agree": {"", `{ ` + feed + comments + likes + ` }`, everywhere, "was_bob", nil},
		"copies in a page differ": {"", `{ ` + feed + ` }`,
			func(copy any) bool { return copy.(place).row.(blog.PostID).UUID[7]%2 == 0 }, "bob", map[string]int{"UserByID": 1}},
		"lists differ":                      {"", `{ ` + feed + comments + likes + ` }`, in("comments"), "bob", map[string]int{"UserByID": 1}},
		"lists below rows differ":           {"", `{ feed(first: 25) { edges { node { author ` + user + ` ` + strings.ReplaceAll(likes, `(postId: "<post:p03>")`, "") + ` } } } }`, in("likes"), "bob", map[string]int{"UserByID": 1}},
		"an account and a list differ":      {"", `{ user(username: "bob") ` + user + feed + ` }`, everywhere, "bob", nil},
		"more of the same author is asked":  {"", `{ a: ` + feed + ` b: feed(first: 25) { edges { node { author { id username displayName version } } } } }`, everywhere, "bob", nil},
		"an account and its own list":       {"", `{ node(id: "<user:bob>") { ... on User { id username displayName posts { edges { node { author ` + user + ` } } } } } }`, everywhere, "bob", nil},
		"nodes of several types":            {"", `{ nodes(ids: ["<post:p02>", "<comment:c02>", "<user:bob>"]) { ... on Post { author ` + user + ` } ... on Comment { author ` + user + ` } ... on User ` + user + ` } }`, in("post"), "bob", nil},
		"the owner":                         {"b", `{ ` + feed + comments + likes + ` }`, everywhere, "bob", map[string]int{"UserBySubject": 1}},
		"the owner, who is also the viewer": {"b", `{ viewer ` + user + feed + ` }`, everywhere, "bob", map[string]int{"UserBySubject": 1}},
		"the owner, of one object":          {"b", `{ post(id: "<post:p02>") { author ` + user + ` } }`, everywhere, "bob", map[string]int{"UserBySubject": 1}},
		"the owner, of a list below":        {"b", `{ post(id: "<post:p03>") { likes { edges { node { user ` + user + ` post { comments { edges { node { author ` + user + ` } } } } } } } } }`, in("comments"), "bob", map[string]int{"UserBySubject": 1}},
		"another viewer":                    {"c", `{ ` + feed + ` }`, everywhere, "was_bob", map[string]int{"UserBySubject": 1}},
	} {
		for by, schema := range executors {
			for only, want := range map[bool]map[string]string{
				false: {"bob": "bob/<nil>", "was_bob": "was_bob/Was bob"},
				true:  {"bob": "bob/<nil>", "was_bob": "bob/Was bob"},
			} {
				t.Run(fmt.Sprintf("%s/by=%s/display name only=%v", name, by, only), func(t *testing.T) {
					t.Parallel()
					s := newStub(t)
					bob := s.users["bob"].ID
					calls := newCounted(lagging{s.Store, func(copy any, user blog.UserID) bool { return user == bob && tc.former(copy) }, only})
					api := newAPIOf(schema, calls, io.Discard)
					params := graphql.RawParams{Query: s.names.expand(t, tc.text)}
					wantNames(t, s.fixture, api.do(as(t, tc.as), params), map[string]string{"bob": want[tc.want]})
					if tc.reads == nil {
						return
					}
					made := calls.take()
					for _, query := range []string{"UserByID", "UserByUsername", "UserBySubject"} {
						if made[query] != tc.reads[query] {
							t.Errorf("%d × %s, want %d", made[query], query, tc.reads[query])
						}
					}
				})
			}
		}
	}
}

// Copies of before copies held display names answer for the usernames alone; the account tells the rest.
func TestCopiesWithoutDisplayNames(t *testing.T) {
	t.Parallel()
	for asked, reads := range map[string]int{`{ id username }`: 0, user: 3, `{ id displayName }`: 3} {
		s := newStub(t)
		calls := newCounted(nameless{s.Store})
		text := strings.ReplaceAll(`{ feed { edges { node { author USER comments { edges { node { author USER } } } } } } }`, "USER", asked)
		response := newAPI(calls, io.Discard).query(t.Context(), s.names.expand(t, text))
		if !strings.Contains(string(response.Data), "Alice Ames") && reads > 0 {
			t.Errorf("%s: %s", asked, response.Data)
		}
		if read := calls.take()["UserByID"]; read != reads {
			t.Errorf("%s: %d accounts were read, want %d", asked, read, reads)
		}
	}
}

// nameless is a store whose posts were written before copies held display names.
type nameless struct{ blog.Store }

func (n nameless) Feed(ctx context.Context, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	page, err := n.Store.Feed(ctx, request)
	for i := range page.Items {
		page.Items[i].Author.DisplayName = blog.CopiedText{}
	}
	return page, err
}

// An owner's account that was read once, for another request of his, is read again for the
// next, if it has a row of his.
func TestViewersAccountIsReadForHisRowsOnly(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	calls := newCounted(s.Store)
	api := newAPI(calls, io.Discard)
	for i, want := range []int{1, 0, 1} {
		post := []string{"<post:p01>", "<post:p01>", "<post:p02>"}[i]
		calls.take()
		api.query(as(t, "b"), s.names.expand(t, `{ post(id: "`+post+`") { author `+user+` } }`))
		if read := calls.take()["UserBySubject"]; read != want {
			t.Errorf("request %d read the viewer's account %d times, want %d", i, read, want)
		}
	}
}

// The fields of a mutation are carried out in turn: those after a rename show the new name,
// whatever the copies have yet.
func TestFieldsAfterARenameShowTheNewName(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	bob := s.users["bob"].ID
	store := lagging{s.Store, func(_ any, user blog.UserID) bool { return user == bob }, false}
	text := s.names.expand(t, `mutation {
		before: likePost(input: {postId: "<post:p02>"}) { post { author `+user+` } }
		updateUser(input: {username: "robert"}) { user { id username displayName
			posts { edges { node { author `+user+` comments { edges { node { author `+user+` } } } } } }
			comments { edges { node { author `+user+` post { author `+user+` } } } } } }
		unlikePost(input: {postId: "<post:p02>"}) { post { author `+user+` } }
		createComment(input: {postId: "<post:p02>", content: "C"}) { comment { author `+user+` } post { author `+user+` } }
	}`)
	response := newAPI(store, io.Discard).query(as(t, "b"), text)
	if response.Errors != nil {
		t.Fatal(response.Errors)
	}
	var fields map[string]json.RawMessage
	decode(t, response.Data, &fields)
	for field, data := range fields {
		want := "robert"
		if field == "before" {
			want = "bob"
		}
		wantNames(t, s.fixture, &graphql.Response{Data: data}, map[string]string{"bob": want})
	}
}

// A user who is renamed between any two readings has one name in one answer all the same.
func TestUserWhoIsRenamedAgainAndAgain(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	renames := 0
	s.userByID = func(ctx context.Context, id blog.UserID) (blog.User, error) {
		u, err := s.Store.UserByID(ctx, id)
		renames++
		u.Username = fmt.Sprint(u.Username, "_", renames)
		return u, err
	}
	response := newAPI(s, io.Discard).query(t.Context(), s.names.expand(t, `{ user(username: "bob") `+user+` node(id: "<user:bob>") { ... on User `+user+` } }`))
	for id, shown := range namesIn(t, response.Data) {
		if len(shown) != 1 {
			t.Errorf("%s is shown as %v", id, shown)
		}
	}
	if renames < 2 || renames > 10 {
		t.Errorf("the account was read %d times", renames)
	}
}

// Whatever is asked while everybody is being renamed, an answer has one name for one user,
// and the viewer's is the new one.
func TestOneNameForOneUserWhateverIsAsked(t *testing.T) {
	t.Parallel()
	seed := storetest.Seed(t)
	clock := storetest.NewClock(epoch)
	f := newFixture(t, openEmbedded(t, blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1))}), clock)
	api := newAPI(amidRenames(f.store), io.Discard)
	const enough, most = 60, 6_000 // 300 documents show some 40
	names := 0
	for i := 0; names < enough; i++ {
		if i == most {
			t.Fatalf("%d documents showed %d names: too few to prove anything", most, names)
		}
		d := f.names.randomDocument(randomOf(seed, i))
		text := strings.ReplaceAll(d.Text(), "author {", "author { id username displayName ")
		text = strings.ReplaceAll(text, "user {", "user { id username displayName ")
		params := graphql.RawParams{Query: f.names.expand(t, text), Variables: f.names.given(d.Variables())}
		response, cost := api.costed(as(t, "a"), params)
		if cost > 500 {
			continue
		}
		for id, shown := range namesIn(t, response.Data) {
			if len(shown) != 1 || id == relay.EncodeID(f.users["alice"].ID) && !shown["alice"] {
				t.Fatalf("document %d\n%s\n%s is shown as %v", i, params.Query, id, shown)
			}
			names++
		}
	}
}

// amidRenames is a store of which half of the copies have the former name yet, always the
// same ones.
func amidRenames(store blog.Store) blog.Store {
	return lagging{store, func(copy any, _ blog.UserID) bool {
		sum := fnv.New32a()
		fmt.Fprint(sum, copy)
		return sum.Sum32()%2 == 0
	}, false}
}

// Who had no account when a mutation began has the one that it makes, which is not read for
// the fields that follow.
func TestAnAccountThatTheRequestMakes(t *testing.T) {
	s := newStub(t)
	store := newCounted(s)
	response := newAPI(store, &s.log).query(as(t, "new"), `mutation {
		before: createPost(input: {title: "T", content: "C"}) { userErrors { code } }
		createUser(input: {username: "newcomer", displayName: "New"}) { user { username } }
		after: createPost(input: {title: "T", content: "C"}) { post { author { username displayName } } }
	}`)
	s.want(response, `{"before":{"userErrors":[{"code":"FORBIDDEN"}]},"createUser":{"user":{"username":"newcomer"}},"after":{"post":{"author":{"username":"newcomer","displayName":"New"}}}}`)
	if calls := store.take(); calls["UserBySubject"] != 1 || calls["UserByID"] != 0 {
		t.Errorf("accounts were read: %v, want once, when there was none", calls)
	}
}
