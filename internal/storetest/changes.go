package storetest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
)

// follower is told of the changes of a fixture's store from when it was made.
type follower struct {
	*fixture
	feed blog.Changes

	mu   sync.Mutex
	told []blog.Change
}

func (f *fixture) follow() *follower {
	l := &follower{fixture: f, feed: f.raw.Changes()}
	stop := l.feed.WatchChanges(func(c blog.Change) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.told = append(l.told, c)
	})
	f.Cleanup(stop)
	return l
}

// changes returns what was appended since, as it was told, and fails unless it is read back the
// same, in parts of any size.
func (l *follower) changes() []blog.Change {
	l.Helper()
	l.settle()
	l.mu.Lock()
	told := slices.Clone(l.told)
	l.mu.Unlock()
	for i := range told {
		equal(l.fixture, "log", told[i].Log, told[0].Log)
		equal(l.fixture, "number", told[i].Number, told[0].Number+int64(i))
	}
	if len(told) == 0 {
		return nil
	}
	log := l.logOf(told[0])
	for _, limit := range []int{1, 2, len(told), len(told) + 1} {
		equal(l.fixture, "changes that are read", l.read(log, told[0].Number-1, limit), told)
	}
	latest, err := l.feed.LatestChange(l.ctx, log)
	l.ok(err, "reading changes")
	equal(l.fixture, "the latest", latest, told[len(told)-1].Number)
	return told
}

// logOf returns the log of a change, as the directory has it.
func (l *follower) logOf(c blog.Change) blog.ChangeLog {
	l.Helper()
	logs, err := l.feed.ChangeLogs(l.ctx)
	l.ok(err, "reading the logs")
	i := slices.IndexFunc(logs, func(of blog.ChangeLog) bool { return of.ID == c.Log })
	if i < 0 || logs[i].Ended {
		l.Fatalf("%v, without the log of %v", logs, c)
	}
	return logs[i]
}

// read reads all that follows a number, so many at once.
func (l *follower) read(log blog.ChangeLog, number int64, limit int) (all []blog.Change) {
	l.Helper()
	for {
		part, err := l.feed.ChangesAfter(l.ctx, log, number, limit)
		l.ok(err, "reading changes")
		if len(part) > limit {
			l.Fatalf("%d changes, at most %d were asked for", len(part), limit)
		}
		if len(part) == 0 {
			return all
		}
		all = append(all, part...)
		number = part[len(part)-1].Number
	}
}

// kinds returns changes without what no test can know.
func kinds(changes []blog.Change) []blog.Change {
	for i := range changes {
		changes[i].Log, changes[i].Number, changes[i].At = blog.LogID{}, 0, time.Time{}
	}
	return changes
}

var changes = []leaf{
	{"each command that has an effect is a change, in the order of their numbers", func(f *fixture) {
		l := f.follow()
		author := f.user()
		p := f.post(author)
		c := f.comment(author, p)
		f.updateUser(blog.UpdateUser{Actor: author.ID, Username: blog.SetTo(f.name())})
		f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("Another")})
		f.updateComment(blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: "Another."})
		f.react(author, p)
		f.takeBack(author, p)
		f.deleteComment(c)
		f.settle() // what is appended after the reply may be so in any order
		again := f.comment(author, p)
		f.deletePost(p)
		equal(f, "changes", sortedChanges(kinds(l.changes())), sortedChanges([]blog.Change{
			{Kind: blog.UserCreated, Actor: author.ID},
			{Kind: blog.PostCreated, Actor: author.ID, Post: p.ID},
			{Kind: blog.CommentCreated, Actor: author.ID, Post: p.ID, Comment: c.ID, Comments: 1},
			{Kind: blog.UserUpdated, Actor: author.ID},
			{Kind: blog.PostUpdated, Actor: author.ID, Post: p.ID},
			{Kind: blog.CommentUpdated, Actor: author.ID, Post: p.ID, Comment: c.ID},
			{Kind: blog.PostLiked, Actor: author.ID, Post: p.ID},
			{Kind: blog.PostUnliked, Actor: author.ID, Post: p.ID},
			{Kind: blog.CommentDeleted, Actor: author.ID, Post: p.ID, Comment: c.ID},
			{Kind: blog.CommentCreated, Actor: author.ID, Post: p.ID, Comment: again.ID, Comments: 2},
			{Kind: blog.PostDeleted, Actor: author.ID, Post: p.ID},
		}))
	}},
	{"what had no effect is no change", func(f *fixture) {
		author, other := f.user(), f.user()
		p := f.post(author)
		c := f.comment(author, p)
		f.react(author, p)
		l := f.follow()
		f.settle()
		l.told = nil // the commands before may have been told late
		f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo(p.Title)})
		f.updateComment(blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: c.Content})
		f.updateUser(blog.UpdateUser{Actor: author.ID, Username: blog.SetTo(author.Username)})
		f.react(author, p)
		f.takeBack(other, p)
		_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: other.ID, Key: c.Key()})
		f.refused(err, blog.Forbidden, "")
		_, err = f.store.CreateUser(f.ctx, blog.CreateUser{Subject: f.name(), Username: author.Username})
		f.refused(err, blog.Taken, "username")
		f.deletePost(p)
		equal(f, "changes", kinds(l.changes()), []blog.Change{{Kind: blog.PostDeleted, Actor: author.ID, Post: p.ID}})
	}},
	{"a command that is repeated under its key is one change", func(f *fixture) {
		author := f.user()
		l := f.follow()
		f.settle()
		l.told = nil
		create := f.keyedPost(author)
		for range 3 {
			_, err := f.store.CreatePost(f.ctx, create)
			f.ok(err, "a command")
		}
		equal(f, "changes", len(l.changes()), 1)
	}},
	{"comments are numbered without a hole, whoever makes them at once", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		l := f.follow()
		const n = 40
		f.atOnce(n, func(i int) error {
			c, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: p.ID, Content: "Here."})
			if err == nil && i%4 == 0 {
				_, err = f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: author.ID, Key: c.Key()})
			}
			return err
		})
		var numbers []int
		for _, c := range l.changes() {
			if c.Kind == blog.CommentCreated {
				numbers = append(numbers, c.Comments)
			}
		}
		slices.Sort(numbers)
		var want []int
		for i := range n {
			want = append(want, i+1)
		}
		equal(f, "numbers", numbers, want)
	}},
	{"what a change names is there when it is told", func(f *fixture) {
		author := f.user()
		feed := f.raw.Changes()
		seen := make(chan error, 100)
		stop := feed.WatchChanges(func(c blog.Change) {
			if c.Kind == blog.PostCreated {
				go func() { _, err := f.store.PostByID(f.ctx, c.Post); seen <- err }()
			}
		})
		defer stop()
		for range 20 {
			f.post(author)
		}
		for range 20 {
			f.ok(<-seen, "reading a post")
		}
	}},
	{"a position to which a log has not come has expired, however new the log", func(f *fixture) {
		l := f.follow()
		for range 3 {
			f.user()
			told := l.changes()
			last := told[len(told)-1]
			for _, ahead := range []int64{1, 2, 5000} {
				found, err := l.feed.ChangesAfter(f.ctx, l.logOf(last), last.Number+ahead, 10)
				if blog.KindOf(err) != blog.Expired {
					f.Errorf("%d ahead: %v, %v, want an expired position", ahead, found, err)
				}
			}
		}
	}},
	{"another's log is empty, and stays so", func(f *fixture) {
		feed := f.raw.Changes()
		found, err := feed.ChangesAfter(f.ctx, blog.ChangeLog{ID: blog.LogID{UUID: f.nobody().ID.UUID}}, 0, 10)
		f.ok(err, "a command")
		equal(f, "changes", len(found), 0)
	}},
}

