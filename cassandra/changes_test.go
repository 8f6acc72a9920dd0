package cassandra_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/changes"
	"broadsheet/internal/live"
	"broadsheet/internal/testkeyspace"
)

// changesOf reads the whole feed as a server shows it, from a cursor on.
func changesOf(t *testing.T, store *cassandra.Store, after changes.Cursor) (all []blog.Change) {
	t.Helper()
	reader := changes.Follow(store.Changes(), after)
	for {
		events, err := reader.Next(t.Context(), 7)
		must(t, err)
		if len(events) == 0 {
			return all
		}
		for _, e := range events {
			all = append(all, e.Change)
		}
	}
}

// kindsOf returns what changes say of a post, in alphabetical order.
func kindsOf(all []blog.Change, post blog.PostID) (kinds []blog.ChangeKind) {
	for _, c := range all {
		if c.Post == post {
			kinds = append(kinds, c.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// judgeFeed compares the whole feed with what was acknowledged, and with the truths: each command
// is told once, those whose outcome is not known at most once, and each post's comments are
// numbered without a hole.
func (w *workload) judgeFeed(server *cassandra.Store) {
	t := w.t
	t.Helper()
	all := changesOf(t, server, changes.Cursor{})
	w.judgeOnce(all)
	w.judgeNumbers(all)
	posts, of := map[blog.PostID]int{}, map[blog.CommentID]map[blog.ChangeKind]int{}
	likes, users := map[blog.ReactionKey]map[blog.ChangeKind]int{}, map[blog.UserID]map[blog.ChangeKind]int{}
	for _, c := range all {
		switch {
		case !c.Comment.IsZero():
			count(of, c.Comment, c.Kind)
		case c.Kind == blog.PostCreated:
			posts[c.Post]++
		case !c.Post.IsZero():
			count(likes, blog.ReactionKey{Of: blog.Likes, To: c.Post.UUID, User: c.Actor}, c.Kind)
		default:
			count(users, c.Actor, c.Kind)
		}
	}
	for _, post := range w.posts {
		within(t, "a post is told", posts[post], 1, 1)
	}
	for _, writer := range w.writers {
		within(t, "an account is told", users[writer.user.ID][blog.UserCreated], 1, 1)
		within(t, "renames are told", users[writer.user.ID][blog.UserUpdated], writer.renames.acknowledged, writer.renames.tried)
		for _, c := range writer.comments {
			told := of[c.key.Comment]
			within(t, "a comment is told", told[blog.CommentCreated], 1, 1)
			within(t, "its edits are told", told[blog.CommentUpdated], c.edits.acknowledged, c.edits.tried)
			within(t, "its deletion is told", told[blog.CommentDeleted], c.deletions.acknowledged, c.deletions.tried)
		}
		for post, tries := range writer.toggles {
			told := likes[blog.ReactionKey{Of: blog.Likes, To: post.UUID, User: writer.user.ID}]
			least := 0 // to take back what was never given is no change
			if slices.Equal(writer.likes[post], state{"liked"}) {
				least = 1
			}
			within(t, "a like is told", told[blog.PostLiked], least, tries.tried)
			within(t, "likes and their ends are told", told[blog.PostLiked]+told[blog.PostUnliked], least, tries.tried)
		}
	}
}

func count[K comparable](of map[K]map[blog.ChangeKind]int, key K, kind blog.ChangeKind) {
	if of[key] == nil {
		of[key] = map[blog.ChangeKind]int{}
	}
	of[key][kind]++
}

func within(t *testing.T, what string, got, least, most int) {
	t.Helper()
	if got < least || got > most {
		t.Errorf("%s %d times, want %d to %d", what, got, least, most)
	}
}

// judgeOnce compares the rows of the logs with what was read of them: no command is told twice.
func (w *workload) judgeOnce(all []blog.Change) {
	commands := map[string]string{}
	for _, row := range testkeyspace.Rows(w.t, w.config, "SELECT log, number, command_id FROM %s.changes_by_log") {
		commands[fmt.Sprint(row["log"], row["number"])] = fmt.Sprint(row["command_id"])
	}
	seen := map[string]blog.Change{}
	for _, c := range all {
		command := commands[fmt.Sprint(c.Log, c.Number)]
		if other, twice := seen[command]; twice || command == "" {
			w.t.Errorf("the command %q is told as %+v, and as %+v", command, c, other)
		}
		seen[command] = c
	}
}

// judgeNumbers compares the comments of which the feed tells with those that each post has, deleted
// ones too.
func (w *workload) judgeNumbers(all []blog.Change) {
	numbers := map[string][]int{}
	for _, c := range all {
		if c.Kind == blog.CommentCreated {
			numbers[c.Post.String()] = append(numbers[c.Post.String()], c.Comments)
		}
	}
	for _, row := range testkeyspace.Rows(w.t, w.config, "SELECT DISTINCT post_id, bucket, comment_rows FROM %s.comments_by_post") {
		of := numbers[fmt.Sprint(row["post_id"])]
		slices.Sort(of)
		for i, n := range of {
			if n != i+1 {
				w.t.Errorf("the comments of a post are numbered %v", of)
				break
			}
		}
		if row["comment_rows"] != len(of) {
			w.t.Errorf("the feed tells of %d comments, the post has had %v", len(of), row["comment_rows"])
		}
	}
}

// A server that is killed between the copies and the mark, before it told the feed or after: the
// command is in the feed once, when another has recovered it.
func TestChangesOfAServerThatIsKilled(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		text  string
		fault faultproxy.Fault
	}{
		"before it began its log":    {"INSERT INTO change_logs", faultproxy.DieBefore},
		"before it told":             {"INSERT INTO changes_by_log", faultproxy.DieBefore},
		"after it told":              {"INSERT INTO changes_by_log", faultproxy.DieAfter},
		"before the mark":            {"UPDATE journal SET done", faultproxy.DieBefore},
		"before the copies were all": {"UPDATE feed_by_bucket", faultproxy.DieBefore},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := testkeyspace.New(t)
			other := testkeyspace.Open(t, config, blog.Options{})
			user := testkeyspace.NewUser(t, other)
			err := dyingPost(t, config, of.fault, of.text, blog.CreatePost{Author: user.ID, Title: "T", Content: "c"})
			must(t, other.Settle(t.Context()))
			healer := lookedAgain(t, config)
			found := slices.DeleteFunc(changesOf(t, healer, changes.Cursor{}), func(c blog.Change) bool { return c.Actor != user.ID || c.Kind != blog.PostCreated })
			if len(found) != 1 {
				t.Errorf("after %v the feed tells of the post %d times", err, len(found))
			}
		})
	}
}

// dyingPost has a server carry out a command, which dies at the first statement that begins with a text.
func dyingPost(t *testing.T, config cassandra.Config, fault faultproxy.Fault, text string, c blog.CreatePost) error {
	t.Helper()
	b := &breakable{t: t, config: config}
	b.start()
	b.proxy.Strike(1, fault, func(r faultproxy.Request) bool { return mentions(r, text) })
	server, answered := b.server, make(chan error, 1)
	go func() {
		_, err := server.CreatePost(t.Context(), c)
		answered <- err
	}()
	select {
	case <-b.proxy.Died():
	case <-time.After(time.Minute):
		t.Fatal("the server lives")
	}
	b.bury()
	return <-answered
}

// lookedAgain returns a server that has recovered what others left behind, and looked once more.
func lookedAgain(t *testing.T, config cassandra.Config) *cassandra.Store {
	t.Helper()
	healer := longAgo(t, config, time.Minute)
	for range 2 {
		must(t, recovered(t.Context(), healer))
	}
	return healer
}

func mentions(r faultproxy.Request, text string) bool {
	return slices.ContainsFunc(r.CQL, func(cql string) bool { return len(cql) >= len(text) && cql[:len(text)] == text })
}

// A command that comes again under its key, on another server, for the first one died in the middle
// of it, is in the feed once, whichever of the two made its truth stand.
func TestChangesOfACommandThatComesAgain(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		text  string
		fault faultproxy.Fault
	}{
		"the first one wrote no intent": {"INSERT INTO journal", faultproxy.DieBefore},
		"the first one wrote no truth":  {"INSERT INTO posts_by_id", faultproxy.DieBefore},
		"the first one wrote the truth": {"INSERT INTO posts_by_id", faultproxy.DieAfter},
		"the first one told":            {"INSERT INTO changes_by_log", faultproxy.DieAfter},
		"the first one did all":         {"UPDATE journal SET done", faultproxy.DieAfter},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := testkeyspace.New(t)
			other := testkeyspace.Open(t, config, blog.Options{})
			user := testkeyspace.NewUser(t, other)
			c := blog.CreatePost{Author: user.ID, Title: "T", Content: "c", IdempotencyKey: new("k")}
			_ = dyingPost(t, config, of.fault, of.text, c) // its outcome is not known
			post, err := other.CreatePost(t.Context(), c)
			must(t, err)
			must(t, other.Settle(t.Context()))
			if got := kindsOf(changesOf(t, lookedAgain(t, config), changes.Cursor{}), post.ID); !slices.Equal(got, []blog.ChangeKind{blog.PostCreated}) {
				t.Errorf("the feed tells of it as %v", got)
			}
		})
	}
}

