package storetest

import (
	"context"
	"slices"
	"strings"

	"broadsheet/blog"
)

// commentsByThreadList has one order and no times, and other leaves for what is below comments.
var commentsByThreadList = threadsCase{listCase[blog.Path, blog.ThreadEntry]{blog.CommentsByThread, threadRows, func(ctx context.Context, q blog.Queries, a asked[blog.Path]) (blog.Page[blog.ThreadEntry], int, error) {
	page, err := q.CommentsByThread(ctx, blog.ThreadQuery{Post: a.post, Page: blog.PageRequest[blog.Path]{
		Limit: a.page.Limit, Backward: a.page.Backward, After: a.page.After, Before: a.page.Before,
	}})
	return page, 0, err
}}}

type threadsCase struct {
	listCase[blog.Path, blog.ThreadEntry]
}

func (l threadsCase) leaves() []leaf {
	return slices.DeleteFunc(l.listCase.leaves(), func(l leaf) bool {
		return strings.Contains(l.name, "time") || strings.Contains(l.name, "oldest first") || strings.Contains(l.name, "from is inclusive")
	})
}

func (l threadsCase) first(f *fixture, o owner) any {
	all := l.all(f, o)
	return *all[len(all)-1].Comment // a reply, in the world of every field
}

var threadRows = &rowCase[blog.Path, blog.ThreadEntry]{
	key:    func(e blog.ThreadEntry) blog.Path { return e.Path },
	newest: comparePaths,
	answer: func(e blog.ThreadEntry) any {
		if e.Comment == nil {
			return []any{pathAnswer(e.Path), e.ParentID()}
		}
		return []any{commentAnswer(*e.Comment), e.ParentID()}
	},
	author: func(e blog.ThreadEntry) blog.Author { return e.Comment.Author },
	parent: func(e blog.ThreadEntry) blog.UUID { return e.Post.UUID },
	make: func(f *fixture, users []blog.User, posts []blog.Post, n int) (rows []blog.ThreadEntry) {
		for _, c := range commentRows.make(f, users, posts, n) {
			rows = append(rows, entryOf(c))
		}
		return rows
	},
	truth: func(f *fixture, e blog.ThreadEntry) blog.ThreadEntry {
		return entryOf(commentRows.truth(f, *e.Comment))
	},
	shown:  func(e blog.ThreadEntry) blog.ThreadEntry { return e },
	edit:   func(f *fixture, e blog.ThreadEntry) { commentRows.edit(f, *e.Comment) },
	remove: func(f *fixture, e blog.ThreadEntry) { f.deleteComment(*e.Comment) },
	number: func(s *side, _ numberedQuery, i int) blog.Path { return s.path(i) },
}

func comparePaths(a, b blog.Path) int { return strings.Compare(string(a), string(b)) }

func entryOf(c blog.Comment) blog.ThreadEntry {
	return blog.ThreadEntry{Post: c.Post, Path: c.Place(), Comment: &c}
}

