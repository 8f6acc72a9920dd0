package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
)

// What a store answers, byte for byte, while others write.
var everyByte = []leaf{
	{"answers are, byte for byte, what was written", func(f *fixture) {
		plan := BytesPlan{Seed: f.random.Uint64(), Prefix: f.name(), Users: 4, Posts: 2, Content: 4_000, Readers: 6, Writers: 4, Steps: 12}
		CompareBytes(f.ctx, f.T, f.store, plan)
		f.settle()
	}},
}

// BytesPlan is how much is written, and who works on it at once.
type BytesPlan struct {
	Seed    uint64
	Prefix  string // of the usernames
	Users   int
	Posts   int // of each user, with a comment and a like each
	Content int // of a post, in bytes

	Readers, Writers int
	Steps            int           // of each of them; 0: as many as there is time for
	During           time.Duration // where Steps is 0
}

// BytesSeen is what CompareBytes did.
type BytesSeen struct {
	Answers, Edits, Errors, Differing int64
}

func (s BytesSeen) String() string {
	return fmt.Sprintf("%d answers and %d edits: %d errors, %d answers with differing bytes", s.Answers, s.Edits, s.Errors, s.Differing)
}

// CompareBytes has readers and editors compare every answer with what was written. What
// an object holds follows from which one it is and from its version, so that every reader
// can tell, whatever edits it meanwhile. Editors change titles, names that are shown, and
// comments; what an edit leaves as it is, a post's content or a user's bio, has to come
// back from every later read.
//
// It asks nothing of the store's size or memory: where the store is to read from its disk,
// the plan has far more data than the store may keep in memory.
func CompareBytes(ctx context.Context, t testing.TB, store blog.Store, plan BytesPlan) BytesSeen {
	t.Helper()
	b := &byteCheck{TB: t, ctx: ctx, store: store, plan: plan}
	b.fill()
	ends := time.Now().Add(plan.During)
	var done sync.WaitGroup
	for i := range plan.Readers + plan.Writers {
		random := rand.New(rand.NewPCG(plan.Seed, uint64(i)))
		step := b.read
		if i < plan.Writers {
			step = func(r *rand.Rand) { b.edit(i, r) }
		}
		done.Go(func() {
			for n := 0; n < plan.Steps || plan.Steps == 0 && time.Now().Before(ends); n++ {
				step(random)
			}
		})
	}
	done.Wait()
	b.readAll()
	return BytesSeen{b.answers.Load(), b.edits.Load(), b.errors.Load(), b.differing.Load()}
}

// byteCheck is one CompareBytes under way.
type byteCheck struct {
	testing.TB
	ctx   context.Context
	store blog.Store
	plan  BytesPlan

	users []blog.User
	works []*work
	byID  map[blog.PostID]*work

	answers, edits, errors, differing atomic.Int64
}

// work is a post with what stands below it.
type work struct {
	n       int // among all
	author  *blog.User
	id      blog.PostID
	comment blog.Comment  // its first version, by the next user
	like    blog.Reaction // of the next user
}

// filling is how many write the data at once.
const filling = 16

// fill writes the data that is then read and edited.
func (b *byteCheck) fill() {
	b.Helper()
	b.users = make([]blog.User, b.plan.Users)
	b.atOnce(len(b.users), func(i int) (err error) {
		name := fmt.Sprintf("%s_%d", b.plan.Prefix, i)
		b.users[i], err = b.store.CreateUser(b.ctx, blog.CreateUser{
			Subject: "subject of " + name, Username: name, DisplayName: ptr(displayName(name, 1)), Bio: ptr(bio(name)),
		})
		return err
	})
	b.works = make([]*work, b.plan.Users*b.plan.Posts)
	b.atOnce(len(b.works), func(i int) (err error) {
		b.works[i], err = b.write(i)
		return err
	})
	if b.errors.Load() > 0 {
		b.FailNow()
	}
	b.byID = make(map[blog.PostID]*work, len(b.works))
	for _, w := range b.works {
		b.byID[w.id] = w
	}
}

// atOnce does something n times, a few at a time.
func (b *byteCheck) atOnce(n int, do func(i int) error) {
	b.Helper()
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(n, filling) {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					b.fault(&b.errors, "to fill the store: %v", err)
				}
			}
		})
	}
	done.Wait()
}

// write writes a post, which the next user comments on and likes.
func (b *byteCheck) write(i int) (*work, error) {
	w := &work{n: i, author: &b.users[i%len(b.users)]}
	next := b.users[(i+1)%len(b.users)]
	p, err := b.store.CreatePost(b.ctx, blog.CreatePost{Author: w.author.ID, Title: w.title(1), Content: w.content(b.plan.Content)})
	if err != nil {
		return w, err
	}
	w.id = p.ID
	if w.comment, _, err = b.store.CreateComment(b.ctx, blog.CreateComment{Author: next.ID, Post: p.ID, Content: w.remark(1)}); err != nil {
		return w, err
	}
	w.like, _, err = b.store.LikePost(b.ctx, blog.LikePost{Actor: next.ID, Post: p.ID})
	return w, err
}

// What an object holds at a version.

