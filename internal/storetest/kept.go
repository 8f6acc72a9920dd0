package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
	"broadsheet/internal/decorate"
)

// Kept is a small blog that a release left behind, by the public commands alone, with
// something in every table. Its data is kept in the store's own way beside the file that
// this is written to, so that every later release is held to it: see CONTRIBUTING.md.
type Kept struct {
	Now       time.Time // of the last command
	Users     []blog.UserID
	Usernames []string // all that were ever taken, also those given back
	Emails    []string
	Subjects  []string
	Posts     []blog.PostID // also the deleted one
	Comments  []blog.CommentKey
	Commands  KeptCommands
	Answers   []string // a line for each question, in the order of Ask
}

// KeptCommands are the commands that came with an idempotency key. Given again within a
// day they have their first outcome, whichever release is asked.
type KeptCommands struct {
	User    blog.CreateUser
	Post    blog.CreatePost
	Comment blog.CreateComment
}

// FillKept writes such data into an empty store. clock is the store's.
func FillKept(ctx context.Context, store blog.Store, clock *Clock) (k Kept, err error) {
	w := keptWriter{ctx: ctx, store: store, clock: clock, Kept: &k}
	w.users()
	w.posts()
	w.belowPosts()
	w.edits()
	w.do(store.Settle(ctx))
	k.Now = clock.Now()
	if w.err == nil {
		k.Answers, w.err = k.Ask(ctx, store)
	}
	return k, w.err
}

type keptWriter struct {
	ctx   context.Context
	store blog.Store
	clock *Clock
	err   error
	*Kept
}

func (w *keptWriter) do(err error) {
	w.err = errors.Join(w.err, err)
	w.clock.Advance(time.Minute)
}

func (w *keptWriter) users() {
	for i, name := range []string{"ann", "Bob", "cyd_e", "dan", "eve"} {
		c := blog.CreateUser{Subject: "subject of " + name, Username: name}
		if i%2 == 0 {
			c.Email, c.Bio = ptr(name+"@example.org"), ptr("The bio of "+name+", with an ä.")
			c.ProvedEmail = *c.Email
			w.Emails = append(w.Emails, *c.Email)
		}
		if i == 0 {
			c.DisplayName, c.IdempotencyKey = ptr("Ann Example"), ptr("user 1")
			w.Commands.User = c
		}
		u, err := w.store.CreateUser(w.ctx, c)
		w.do(err)
		w.Users, w.Usernames, w.Subjects = append(w.Users, u.ID), append(w.Usernames, name), append(w.Subjects, c.Subject)
	}
}

func (w *keptWriter) posts() {
	for i := range 10 {
		c := blog.CreatePost{Author: w.Users[i%4], Title: fmt.Sprintf("Post %d, “quoted”", i), Content: strings.Repeat(fmt.Sprintf("It's line %d.\n", i), 1+5*i)}
		if i == 0 {
			c.IdempotencyKey = ptr("post 1")
			w.Commands.Post = c
		}
		p, err := w.store.CreatePost(w.ctx, c)
		w.do(err)
		w.Posts = append(w.Posts, p.ID)
	}
}

// belowPosts comments on the first posts and likes them.
func (w *keptWriter) belowPosts() {
	for i := range 14 {
		c := blog.CreateComment{Author: w.Users[i%5], Post: w.Posts[i%3], Content: fmt.Sprintf("Comment %d; it's kept.", i)}
		if i == 0 {
			c.IdempotencyKey = ptr("comment 1")
			w.Commands.Comment = c
		}
		comment, _, err := w.store.CreateComment(w.ctx, c)
		w.do(err)
		w.Comments = append(w.Comments, comment.Key())
		_, _, err = w.store.LikePost(w.ctx, blog.LikePost{Actor: c.Author, Post: w.Posts[i%4]})
		w.do(err)
	}
}

