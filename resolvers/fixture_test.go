package resolvers_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
)

// fixture is the data that every scene begins with. A minute lies between any two
// of its commands.
//
//	users     alice (subject a), bob (b), carol (c); the subject nobody has no account
//	posts     p01 by alice, p02 by bob, p03 by carol, p04 by alice … p25 by alice
//	          p03 is longer than its excerpt
//	comments  on p03: c01 by alice, c02 by bob … c07 by alice; on p04: d01 by bob
//	likes     of p03: bob, carol, alice; of p05: bob; p06 was liked by bob and is no more
//	gone      a post g01 of alice's with a comment of bob's
type fixture struct {
	t     testing.TB
	store blog.Store
	clock *storetest.Clock
	names *names
	users map[string]blog.User
	posts map[string]blog.Post
}

func newFixture(t testing.TB, store blog.Store, clock *storetest.Clock) *fixture {
	f := &fixture{t: t, store: store, clock: clock, names: newNames(), users: map[string]blog.User{}, posts: map[string]blog.Post{}}
	f.addUsers()
	f.names.add("group:gardeners", relay.EncodeID(blog.GroupOf("gardeners")))
	for i := range 25 {
		content := fmt.Sprintf("The text of post %d.", i+1)
		if i == 2 {
			content = strings.TrimSpace(strings.Repeat("A long text. ", 30))
		}
		f.post(fmt.Sprintf("p%02d", i+1), author(i), content)
	}
	for i := range 7 {
		f.comment(fmt.Sprintf("c%02d", i+1), "p03", author(i))
	}
	f.comment("d01", "p04", "bob")
	f.addLikes()
	f.addGone()
	f.addWrong()
	if err := store.Settle(f.context()); err != nil {
		t.Fatal(err)
	}
	return f
}

func author(i int) string { return []string{"alice", "bob", "carol"}[i%3] }

func (f *fixture) context() context.Context { return f.t.Context() }

func (f *fixture) addUsers() {
	email, name := "alice@example.org", "Alice Ames"
	f.user(blog.CreateUser{Subject: "a", Username: "alice", Email: &email, ProvedEmail: email, DisplayName: &name})
	f.user(blog.CreateUser{Subject: "b", Username: "bob"})
	f.user(blog.CreateUser{Subject: "c", Username: "carol"})
}

func (f *fixture) addLikes() {
	for _, who := range []string{"bob", "carol", "alice"} {
		f.like("p03", who)
	}
	f.like("p05", "bob")
	f.like("p06", "bob")
	_, err := f.store.UnlikePost(f.context(), blog.UnlikePost{Actor: f.users["bob"].ID, Post: f.posts["p06"].ID})
	f.must(err)
}

func (f *fixture) addGone() {
	f.post("g01", "alice", "It will be deleted.")
	f.comment("gc1", "g01", "bob")
	f.like("g01", "bob")
	f.must(f.store.DeletePost(f.context(), blog.DeletePost{Actor: f.users["alice"].ID, Post: f.posts["g01"].ID}))
}

// addWrong names ids of what never was, and what a client must not send: an id and
// a cursor with a letter changed, with the end lost, and an id in a second spelling.
func (f *fixture) addWrong() {
	never := blog.FirstUUIDAt(epoch.Add(-time.Hour))
	post, user := blog.PostID{UUID: never}, blog.UserID{UUID: never}
	f.names.add("user:never", relay.EncodeID(user))
	f.names.add("post:never", relay.EncodeID(post))
	f.names.add("comment:never", relay.EncodeID(blog.CommentKey{Post: post, Comment: blog.CommentID{UUID: never}}))
	f.names.add("like:never", relay.EncodeID(blog.ReactionKey{Of: blog.Likes, To: post.UUID, User: user}))

	id, cursor := relay.EncodeID(f.posts["p03"].ID), relay.Feed(blog.NewestFirst).Cursor(f.posts["p03"].ID)
	f.names.add("forged:post", "AA"+id[2:])
	f.names.add("truncated:post", id[:len(id)-1])
	f.names.add("respelled:post", id[:len(id)-1]+next(id[len(id)-1]))
	f.names.add("forged:feed", cursor[:10]+next(cursor[10])+cursor[11:])
	f.names.add("truncated:feed", cursor[:len(cursor)-4])
}

// next returns the letter of base64url that stands for one more than c.
func next(c byte) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(letters[(strings.IndexByte(letters, c)+1)%len(letters)])
}

func (f *fixture) user(c blog.CreateUser) {
	u, err := f.store.CreateUser(f.context(), c)
	f.must(err)
	f.users[c.Username] = u
	f.names.add("user:"+c.Username, relay.EncodeID(u.ID))
}

func (f *fixture) post(name, author, content string) {
	p, err := f.store.CreatePost(f.context(), blog.CreatePost{Author: f.users[author].ID, Title: "Post " + name, Content: content})
	f.must(err)
	f.posts[name] = p
	f.names.addPost(name, p.ID, p.Author.ID)
}