// A command whose answer is lost, and what it was done to is gone before its server looks: nothing is found, so it is
// refused, and the feed tells of it all the same.
func TestChangesOfACommandThatFindsNothing(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		table string // of its truth
		run   func(ctx context.Context, s *cassandra.Store, user blog.UserID, on blog.CommentKey) error
		tells blog.ChangeKind
	}{
		"a comment": {
			"comments_by_post",
			func(ctx context.Context, s *cassandra.Store, user blog.UserID, on blog.CommentKey) error {
				_, _, err := s.CreateComment(ctx, blog.CreateComment{Author: user, Post: on.Post, Content: "c"})
				return err
			}, blog.CommentCreated,
		},
		"an edit of a comment": {
			"comments_by_post",
			func(ctx context.Context, s *cassandra.Store, user blog.UserID, on blog.CommentKey) error {
				_, err := s.UpdateComment(ctx, blog.UpdateComment{Actor: user, Key: on, Content: "another"})
				return err
			}, blog.CommentUpdated,
		},
		"a deletion of a comment": {
			"comments_by_post",
			func(ctx context.Context, s *cassandra.Store, user blog.UserID, on blog.CommentKey) error {
				_, err := s.DeleteComment(ctx, blog.DeleteComment{Actor: user, Key: on})
				return err
			}, blog.CommentDeleted,
		},
		"a like": {
			"like_claims",
			func(ctx context.Context, s *cassandra.Store, user blog.UserID, on blog.CommentKey) error {
				_, _, err := s.React(ctx, blog.Likes, user, on.Post.UUID, true)
				return err
			}, blog.PostLiked,
		},
		"an edit of a post": {
			"posts_by_id",
			func(ctx context.Context, s *cassandra.Store, user blog.UserID, on blog.CommentKey) error {
				_, err := s.UpdatePost(ctx, blog.UpdatePost{Actor: user, Post: on.Post, Title: blog.SetTo("Another")})
				return err
			}, blog.PostUpdated,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBreakable(t)
			b.start()
			other := testkeyspace.Open(t, b.config, blog.Options{})
			user := testkeyspace.NewUser(t, other)
			post := testkeyspace.NewPost(t, other, user)
			comment, _, err := other.CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
			must(t, err)
			must(t, other.Settle(t.Context()))
			lost, gone := false, false
			b.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
				switch {
				case !lost && r.IsStatement() && r.Conditional():
					lost = true
					return faultproxy.LoseAnswer
				case lost && !gone && r.IsStatement() && slices.ContainsFunc(r.CQL, func(cql string) bool { return strings.Contains(cql, of.table) }):
					gone = true
					must(t, other.DeletePost(t.Context(), blog.DeletePost{Actor: user.ID, Post: post.ID}))
					must(t, other.Settle(t.Context()))
				}
				return faultproxy.None
			})
			if err := of.run(t.Context(), b.server, user.ID, comment.Key()); !blog.IsNotFound(err) {
				t.Errorf("it is answered with %v, and lost is %v, gone %v", err, lost, gone)
			}
			must(t, b.server.Settle(t.Context()))
			b.end()
			want := []blog.ChangeKind{blog.CommentCreated, of.tells, blog.PostCreated, blog.PostDeleted}
			slices.Sort(want)
			if got := kindsOf(changesOf(t, lookedAgain(t, b.config), changes.Cursor{}), post.ID); !slices.Equal(got, want) {
				t.Errorf("the feed tells of %v, want %v", got, want)
			}
		})
	}
}