// Conversations: what stands below comments, and where.
var commentsByThread = []leaf{
	{"replies stand below what they reply to, in pages of any size, both ways", func(f *fixture) { f.conversation(90).isShown() }},
	{"what is deleted leaves its place to living replies, and none when they are gone", func(f *fixture) {
		t := f.conversation(60)
		for len(t.comments) > 0 {
			for range min(20, len(t.comments)) {
				t.delete(f.random.IntN(len(t.comments)))
			}
			t.isShown()
		}
	}},
	{"a comment and what stands below it are one slice", func(f *fixture) {
		t := f.conversation(60)
		for range 15 {
			t.delete(f.random.IntN(len(t.comments)))
		}
		for _, c := range t.comments {
			t.under = c.ID
			t.isShown()
		}
	}},
	{"a reply to the last level stands beside that, and says what it replies to", func(f *fixture) {
		t := f.conversation(1)
		for range blog.Levels + 2 {
			t.reply(len(t.comments) - 1)
		}
		t.isShown()
		last := t.comments[len(t.comments)-1]
		equal(f, "depth", last.Depth(), blog.Levels-1)
		equal(f, "parent", *last.ParentID(), t.comments[len(t.comments)-2].Key())
		for range len(t.comments) - 1 {
			t.delete(0)
			t.isShown()
		}
	}},
	{"a parent that is gone, of another post, or none at all is not found", func(f *fixture) {
		author := f.user()
		p, other := f.post(author), f.post(author)
		gone := f.comment(author, p)
		f.deleteComment(gone)
		for _, parent := range []blog.CommentKey{gone.Key(), f.comment(author, other).Key(), {Post: p.ID, Comment: blog.CommentID{UUID: unusedID}}} {
			_, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: p.ID, Content: "x", Parent: parent})
			f.refused(err, blog.NotFound, "parentId")
		}
		equal(f, "comments and count", f.countOfPage(p), [2]int{0, 0})
	}},
	{"a reply with a key is made once, though what it replies to is gone", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		parent := f.comment(author, p)
		c := blog.CreateComment{Author: author.ID, Post: p.ID, Content: "x", Parent: parent.Key(), IdempotencyKey: ptr("a key")}
		made, _ := f.createComment(c)
		f.deleteComment(parent)
		again, _ := f.createComment(c)
		equal(f, "the reply", again, made)
		c.Parent = made.Key()
		_, _, err := f.store.CreateComment(f.ctx, c)
		f.refused(err, blog.Invalid, "idempotencyKey")
	}},
	{"replies show a rename, an edit, and nothing of who is erased", func(f *fixture) {
		t := f.conversation(30)
		t.writer = f.user()
		for i := range 10 {
			t.reply(i)
		}
		renamed := f.rename(t.writer, f.name())
		for i, c := range t.comments {
			if c.Author.ID == renamed.ID {
				t.comments[i] = f.updateComment(blog.UpdateComment{Actor: renamed.ID, Key: c.Key(), Content: "Edited."})
			}
		}
		f.settle()
		t.isShown()
		f.deleteAccount(renamed)
		f.settle()
		t.comments = slices.DeleteFunc(t.comments, func(c blog.Comment) bool { return c.Author.ID == renamed.ID })
		t.isShown()
	}},
	{"conversations above and below many comments that were deleted", func(f *fixture) {
		author := f.user()
		t := &conversation{fixture: f, post: f.post(author), writer: author, parents: map[blog.CommentID]blog.CommentID{}}
		root := t.add(blog.CommentKey{})
		before := f.comments(author, t.post, aboutDeleted)
		gone := f.manyComments(author, t.post)
		t.reply(0)
		t.comments = slices.Concat(t.comments, before, f.comments(author, t.post, aboutDeleted))
		for _, c := range t.comments[2:] {
			t.parents[c.ID] = blog.CommentID{}
		}
		f.deleteComments(author, t.post, gone)
		t.isShown()
		f.deleteComment(root)
		t.comments = t.comments[1:]
		t.isShown()
	}},
}

// conversation is a post and its comments, as the model of what threads show: a tree.
type conversation struct {
	*fixture
	post     blog.Post
	writer   blog.User
	comments []blog.Comment // that stand, in the order of their creation
	parents  map[blog.CommentID]blog.CommentID
	under    blog.CommentID // zero: all
}

// conversation makes comments, most of them replies.
func (f *fixture) conversation(n int) *conversation {
	f.Helper()
	t := &conversation{fixture: f, writer: f.user(), parents: map[blog.CommentID]blog.CommentID{}}
	t.post = f.post(t.writer)
	for i := range n {
		if i == 0 || f.random.IntN(5) == 0 {
			t.add(blog.CommentKey{})
		} else {
			t.reply(max(f.random.IntN(i), f.random.IntN(i)))
		}
	}
	return t
}

func (t *conversation) reply(to int) { t.add(t.comments[to].Key()) }

func (t *conversation) add(parent blog.CommentKey) blog.Comment {
	t.Helper()
	c, _ := t.createComment(blog.CreateComment{Author: t.writer.ID, Post: t.post.ID, Content: "A comment.", Parent: parent})
	t.comments, t.parents[c.ID] = append(t.comments, c), parent.Comment
	return c
}

func (t *conversation) delete(i int) {
	t.Helper()
	t.deleteComment(t.comments[i])
	t.comments = slices.Delete(t.comments, i, i+1)
}

// stands is an entry of a thread: what it is below, and whether it is there.
type stands struct {
	ID     blog.CommentID
	Parent blog.CommentID
	Depth  int
	There  bool
}

// expected returns the entries below a comment, zero for all, at a depth.
func (t *conversation) expected(of blog.CommentID, depth int) (entries []stands) {
	var below []blog.CommentID
	for id := range t.parents {
		if t.level(id) == depth && t.stand(id) == of {
			below = append(below, id)
		}
	}
	slices.SortFunc(below, func(a, b blog.CommentID) int {
		if depth == 0 {
			a, b = b, a
		}
		return a.Compare(b.UUID)
	})
	for _, id := range below {
		there := slices.ContainsFunc(t.comments, func(c blog.Comment) bool { return c.ID == id })
		if replies := t.expected(id, depth+1); there || len(replies) > 0 {
			entries = append(append(entries, stands{id, t.parents[id], depth, there}), replies...)
		}
	}
	return entries
}