// changesExpiry is tested where the store forgets by the clock that it was given.
var changesExpiry = []leaf{
	{"a position of long ago has expired", func(f *fixture) {
		l := f.follow()
		for range 3 {
			f.user()
		}
		first := l.changes()[0]
		f.clock.Advance(blog.KeepChanges + time.Hour)
		for range 3 { // each drops some
			f.user()
		}
		f.settle()
		_, err := l.feed.ChangesAfter(f.ctx, l.logOf(first), first.Number-1, 10)
		var expired *blog.Error
		if !errors.As(err, &expired) || expired.Kind != blog.Expired {
			f.Errorf("%v, want an expired position", err)
		}
	}},
	{"changes of while a clock was ahead go once those after them have been kept for long enough", func(f *fixture) {
		author := f.user()
		f.clock.Advance(farAhead)
		l := f.follow()
		f.rename(author, f.name())
		f.posts(author, 10)
		f.clock.Advance(-farAhead)
		f.posts(author, 5)
		f.clock.Advance(blog.KeepChanges - time.Hour)
		f.posts(author, 5)
		before := l.changes() // and all of them can be read
		f.clock.Advance(2 * time.Hour)
		f.posts(author, 6)
		l.expired(before[:16])
		f.clock.Advance(blog.KeepChanges - time.Hour)
		f.posts(author, 6)
		l.expired(before)
	}},
	{"a clock that was behind takes away nothing early", func(f *fixture) {
		author := f.user()
		l := f.follow()
		f.posts(author, 3)
		f.clock.Advance(-farAhead)
		f.posts(author, 2)
		f.clock.Advance(farAhead + time.Hour)
		f.posts(author, 5)
		equal(f, "changes", len(l.changes()), 10)
	}},
}

// expired fails unless changes are kept no more, and as no more than those.
func (l *follower) expired(gone []blog.Change) {
	l.Helper()
	last := gone[len(gone)-1]
	log := l.logOf(last)
	if _, err := l.feed.ChangesAfter(l.ctx, log, last.Number-1, 10); blog.KindOf(err) != blog.Expired {
		l.Errorf("%v, want an expired position", err)
	}
	_, err := l.feed.ChangesAfter(l.ctx, log, last.Number, 10)
	l.ok(err, "reading what follows")
}

// sortedChanges orders changes by what they say.
func sortedChanges(all []blog.Change) []blog.Change {
	slices.SortStableFunc(all, func(a, b blog.Change) int {
		if a.Kind != b.Kind {
			return slices.Index(changeKinds, a.Kind) - slices.Index(changeKinds, b.Kind)
		}
		return a.Comments - b.Comments
	})
	return all
}

var changeKinds = []blog.ChangeKind{
	blog.UserCreated, blog.UserUpdated, blog.PostCreated, blog.PostUpdated, blog.PostDeleted,
	blog.CommentCreated, blog.CommentUpdated, blog.CommentDeleted, blog.PostLiked, blog.PostUnliked,
}