// A rename that the feed can't be told of is carried through all the same, and told by recovery.
func TestARenameThatCannotBeTold(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	b := &breakable{t: t, config: config}
	b.start()
	defer func() { must(t, b.server.Close()) }()
	user := testkeyspace.NewUser(t, b.server)
	post := testkeyspace.NewPost(t, b.server, user)
	must(t, b.server.Settle(t.Context()))
	b.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
		if mentions(r, "INSERT INTO changes_by_log") {
			return faultproxy.Fail
		}
		return faultproxy.None
	})
	rename(t, b.server, user.ID, "renamed")
	must(t, b.server.Settle(t.Context()))
	b.proxy.SetRule(nil)
	for _, row := range testkeyspace.Rows(t, config, "SELECT post_id, username FROM %s.feed_by_bucket") {
		if row["username"] != "renamed" {
			t.Errorf("the feed names the author %v", row["username"])
		}
	}
	told := func(server *cassandra.Store) (n int) {
		for _, c := range changesOf(t, server, changes.Cursor{}) {
			if c.Kind == blog.UserUpdated {
				n++
			}
		}
		return n
	}
	if n := told(b.server); n != 0 {
		t.Fatalf("the rename was told %d times, and should not have been", n)
	}
	healer := lookedAgain(t, config)
	if n := told(healer); n != 1 {
		t.Errorf("the rename is told %d times", n)
	}
	if got, err := healer.PostByID(t.Context(), post.ID); err != nil || got.Author.Username != "renamed" {
		t.Errorf("%+v, %v", got.Author, err)
	}
}