func (f *fixture) comment(name, post, author string) {
	c, _, err := f.store.CreateComment(f.context(), blog.CreateComment{Author: f.users[author].ID, Post: f.posts[post].ID, Content: "Comment " + name})
	f.must(err)
	f.names.addComment(name, c.Key(), c.Author.ID)
}

func (f *fixture) like(post, who string) {
	l, _, err := f.store.LikePost(f.context(), blog.LikePost{Actor: f.users[who].ID, Post: f.posts[post].ID})
	f.must(err)
	name := post + "/" + who
	f.names.add("like:"+name, relay.EncodeID(l.Key(blog.Likes)))
	f.names.add("likes:"+name, relay.LikesByPost(l.Post, blog.NewestFirst).Cursor(l.Position()))
	f.names.add("oldestLikes:"+name, relay.LikesByPost(l.Post, blog.OldestFirst).Cursor(l.Position()))
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	f.clock.Advance(time.Minute)
}

// names stands for ids and cursors in goldens, both ways: <post:p01> is an id,
// <feed:p01> the cursor of that post in the feed. What an operation creates is
// named new1, new2 … as it appears.
type names struct {
	real, symbol map[string]string
	created      int
}

func newNames() *names { return &names{real: map[string]string{}, symbol: map[string]string{}} }

func (n *names) add(name, text string) {
	n.real["<"+name+">"], n.symbol[text] = text, "<"+name+">"
}

func (n *names) addPost(name string, id blog.PostID, author blog.UserID) {
	n.add("post:"+name, relay.EncodeID(id))
	n.add("feed:"+name, relay.Feed(blog.NewestFirst).Cursor(id))
	n.add("oldestFeed:"+name, relay.Feed(blog.OldestFirst).Cursor(id))
	n.add("posts:"+name, relay.PostsByAuthor(author, blog.NewestFirst).Cursor(id))
	n.add("oldestPosts:"+name, relay.PostsByAuthor(author, blog.OldestFirst).Cursor(id))
}

func (n *names) addComment(name string, key blog.CommentKey, author blog.UserID) {
	n.add("comment:"+name, relay.EncodeID(key))
	n.add("newest:"+name, relay.CommentsByPost(key.Post, blog.NewestFirst).Cursor(key.Comment))
	n.add("oldest:"+name, relay.CommentsByPost(key.Post, blog.OldestFirst).Cursor(key.Comment))
	n.add("comments:"+name, relay.CommentsByAuthor(author, blog.NewestFirst).Cursor(key.Comment))
	n.add("oldestComments:"+name, relay.CommentsByAuthor(author, blog.OldestFirst).Cursor(key.Comment))
}

var placeholder = regexp.MustCompile(`<\w+:[\w/]+>`)

// expand replaces names by what they stand for.
func (n *names) expand(t testing.TB, text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		if n.real[name] == "" {
			t.Errorf("nothing is named %s", name)
		}
		return n.real[name]
	})
}

// fold replaces ids and cursors by names, in a value of JSON.
func (n *names) fold(value any) any {
	n.walk(value)
	return n.replace(value)
}

// walk learns the ids in a value, in an order that does not change.
func (n *names) walk(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == "id" || key == "deletedId" {
				n.learn(v[key])
			}
			n.walk(v[key])
		}
		n.learnLikeEdge(v)
	case []any:
		for _, item := range v {
			n.walk(item)
		}
	}
}

// learnLikeEdge names the cursor of a like, which has a time that its id has not.
func (n *names) learnLikeEdge(object map[string]any) {
	cursor, _ := object["cursor"].(string)
	node, _ := object["node"].(map[string]any)
	id, _ := node["id"].(string)
	if name, ok := strings.CutPrefix(n.symbol[id], "<like:"); ok && cursor != "" {
		n.add("likes:"+strings.TrimSuffix(name, ">"), cursor)
	}
}

func (n *names) replace(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = n.replace(v[key])
		}
	case []any:
		for i := range v {
			v[i] = n.replace(v[i])
		}
	case string:
		if name, ok := n.symbol[v]; ok {
			return name
		}
	}
	return value
}

// learn names an id that was not seen before.
func (n *names) learn(id any) {
	text, _ := id.(string)
	key, err := relay.DecodeAnyID(text)
	if err != nil || n.symbol[text] != "" {
		return
	}
	n.created++
	name := fmt.Sprintf("new%d", n.created)
	switch k := key.(type) {
	case blog.UserID:
		n.add("user:"+name, text)
	case blog.PostID:
		n.addPost(name, k, blog.UserID{})
	case blog.CommentKey:
		n.addComment(name, k, blog.UserID{})
	default:
		n.add("like:"+name, text)
	}
}