// edits changes, renames, takes back and deletes one of each.
func (w *keptWriter) edits() {
	_, err := w.store.UpdateUser(w.ctx, blog.UpdateUser{Actor: w.Users[1], Username: blog.SetTo("robert"), Email: blog.SetTo("robert@example.org")})
	w.do(err)
	w.Usernames, w.Emails = append(w.Usernames, "robert"), append(w.Emails, "robert@example.org")
	_, err = w.store.UpdateUser(w.ctx, blog.UpdateUser{Actor: w.Users[2], Bio: blog.Clear()})
	w.do(err)
	_, err = w.store.UpdatePost(w.ctx, blog.UpdatePost{Actor: w.Users[1], Post: w.Posts[1], Title: blog.SetTo("Edited")})
	w.do(err)
	_, err = w.store.UpdateComment(w.ctx, blog.UpdateComment{Actor: w.Users[1], Key: w.Comments[1], Content: "Edited, too."})
	w.do(err)
	_, err = w.store.DeleteComment(w.ctx, blog.DeleteComment{Actor: w.Users[3], Key: w.Comments[3]})
	w.do(err)
	_, err = w.store.UnlikePost(w.ctx, blog.UnlikePost{Actor: w.Users[4], Post: w.Posts[0]})
	w.do(err)
	w.do(w.store.DeletePost(w.ctx, blog.DeletePost{Actor: w.Users[2], Post: w.Posts[2]}))
}

// Ask asks every query for everything that is kept, each list forward and backward in
// pages, and returns a line for each answer.
func (k Kept) Ask(ctx context.Context, store blog.Store) ([]string, error) {
	a := keptAnswers{ctx: ctx, store: store}
	for _, name := range k.Usernames {
		a.user("by username "+name, func() (blog.User, error) { return store.UserByUsername(ctx, name) })
	}
	for _, email := range k.Emails {
		a.user("by email "+email, func() (blog.User, error) { return store.UserByEmail(ctx, email) })
	}
	for _, subject := range k.Subjects {
		a.user("by subject "+subject, func() (blog.User, error) { return store.UserBySubject(ctx, subject) })
	}
	for _, id := range k.Users {
		a.user("by id", func() (blog.User, error) { return store.UserByID(ctx, id) })
		a.likes("of "+id.String(), func() (blog.Page[blog.Reaction], string, error) {
			liked, err := store.LikedPosts(ctx, id, UUIDs(k.Posts...))
			return blog.Page[blog.Reaction]{Items: inOrder(liked, k.Posts)}, "", err
		})
	}
	for _, id := range k.Posts {
		p, err := store.PostByID(ctx, id)
		a.answer("post", []string{keptPost(p)}, err)
	}
	for _, key := range k.Comments {
		c, err := store.CommentByKey(ctx, key)
		a.answer("comment", []string{keptComment(c)}, err)
	}
	k.askLists(&a)
	return a.lines, a.err
}

func (k Kept) askLists(a *keptAnswers) {
	for _, backward := range []bool{false, true} {
		a.posts("feed", blog.PageRequest[blog.PostID]{Limit: 4, Backward: backward}, a.store.Feed)
		for _, id := range k.Users {
			a.posts("posts of "+id.String(), blog.PageRequest[blog.PostID]{Limit: 2, Backward: backward}, func(ctx context.Context, r blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
				return a.store.PostsByAuthor(ctx, id, r)
			})
			a.comments("comments of "+id.String(), blog.PageRequest[blog.CommentID]{Limit: 2, Backward: backward}, func(r blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], string, error) {
				page, err := a.store.CommentsByAuthor(a.ctx, id, r)
				return page, "", err
			})
		}
		for _, id := range k.Posts {
			for _, first := range []blog.PageRequest[blog.CommentID]{{}, {Order: blog.OldestFirst}, {From: k.Comments[4].Comment.Time(), To: k.Comments[9].Comment.Time()}} {
				first.Limit, first.Backward = 2, backward
				a.comments(fmt.Sprintf("comments on %v, order %d, from %s", id, first.Order, keptTime(first.From)), first, func(r blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], string, error) {
					page, err := a.store.CommentsByPost(a.ctx, blog.CommentsQuery{Post: id, Page: r})
					return page.Page, fmt.Sprintf(", %d in all", page.Count.N), err
				})
			}
			a.likes("on "+id.String(), func() (blog.Page[blog.Reaction], string, error) {
				page, err := a.store.LikesByPost(a.ctx, id, blog.PageRequest[blog.ReactionPosition]{Limit: 3, Backward: backward})
				return page.Page, fmt.Sprintf(", %d in all", page.Count.N), err
			})
		}
	}
}