func displayName(username string, version int) string {
	return fmt.Sprintf("%s, shown for the %dth time", username, version)
}

// shownAs is an author with the display name of the edit that a copy follows from.
func shownAs(got, author blog.Author) blog.Author {
	if got.DisplayName.Known {
		var n int
		if _, err := fmt.Sscanf(got.DisplayName.Text, author.Username+", shown for the %dth time", &n); err == nil {
			author.DisplayName = got.DisplayName
		}
	}
	return author
}

func bio(username string) string { return repeated("I am "+username, blog.MaxBio) }

func (w *work) title(version int) string {
	return fmt.Sprintf("Post %d of %s, edition %d", w.n, w.author.Username, version)
}

func (w *work) content(bytes int) string {
	return repeated(fmt.Sprintf("Post %d is %s's.", w.n, w.author.Username), bytes)
}

func (w *work) remark(version int) string {
	return repeated(fmt.Sprintf("Remark on post %d, edition %d.", w.n, version), 600)
}

// repeated is a text of so many bytes whose every part tells whose it is and where in it
// that part stands.
func repeated(part string, bytes int) string {
	text := make([]byte, 0, bytes+len(part)+len(" 1000000 "))
	for i := 0; len(text) < bytes; i++ {
		text = append(strconv.AppendInt(append(append(text, part...), ' '), int64(i), 10), ' ')
	}
	return string(append(text[:bytes-1], '.'))
}

// edit makes one random change. A writer's posts are his alone, so that he knows what the
// answer has to be.
func (b *byteCheck) edit(writer int, random *rand.Rand) {
	writers := b.plan.Writers
	w := b.works[random.IntN((len(b.works)-writer+writers-1)/writers)*writers+writer]
	b.edits.Add(1)
	switch random.IntN(8) {
	case 0:
		b.editUser(random)
	case 1:
		b.editComment(w)
	case 2:
		b.claimTwice(w)
	case 3:
		like, _, err := b.store.LikePost(b.ctx, blog.LikePost{Actor: w.like.User.ID, Post: w.id})
		b.like("a like that stands", err, []blog.Reaction{like}, w)
	default:
		b.editTitle(w)
	}
}

// editTitle edits the title and nothing else: the content in the answer is what the store
// read, and writes back.
func (b *byteCheck) editTitle(w *work) {
	now, err := b.store.PostByID(b.ctx, w.id)
	if !b.post("PostByID", err, now, true) {
		return
	}
	edited, err := b.store.UpdatePost(b.ctx, blog.UpdatePost{Actor: w.author.ID, Post: w.id, Title: blog.SetTo(w.title(now.Version + 1)), ExpectedVersion: &now.Version})
	b.post("UpdatePost", err, edited, true)
}

// editUser edits what is shown of a user, whom others may edit at the same time.
func (b *byteCheck) editUser(random *rand.Rand) {
	u := b.users[random.IntN(len(b.users))]
	now, err := b.store.UserByID(b.ctx, u.ID)
	if !b.user("UserByID", err, now, u) {
		return
	}
	edited, err := b.store.UpdateUser(b.ctx, blog.UpdateUser{Actor: u.ID, DisplayName: blog.SetTo(displayName(u.Username, now.Version+1)), ExpectedVersion: &now.Version})
	if blog.KindOf(err) != blog.VersionConflict || err == nil {
		b.user("UpdateUser", err, edited, u)
	}
}

func (b *byteCheck) editComment(w *work) {
	now, err := b.store.CommentByKey(b.ctx, w.comment.Key())
	if !b.comment("CommentByKey", err, now, w) {
		return
	}
	edited, err := b.store.UpdateComment(b.ctx, blog.UpdateComment{Actor: w.comment.Author.ID, Key: w.comment.Key(), Content: w.remark(now.Version + 1), ExpectedVersion: &now.Version})
	b.comment("UpdateComment", err, edited, w)
}

// claimTwice asks for a name that somebody has.
func (b *byteCheck) claimTwice(w *work) {
	_, err := b.store.CreateUser(b.ctx, blog.CreateUser{Subject: "another", Username: strings.ToUpper(w.author.Username)})
	if err == nil || blog.KindOf(err) != blog.Taken {
		b.fault(&b.errors, "a name that somebody has: %v, want taken", err)
	}
}

// read makes one random query.
func (b *byteCheck) read(random *rand.Rand) {
	w, u := b.works[random.IntN(len(b.works))], b.users[random.IntN(len(b.users))]
	switch random.IntN(8) {
	case 0:
		found, err := b.store.UserByUsername(b.ctx, strings.ToUpper(u.Username))
		b.user("UserByUsername", err, found, u)
	case 1:
		found, err := b.store.CommentByKey(b.ctx, w.comment.Key())
		b.comment("CommentByKey", err, found, w)
	case 2:
		b.feed(random)
	case 3:
		b.lists(w, u)
	case 4, 5:
		found, err := b.store.UserByID(b.ctx, u.ID)
		b.user("UserByID", err, found, u)
	default:
		found, err := b.store.PostByID(b.ctx, w.id)
		b.post("PostByID", err, found, true)
	}
}