// A server whose clock is wrong by an hour ends no log that another one writes, for it goes by the
// nodes' time; nor does it take what others told for expired, or miss it.
func TestAFollowerWhoseClockIsWrong(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	server := testkeyspace.Open(t, config, blog.Options{})
	user := testkeyspace.NewUser(t, server)
	for _, wrong := range []time.Duration{-30 * time.Hour, -time.Hour, time.Hour, 30 * time.Hour} {
		post := testkeyspace.NewPost(t, server, user)
		must(t, server.Settle(t.Context()))
		all := changesOf(t, besideNodes(t, config, offset(wrong)), changes.Cursor{})
		if !slices.Equal(kindsOf(all, post.ID), []blog.ChangeKind{blog.PostCreated}) {
			t.Errorf("with a clock that is wrong by %v the feed has %v", wrong, all)
		}
	}
	logs, err := server.Changes().ChangeLogs(t.Context())
	must(t, err)
	if len(logs) != 1 || logs[0].Ended {
		t.Errorf("there are the logs %+v, want the server's own alone", logs)
	}
}

// Servers whose clocks are 5 s apart write, and a follower on a third one reads beside them, by
// cursors that it gets from any of them.
func TestChangesOfServersWhoseClocksAreApart(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	config.ClusterClock = blog.SystemClock{}
	var servers []*cassandra.Store
	for _, apart := range []time.Duration{-2500 * time.Millisecond, 2500 * time.Millisecond, 0} {
		servers = append(servers, testkeyspace.Open(t, config, blog.Options{Clock: offset(apart)}))
	}
	user := testkeyspace.NewUser(t, servers[0])
	post := testkeyspace.NewPost(t, servers[0], user)
	for _, server := range servers {
		must(t, server.Settle(t.Context()))
	}
	feed := servers[2].Changes()
	from, err := changes.Now(t.Context(), feed, offset(2500*time.Millisecond))
	must(t, err)
	const each = 100
	var writing sync.WaitGroup
	writing.Go(func() {
		atOnce(t, 2*each, func(i int) error {
			_, _, err := servers[i%2].CreateComment(t.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "c"})
			return err
		})
	})
	var numbers []int
	at := from.String()
	deadline := time.Now().Add(time.Minute)
	for i := 0; len(numbers) < 2*each && time.Now().Before(deadline); i++ {
		cursor, err := changes.ParseCursor(at)
		must(t, err)
		events, err := changes.Follow(servers[i%3].Changes(), cursor).Next(t.Context(), 10)
		must(t, err)
		for _, e := range events[:min(len(events), 5)] {
			numbers, at = append(numbers, e.Comments), e.Cursor.String()
		}
	}
	writing.Wait()
	slices.Sort(numbers)
	for i, n := range numbers {
		if n != i+1 {
			t.Fatalf("comment %d is numbered %d", i+1, n)
		}
	}
	if len(numbers) != 2*each {
		t.Errorf("%d comments came, want %d", len(numbers), 2*each)
	}
}