// keptAnswers writes down what a store answers.
type keptAnswers struct {
	ctx   context.Context
	store blog.Store
	lines []string
	err   error // that no question asks for
}

// answer writes a line. That there is nothing is an answer, too.
func (a *keptAnswers) answer(question string, rows []string, err error) {
	switch {
	case err == nil:
		a.lines = append(a.lines, question+": "+strings.Join(rows, "; "))
	case blog.IsNotFound(err):
		a.lines = append(a.lines, question+": not found")
	default:
		a.err = errors.Join(a.err, fmt.Errorf("%s: %w", question, err))
	}
}

func (a *keptAnswers) user(question string, ask func() (blog.User, error)) {
	u, err := ask()
	a.answer("user "+question, []string{keptUser(u)}, err)
}

func (a *keptAnswers) likes(question string, ask func() (blog.Page[blog.Reaction], string, error)) {
	page, more, err := ask()
	a.answer("likes "+question+more, keptRows(page, keptLike), err)
}

// posts walks a whole list in pages.
func (a *keptAnswers) posts(question string, r blog.PageRequest[blog.PostID], ask func(context.Context, blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error)) {
	for more := true; more; {
		page, err := ask(a.ctx, r)
		a.answer(question, keptRows(page, keptPost), err)
		r, more = nextKept(r, page, postID)
	}
}

func (a *keptAnswers) comments(question string, r blog.PageRequest[blog.CommentID], ask func(blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], string, error)) {
	for more := true; more; {
		page, count, err := ask(r)
		a.answer(question+count, keptRows(page, keptComment), err)
		r, more = nextKept(r, page, commentID)
	}
}

// nextKept returns the request for what follows a page.
func nextKept[K, T any](r blog.PageRequest[K], page blog.Page[T], key func(T) K) (blog.PageRequest[K], bool) {
	switch n := len(page.Items); {
	case n == 0:
		return r, false
	case r.Backward:
		r.Before = ptr(key(page.Items[0]))
		return r, page.HasPrevious
	default:
		r.After = ptr(key(page.Items[n-1]))
		return r, page.HasNext
	}
}

func keptRows[T any](page blog.Page[T], text func(T) string) (rows []string) {
	for _, row := range page.Items {
		rows = append(rows, text(row))
	}
	return rows
}

func inOrder(liked map[blog.UUID]blog.Reaction, posts []blog.PostID) (likes []blog.Reaction) {
	for _, p := range posts {
		if like, ok := liked[p.UUID]; ok {
			like.User.Username = "" // which may be absent
			likes = append(likes, like)
		}
	}
	return likes
}

// What an answer shows. A field that a later release adds is written where it is not
// zero only, so that what is kept stays as it is.

func keptUser(u blog.User) string {
	return fmt.Sprintf("%v %s (%s), %s, %s, %s, version %d, of %s",
		u.ID, u.Username, u.Subject, keptText(u.DisplayName), keptText(u.Bio), keptText(u.Email), u.Version, keptTime(u.CreatedAt()))
}

func keptPost(p blog.Post) string {
	return fmt.Sprintf("%v by %v %s: %q, %q, %q, version %d, %d comments, %d likes, of %s, edited %s",
		p.ID, p.Author.ID, p.Author.Username, p.Title, p.Excerpt, p.Content, p.Version, p.CommentCount(), p.LikeCount(), keptTime(p.CreatedAt()), keptTime(p.UpdatedAt))
}

func keptComment(c blog.Comment) string {
	return fmt.Sprintf("%v on %v by %v %s: %q, version %d, of %s, edited %s",
		c.ID, c.Post, c.Author.ID, c.Author.Username, c.Content, c.Version, keptTime(c.CreatedAt()), keptTime(c.UpdatedAt))
}

func keptLike(l blog.Reaction) string {
	return fmt.Sprintf("%v by %v %s at %s", l.Post, l.User.ID, l.User.Username, keptTime(l.At))
}