func (b *byteCheck) feed(random *rand.Rand) {
	before := b.works[random.IntN(len(b.works))].id
	page, err := b.store.Feed(b.ctx, blog.PageRequest[blog.PostID]{Limit: 20, Before: &before, Backward: true})
	b.posts("Feed", err, page)
}

// lists reads the pages that belong to a post and to a user.
func (b *byteCheck) lists(w *work, u blog.User) {
	posts, err := b.store.PostsByAuthor(b.ctx, u.ID, blog.FirstPage[blog.PostID](20))
	b.posts("PostsByAuthor", err, posts)
	comments, err := b.store.CommentsByPost(b.ctx, blog.CommentsQuery{Post: w.id, Page: blog.FirstPage[blog.CommentID](20)})
	b.comments("CommentsByPost", err, comments.Items)
	byAuthor, err := b.store.CommentsByAuthor(b.ctx, u.ID, blog.FirstPage[blog.CommentID](20))
	b.comments("CommentsByAuthor", err, byAuthor.Items)
	likes, err := b.store.LikesByPost(b.ctx, w.id, blog.FirstPage[blog.ReactionPosition](20))
	b.like("LikesByPost", err, likes.Items, w)
	liked, err := b.store.LikedPosts(b.ctx, w.like.User.ID, []blog.UUID{w.id.UUID})
	b.same("LikedPosts", err, liked[w.id.UUID].At, w.like.At)
}

// readAll compares what stands in the end.
func (b *byteCheck) readAll() {
	b.Helper()
	b.atOnce(len(b.works), func(i int) error {
		w := b.works[i]
		found, err := b.store.PostByID(b.ctx, w.id)
		b.post("PostByID in the end", err, found, true)
		b.lists(w, *w.author)
		now, err := b.store.UserByID(b.ctx, w.author.ID)
		b.user("UserByID in the end", err, now, *w.author)
		return nil
	})
}

func (b *byteCheck) posts(what string, err error, page blog.Page[blog.Post]) {
	if err != nil {
		b.fault(&b.errors, "%s: %v", what, err)
	}
	for _, p := range page.Items {
		if b.byID[p.ID] != nil { // others' posts stand in the feed as well
			b.post(what, nil, p, false)
		}
	}
}

// post compares a post, and reports whether it is what was written; whole: with its
// content.
func (b *byteCheck) post(what string, err error, got blog.Post, whole bool) bool {
	w := b.byID[got.ID]
	if err != nil || w == nil {
		return b.same(what, cmp.Or(err, errAnother), "", "")
	}
	content := w.content(b.plan.Content)
	want := got
	want.Author, want.Title, want.Excerpt = shownAs(got.Author, w.author.Name().Author()), w.title(got.Version), blog.Excerpt(content)
	if whole {
		want.Content = content
	}
	return b.same(what, nil, got, want)
}

var errAnother = errors.New("the answer is about something else")

func (b *byteCheck) user(what string, err error, got, of blog.User) bool {
	want := of
	want.DisplayName, want.Version, want.Stamp = ptr(displayName(of.Username, got.Version)), got.Version, got.Stamp
	return b.same(what, err, got, want)
}

func (b *byteCheck) comments(what string, err error, got []blog.Comment) {
	if err != nil {
		b.fault(&b.errors, "%s: %v", what, err)
	}
	for _, c := range got {
		if w := b.byID[c.Post]; w != nil {
			b.comment(what, nil, c, w)
		}
	}
}

func (b *byteCheck) comment(what string, err error, got blog.Comment, w *work) bool {
	want := w.comment
	want.Author = shownAs(got.Author, want.Author)
	want.Content, want.Version, want.UpdatedAt = w.remark(got.Version), got.Version, got.UpdatedAt
	return b.same(what, err, got, want)
}

func (b *byteCheck) like(what string, err error, got []blog.Reaction, w *work) {
	want := w.like
	if len(got) > 0 {
		want.User = shownAs(got[0].User, want.User)
	}
	b.same(what, err, got, []blog.Reaction{want})
}

// same counts an answer, and fails the test unless it is the expected one.
func (b *byteCheck) same(what string, err error, got, want any) bool {
	b.answers.Add(1)
	if err != nil {
		b.fault(&b.errors, "%s: %v", what, err)
		return false
	}
	if reflect.DeepEqual(got, want) {
		return true
	}
	if got, want := asText(got), asText(want); got != want { // a time may be told in two ways
		b.fault(&b.differing, "%s differs from what was written at byte %d of %d:\n got …%s\nwant …%s", what, differsAt(got, want), len(want), around(got, want), around(want, got))
		return false
	}
	return true
}

// toldOf is how many faults of a kind are told: they are mostly alike.
const toldOf = 5

func (b *byteCheck) fault(count *atomic.Int64, format string, args ...any) {
	if count.Add(1) <= toldOf {
		b.Errorf(format, args...)
	}
}

// differsAt returns the first byte in which two texts differ.
func differsAt(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// around returns a text near to where it differs from another.
func around(text, other string) string {
	at := differsAt(text, other)
	return fmt.Sprintf("%q", text[max(0, at-40):min(len(text), at+40)])
}