// What a follower costs while nothing is written: the directory, and each log that is written. What
// it found costs a look at its log more, unless it is this process' own.
func TestStatementsOfFollowing(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	var made recorder
	own := testkeyspace.Open(t, config, blog.Options{Observer: &made})
	servers := []*cassandra.Store{own, testkeyspace.Open(t, config, blog.Options{}), testkeyspace.Open(t, config, blog.Options{})}
	for _, server := range servers {
		testkeyspace.NewUser(t, server)
		must(t, server.Settle(t.Context()))
	}
	reader := changes.Follow(own.Changes(), changes.Cursor{})
	next := func(want int) (reads []blog.Table) {
		t.Helper()
		made.take()
		events, err := reader.Next(t.Context(), 10)
		must(t, err)
		if len(events) != want {
			t.Errorf("%d changes, want %d", len(events), want)
		}
		for _, s := range made.take() {
			if s.Kind != blog.Read || s.Partitions != 1 {
				t.Errorf("made a %s of %d partitions of %s", s.Kind, s.Partitions, s.Table)
			}
			reads = append(reads, s.Table)
		}
		slices.Sort(reads)
		return reads
	}
	for _, want := range []struct{ found, reads int }{{3, 6}, {0, 4}, {0, 4}} {
		if reads := next(want.found); len(reads) != want.reads {
			t.Errorf("with %d changes it reads %v, want %d reads", want.found, reads, want.reads)
		}
	}
	must(t, servers[2].Close())
	next(0)
	if reads := next(0); len(reads) != 3 {
		t.Errorf("beside a log that has ended it reads %v", reads)
	}
}

// A stream that goes on after a cursor of after the backup that was restored gets an error, however much has
// followed, and however short a time ago the backup was made.
func TestACursorOfAfterTheBackup(t *testing.T) {
	t.Parallel()
	for name, ago := range map[string]time.Duration{"a moment ago": 0, "an hour ago": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testCursorOfAfterTheBackup(t, ago)
		})
	}
}

func testCursorOfAfterTheBackup(t *testing.T, ago time.Duration) {
	config, copied := testkeyspace.New(t), testkeyspace.New(t)
	open := func(c cassandra.Config) (*live.Hub, func()) {
		s := testkeyspace.Open(t, c, blog.Options{})
		author, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
		must(t, err)
		hub := live.New(live.Config{Store: s})
		t.Cleanup(hub.Stop)
		return hub, func() {
			t.Helper()
			_, err := s.CreatePost(t.Context(), blog.CreatePost{Author: author.ID, Title: "T", Content: "c"})
			must(t, err)
		}
	}
	next := func(hub *live.Hub, after *string) (told func() string) {
		t.Helper()
		stream, err := hub.Posts(t.Context(), blog.PostCreated, after)
		must(t, err)
		return func() string {
			t.Helper()
			e, err := stream.Next(t.Context())
			must(t, err)
			return e.Cursor
		}
	}
	hub, post := open(config)
	told := next(hub, nil)
	post()
	known := told()
	for _, table := range []blog.Table{blog.ChangeLogs, blog.ChangesByLog, blog.ChangeLogEnds} {
		for _, row := range testkeyspace.JSON(t, config, table) {
			testkeyspace.Execute(t, copied, testkeyspace.InsertJSON(t, table, row))
		}
	}
	for _, row := range testkeyspace.Rows(t, copied, "SELECT bucket, log FROM %s.change_logs") {
		testkeyspace.Execute(t, copied, fmt.Sprintf("UPDATE %%s.change_logs SET seen = %d WHERE bucket = %v AND log = %v",
			time.Now().Add(-ago).UnixMilli(), row["bucket"], row["log"]))
	}
	post()
	lost := told()

	hub, post = open(copied)
	for followed := range 3 {
		soon, end := context.WithTimeout(t.Context(), 20*time.Second)
		stream, err := hub.Posts(soon, blog.PostCreated, &lost)
		must(t, err)
		if e, err := stream.Next(soon); blog.KindOf(err) != blog.Expired {
			t.Errorf("when %d have followed: %v %v", followed, e.Cursor, err)
		}
		end()
		post()
	}
	told = next(hub, &known)
	for range 3 {
		told()
	}
}