func keptText(s *string) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("%q", *s)
}

func keptTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Write writes the file that ReadKept reads.
func (k Kept) Write(file string) error {
	text, err := json.MarshalIndent(k, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// ReadKept reads what Write wrote.
func ReadKept(t testing.TB, file string) (k Kept) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Serves holds a store to data of an earlier release: it verifies, answers as that one
// did, has the outcomes of its keys, takes every edit, and verifies again. The store's
// clock shows Now or less than a day later.
func (k Kept) Serves(t *testing.T, store blog.Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	asked := map[string]bool{}
	f := &fixture{reacting: new(sync.Map), standIns: new(sync.Map), T: t, ctx: ctx, raw: store, store: Checked(t, decorate.Through(store, func(ctx context.Context, name string, query func(context.Context) error) error {
		asked[name] = true
		return query(ctx)
	}))}
	k.asksNew(f, false)
	f.buildNew()
	k.asksNew(f, true)
	f.verify()
	answers, err := k.Ask(ctx, f.store)
	if err != nil {
		t.Fatal(err)
	}
	for method := range reflect.TypeFor[blog.Queries]().Methods() {
		if !asked[method.Name] {
			t.Errorf("%s is not asked: have Ask or asksNew ask it of what earlier releases left", method.Name)
		}
	}
	if !slices.Equal(answers, k.Answers) {
		t.Errorf("it answers otherwise than the release that left the data:%s", differing(answers, k.Answers))
	}
	k.giveAgain(f)
	k.edit(f)
	f.verify()
	for _, user := range k.Users {
		f.ok(f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Role: blog.Operator, User: user}), "erase an account")
	}
	f.settle()
	f.verify()
}

// asksNew asks for the lists that a later release brought, of which no answer is kept: each says what the truths
// do, or, until all is whole, that it is being filled. What it lacks, a verification finds.
func (k Kept) asksNew(f *fixture, whole bool) {
	f.Helper()
	for _, l := range everyList {
		if l.declaration().Embedded.Since == 0 {
			continue
		}
		f.kind = l.declaration().Table.Reaction()
		for _, user := range k.Users {
			for _, post := range k.Posts {
				o := owner{user, post}
				if err := l.ask(f, o, 1); !blog.IsNotFound(err) && (whole || blog.KindOf(err) != blog.Unavailable) {
					f.ok(err, string(l.declaration().Table))
					l.isTrue(f, o)
				}
			}
		}
	}
	for _, user := range k.Users {
		if n, err := f.store.FollowCount(f.ctx, user); blog.KindOf(err) != blog.Unavailable {
			f.ok(err, "count follows")
			equal(f, "how many are followed", n, 0)
		}
	}
	for _, user := range k.Users {
		page, err := f.store.HomeByUser(f.ctx, user, blog.FirstPage[blog.PostID](1))
		if !blog.IsNotFound(err) && blog.KindOf(err) != blog.Unavailable {
			f.ok(err, "home")
			equal(f, "posts at home", len(page.Items), 0)
		}
	}
	for _, user := range k.Users {
		if groups, err := f.store.GroupsByOwner(f.ctx, user); blog.KindOf(err) != blog.Unavailable {
			f.ok(err, "groups")
			equal(f, "groups", len(groups), 0)
		}
	}
	_, err := f.store.GroupByID(f.ctx, blog.GroupOf("none"))
	f.notFound(err, "a group")
	for _, f.kind = range blog.ReactionKinds {
		for _, user := range k.Users {
			if _, err := f.kind.Some(f.ctx, f.store, user, UUIDs(k.Posts...)); blog.KindOf(err) != blog.Unavailable {
				f.ok(err, string(f.kind.ByUser))
			}
		}
	}
}

// buildNew waits for the tables that the release which left the data did not have, and builds those
// that the store does not build by itself.
func (f *fixture) buildNew() {
	f.Helper()
	f.settle()
	for _, table := range f.raw.Upkeep().Unbuilt {
		_, err := audit.Rebuilding{Await: audit.AtRest}.Run(f.ctx, f.raw.(audit.Rebuilder), table)
		f.ok(err, "rebuild "+string(table))
	}
	f.ok(f.raw.Ready(f.ctx), "ready") // it looks at what other servers have built
	equal(f, "tables that are not whole", len(f.raw.Upkeep().Unbuilt), 0)
}