// level is how many comments stand above one.
func (t *conversation) level(id blog.CommentID) int {
	n := 0
	for at := t.parents[id]; !at.IsZero(); at = t.parents[at] {
		n++
	}
	return min(n, blog.Levels-1)
}

// stand is what a comment stands below.
func (t *conversation) stand(id blog.CommentID) blog.CommentID {
	at := t.parents[id]
	for !at.IsZero() && t.level(at) == t.level(id) {
		at = t.parents[at]
	}
	return at
}

// isShown compares the conversation with what the store shows, in pages of several sizes, both ways.
func (t *conversation) isShown() {
	t.Helper()
	want := t.expected(blog.CommentID{}, 0)
	q := blog.ThreadQuery{Post: t.post.ID}
	if !t.under.IsZero() {
		top := slices.IndexFunc(want, func(e stands) bool { return e.ID == t.under })
		end := top + 1
		for end < len(want) && want[end].Depth > want[top].Depth {
			end++
		}
		want = want[top:end]
		q.Under = t.commentByKey(blog.CommentKey{Post: t.post.ID, Comment: t.under}).Place()
	}
	for _, size := range []int{1, 7, blog.MaxPage} {
		for _, direction := range []bool{forward, backward} {
			rows := walk(t.fixture, t.list(q), size, direction)
			got := []stands{}
			for _, e := range rows {
				got = append(got, t.stands(e))
			}
			equal(t.fixture, "entries", got, append([]stands{}, want...))
		}
	}
	t.isBetweenCursors(q)
}

// isBetweenCursors reads from one entry to another, which a page of the list shows.
func (t *conversation) isBetweenCursors(q blog.ThreadQuery) {
	t.Helper()
	all := walk(t.fixture, t.list(q), blog.MaxPage, forward)
	for range min(10, len(all)) {
		a, b := t.random.IntN(len(all)), t.random.IntN(len(all))
		if a > b {
			a, b = b, a
		}
		for _, direction := range []bool{forward, backward} {
			q.Page = blog.PageRequest[blog.Path]{Limit: blog.MaxPage, Backward: direction, After: &all[a].Path, Before: &all[b].Path}
			page, err := t.store.CommentsByThread(t.ctx, q)
			t.ok(err, "a page between two cursors")
			want := all[min(a+1, b):b]
			equal(t.fixture, "between two cursors", keysOf(page.Items, threadRows.key), keysOf(want, threadRows.key))
		}
	}
}

func (t *conversation) list(q blog.ThreadQuery) list[blog.Path, blog.ThreadEntry] {
	read := func(r blog.PageRequest[blog.Path]) (blog.Page[blog.ThreadEntry], error) {
		q.Page = r
		return t.store.CommentsByThread(t.ctx, q)
	}
	return list[blog.Path, blog.ThreadEntry]{name: "threads", read: read, key: threadRows.key, newest: comparePaths}
}

// stands tells of an entry, whose comment is as its own query shows it.
func (t *conversation) stands(e blog.ThreadEntry) stands {
	t.Helper()
	s := stands{ID: e.Path.Comment(), Depth: e.Depth(), There: e.Comment != nil}
	if parent := e.ParentID(); parent != nil {
		s.Parent = parent.Comment
	}
	if i := slices.IndexFunc(t.comments, func(c blog.Comment) bool { return c.ID == s.ID }); s.There && i >= 0 {
		equal(t.fixture, "comment", *e.Comment, t.comments[i])
	}
	return s
}

// Threads is a method of [blog.Floor].
func (m *Model) Threads(ctx context.Context, post blog.PostID, from, to blog.Path, backward bool, limit int) ([]blog.Comment, error) {
	defer m.query(ctx, blog.CommentsByThread)()
	if err := m.absent(post); err != nil {
		return nil, err
	}
	rows := m.listComments(func(c blog.Comment) bool { return c.Post == post && c.Place() >= from && c.Place() < to })
	slices.SortFunc(rows, func(a, b blog.Comment) int { return comparePaths(a.Place(), b.Place()) })
	if backward {
		slices.Reverse(rows)
	}
	return rows[:min(limit, len(rows))], nil
}