func differing(got, want []string) string {
	var b strings.Builder
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			fmt.Fprintf(&b, "\n got %s\nwant %s", g, w)
		}
	}
	return b.String()
}

// giveAgain repeats the commands that came with a key.
func (k Kept) giveAgain(f *fixture) {
	f.Helper()
	u, err := f.store.CreateUser(f.ctx, k.Commands.User)
	f.ok(err, "create user again")
	p, err := f.store.CreatePost(f.ctx, k.Commands.Post)
	f.ok(err, "create post again")
	c, _, err := f.store.CreateComment(f.ctx, k.Commands.Comment)
	f.ok(err, "create comment again")
	equal(f, "the results of keys", []any{u.ID, p.ID, c.Key()}, []any{k.Users[0], k.Posts[0], k.Comments[0]})
}

// proveEmail has a new account prove an address that one has which is kept: where that has not verified
// it, it is the new one's.
func (k Kept) proveEmail(f *fixture) {
	f.Helper()
	before := f.userByEmail(k.Emails[1])
	u, err := f.store.CreateUser(f.ctx, blog.CreateUser{Subject: "owner", Username: "owner", Email: &k.Emails[1], ProvedEmail: k.Emails[1]})
	if before.EmailVerified() {
		f.refused(err, blog.Taken, "email")
		return
	}
	f.ok(err, "create user with the address of another")
	equal(f, "found by the address", f.userByEmail(k.Emails[1]).ID, u.ID)
	edited, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: before.ID, Bio: blog.SetTo("Edited since.")})
	f.ok(err, "update user")
	equal(f, "another's address", *edited.Email, k.Emails[1])
	_, err = f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: before.ID, Email: blog.Clear()})
	f.ok(err, "clear an address")
	equal(f, "found by the address", f.userByEmail(k.Emails[1]).ID, u.ID)
}

// edit changes one of everything that is kept, and adds one of everything.
func (k Kept) edit(f *fixture) {
	f.Helper()
	u, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: k.Users[0], Username: blog.SetTo("anna"), DisplayName: blog.Clear()})
	f.ok(err, "update user")
	equal(f, "an edited user", []any{u.Version, u.Username, *u.Email}, []any{2, "anna", k.Emails[0]})
	p, err := f.store.UpdatePost(f.ctx, blog.UpdatePost{Actor: k.Users[0], Post: k.Posts[0], Title: blog.SetTo("Edited since")})
	f.ok(err, "update post")
	equal(f, "an edited post", []any{p.Title, p.Content}, []any{"Edited since", k.Commands.Post.Content})
	_, err = f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: k.Users[0], Key: k.Comments[0], Content: "Edited since"})
	f.ok(err, "update comment")
	_, err = f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: k.Users[1], Key: k.Comments[6]})
	f.ok(err, "delete comment")
	before := f.counts(p)
	_, comments, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: k.Users[3], Post: p.ID, Content: "Written since."})
	f.ok(err, "create comment")
	_, likes, err := f.store.LikePost(f.ctx, blog.LikePost{Actor: k.Users[4], Post: p.ID}) // taken back before
	f.ok(err, "like post")
	equal(f, "the counts", []int{comments.N, likes.N}, []int{before[0] + 1, before[1] + 1})
	_, err = f.store.UnlikePost(f.ctx, blog.UnlikePost{Actor: k.Users[4], Post: k.Posts[3]})
	f.ok(err, "unlike post")
	f.ok(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: k.Users[1], Post: k.Posts[1]}), "delete post")
	_, err = f.store.CreatePost(f.ctx, blog.CreatePost{Author: k.Users[0], Title: "New", Content: "Written since."})
	f.ok(err, "create post")
	k.proveEmail(f)
	_, err = f.store.CreateUser(f.ctx, blog.CreateUser{Subject: "new", Username: "BOB"}) // given back by a rename
	f.ok(err, "create user")
	f.settle()
	equal(f, "the name in a list", f.postsBy(u)[0].Author.Username, "anna")
}
