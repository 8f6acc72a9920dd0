package cassandra_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// scene is what two commands meet on: the first is left by a server that dies, the second is
// whole, by another server, before recovery has been there.
type scene struct {
	left, next string

	user, other blog.User
	own         blog.Post // the user's
	theirs      blog.Post // the other's, with
	comment     blog.Comment
	liked       blog.Post // the other's, which the user likes

	// What the user has ever had, or was to have.
	usernames, emails, subjects, texts []string

	made storetest.Made
}

func (x *scene) String() string { return x.left + ", then " + x.next }

type sceneCommand struct {
	name string
	give func(ctx context.Context, s *cassandra.Store, x *scene, who string) error
}

// sceneCommands are all commands, as they are given in a scene. Who tells the first from the second.
var sceneCommands = []sceneCommand{
	{"createUser", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		u, err := s.CreateUser(ctx, blog.CreateUser{Subject: x.other.Subject + who, Username: x.other.Username[:19] + "made" + who})
		if err == nil {
			x.made.Users = append(x.made.Users, u.ID)
		}
		return err
	}},
	{"rename", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		name := x.user.Username[:20] + who
		x.usernames = append(x.usernames, name)
		_, err := s.UpdateUser(ctx, blog.UpdateUser{Actor: x.user.ID, Username: blog.SetTo(name)})
		return err
	}},
	{"another address", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		email := x.user.Username + who + "@example.org"
		x.emails = append(x.emails, email)
		_, err := s.UpdateUser(ctx, blog.UpdateUser{Actor: x.user.ID, Email: blog.SetTo(email), ProvedEmail: email})
		return err
	}},
	{"another bio", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		bio := "The bio " + who + " of " + x.user.Username
		x.texts = append(x.texts, bio)
		_, err := s.UpdateUser(ctx, blog.UpdateUser{Actor: x.user.ID, Bio: blog.SetTo(bio)})
		return err
	}},
	{"another display name", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		name := "The name " + who + " of " + x.user.Username
		x.texts = append(x.texts, name)
		_, err := s.UpdateUser(ctx, blog.UpdateUser{Actor: x.user.ID, DisplayName: blog.SetTo(name)})
		return err
	}},
	{"no address", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.UpdateUser(ctx, blog.UpdateUser{Actor: x.user.ID, Email: blog.Clear()})
		return err
	}},
	{"verifyEmail", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.VerifyEmail(ctx, blog.VerifyEmail{User: x.user.ID, Email: *x.user.Email, Verified: true})
		return err
	}},
	{"unverifyEmail", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.VerifyEmail(ctx, blog.VerifyEmail{User: x.user.ID, Email: *x.user.Email})
		return err
	}},
	{"relinkUser", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		subject := x.user.Subject + who + "relinked"
		x.subjects = append(x.subjects, subject)
		_, err := s.RelinkUser(ctx, blog.RelinkUser{User: x.user.ID, Subject: subject})
		return err
	}},
	{"suspendUser", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.SuspendUser(ctx, blog.SuspendUser{Role: blog.Operator, User: x.user.ID})
		return err
	}},
	{"restoreUser", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.RestoreUser(ctx, blog.RestoreUser{Role: blog.Operator, User: x.user.ID})
		return err
	}},
	{"promoteUser", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.SetModerator(ctx, blog.SetModerator{User: x.user.ID, Moderator: true})
		return err
	}},
	{"demoteUser", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.SetModerator(ctx, blog.SetModerator{User: x.user.ID})
		return err
	}},
	{"deleteAccount", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		return s.DeleteAccount(ctx, blog.DeleteAccount{Role: blog.Operator, User: x.user.ID})
	}},
	{"deleteAccount of the other", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		return s.DeleteAccount(ctx, blog.DeleteAccount{Role: blog.Operator, User: x.other.ID})
	}},
	{"createPost", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		p, err := s.CreatePost(ctx, blog.CreatePost{Author: x.user.ID, Title: "A post " + who, Content: "of " + x.user.Username})
		if err == nil {
			x.made.Posts = append(x.made.Posts, p.ID)
		}
		return err
	}},
	{"updatePost", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.UpdatePost(ctx, blog.UpdatePost{Actor: x.user.ID, Post: x.own.ID, Title: blog.SetTo("The title " + who)})
		return err
	}},
	{"deletePost", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		return s.DeletePost(ctx, blog.DeletePost{Actor: x.user.ID, Post: x.own.ID})
	}},
	{"deletePost of theirs by a moderator", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		return s.DeletePost(ctx, blog.DeletePost{Actor: x.user.ID, Role: blog.Moderator, Post: x.theirs.ID})
	}},
	{"deletePost of theirs", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		return s.DeletePost(ctx, blog.DeletePost{Actor: x.other.ID, Post: x.theirs.ID})
	}},
	{"deletePost of the liked", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		return s.DeletePost(ctx, blog.DeletePost{Actor: x.other.ID, Post: x.liked.ID})
	}},
	{"createComment", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		c, _, err := s.CreateComment(ctx, blog.CreateComment{Author: x.user.ID, Post: x.theirs.ID, Content: "A comment " + who + " of " + x.user.Username})
		if err == nil {
			x.made.Comments = append(x.made.Comments, c.Key())
		}
		return err
	}},
	{"updateComment", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.UpdateComment(ctx, blog.UpdateComment{Actor: x.user.ID, Key: x.comment.Key(), Content: "An edit " + who})
		return err
	}},
	{"deleteComment", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.DeleteComment(ctx, blog.DeleteComment{Actor: x.user.ID, Key: x.comment.Key()})
		return err
	}},
	{"deleteComment by the post's author", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.DeleteComment(ctx, blog.DeleteComment{Actor: x.other.ID, Key: x.comment.Key()})
		return err
	}},
	{"likePost", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, _, err := s.LikePost(ctx, blog.LikePost{Actor: x.user.ID, Post: x.theirs.ID})
		return err
	}},
	{"unlikePost", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.UnlikePost(ctx, blog.UnlikePost{Actor: x.user.ID, Post: x.liked.ID})
		return err
	}},
	{"unlikePost of what may be liked", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.UnlikePost(ctx, blog.UnlikePost{Actor: x.user.ID, Post: x.theirs.ID})
		return err
	}},
	{"likePost of the liked", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, _, err := s.LikePost(ctx, blog.LikePost{Actor: x.user.ID, Post: x.liked.ID})
		return err
	}},
	{"followUser", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, _, err := s.FollowUser(ctx, blog.FollowUser{Actor: x.user.ID, User: x.other.ID})
		return err
	}},
	{"unfollowUser of whom may be followed", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.UnfollowUser(ctx, blog.UnfollowUser{Actor: x.user.ID, User: x.other.ID})
		return err
	}},
	{"unfollowUser by the other", func(ctx context.Context, s *cassandra.Store, x *scene, who string) error {
		_, err := s.UnfollowUser(ctx, blog.UnfollowUser{Actor: x.other.ID, User: x.user.ID})
		return err
	}},
}

// newScene makes what the commands of a case meet.
func newScene(t *testing.T, s *cassandra.Store) *scene {
	t.Helper()
	ctx := t.Context()
	x := &scene{user: testkeyspace.NewUser(t, s), other: testkeyspace.NewUser(t, s)}
	x.own, x.theirs, x.liked = testkeyspace.NewPost(t, s, x.user), testkeyspace.NewPost(t, s, x.other), testkeyspace.NewPost(t, s, x.other)
	var err error
	x.comment, _, err = s.CreateComment(ctx, blog.CreateComment{Author: x.user.ID, Post: x.theirs.ID, Content: "The comment of " + x.user.Username})
	must(t, err)
	_, _, err = s.LikePost(ctx, blog.LikePost{Actor: x.user.ID, Post: x.liked.ID})
	must(t, err)
	_, _, err = s.FollowUser(ctx, blog.FollowUser{Actor: x.other.ID, User: x.user.ID})
	must(t, err)
	gone := testkeyspace.NewPost(t, s, x.user)
	must(t, s.DeletePost(ctx, blog.DeletePost{Actor: x.user.ID, Post: gone.ID}))
	c, _, err := s.CreateComment(ctx, blog.CreateComment{Author: x.user.ID, Post: x.theirs.ID, Content: "Another of " + x.user.Username})
	must(t, err)
	_, err = s.DeleteComment(ctx, blog.DeleteComment{Actor: x.user.ID, Key: c.Key()})
	must(t, err)
	x.usernames, x.emails, x.subjects = []string{x.user.Username}, []string{*x.user.Email}, []string{x.user.Subject}
	x.made.Users, x.made.Comments = []blog.UserID{x.user.ID, x.other.ID}, []blog.CommentKey{x.comment.Key(), c.Key()}
	x.made.Posts = []blog.PostID{x.own.ID, x.theirs.ID, x.liked.ID, gone.ID}
	return x
}

// leave gives a command to a server that dies at a statement, before that or after it, and returns what was
// broken; none where the command has fewer.
func leave(t *testing.T, config cassandra.Config, x *scene, c leftCase) (step string, statements int) {
	t.Helper()
	b := &breakable{t: t, config: config}
	b.start()
	strike := b.proxy.Strike(c.k, c.fault, c.of)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	returned := make(chan struct{})
	server := b.server
	go func() {
		defer close(returned)
		_ = sceneCommands[c.left].give(ctx, server, x, "l")
		_ = server.Settle(ctx)
	}()
	select {
	case <-b.proxy.Died():
	case <-returned:
	}
	statements = strike.Seen()
	b.end()
	<-returned
	request, _ := strike.Hit()
	return request.String(), statements
}

// meet has a server that dies leave commands, each at a statement, and another give one command to
// each scene whole; then recovery comes, and all is judged.
func meet(t *testing.T, cases []leftCase) {
	t.Helper()
	config := testkeyspace.New(t)
	server := testkeyspace.Open(t, config, blog.Options{})
	ahead := testkeyspace.Open(t, config, blog.Options{Clock: offset(8 * time.Second)}) // as much as is allowed, about
	var scenes []*scene
	for _, c := range cases {
		x := newScene(t, ahead)
		must(t, ahead.Settle(t.Context()))
		step, _ := leave(t, config, x, c)
		if strings.HasPrefix(sceneCommands[c.left].name, "create") {
			x.sees(madeIn(t, config))
		}
		x.left = fmt.Sprintf("%s (%s %q)", sceneCommands[c.left].name, c.fault, step)
		for n := range c.between {
			_, err := server.UpdateUser(t.Context(), blog.UpdateUser{Actor: x.user.ID, Bio: blog.SetTo(fmt.Sprint(n))})
			must(t, err)
		}
		x.next = sceneCommands[c.next].name
		err := sceneCommands[c.next].give(t.Context(), server, x, "n")
		switch kind := blog.KindOf(err); {
		case err == nil && x.next == "deleteAccount":
			x.isFoundByNobody(t, server, "as soon as it is erased")
		case err != nil && (kind == blog.Internal || kind == blog.Unavailable || kind == blog.Timeout):
			t.Errorf("%v: %v", x, err)
		}
		scenes = append(scenes, x)
	}
	must(t, server.Settle(t.Context()))
	for _, later := range []time.Duration{time.Minute, 2 * time.Hour, 4 * time.Hour} {
		healer := longAgo(t, config, later)
		must(t, recovered(t.Context(), healer))
		must(t, healer.Settle(t.Context()))
	}
	testkeyspace.WantClean(t, config, server)
	feed, stored := storetest.ReadFeed(t, server), testkeyspace.EveryText(t, config)
	made := madeIn(t, config)
	for _, x := range scenes {
		x.sees(made)
		x.judge(t, server, feed, stored)
	}
}

// madeRows are the rows that what was made has.
type madeRows struct{ users, posts, comments []map[string]any }

func madeIn(t *testing.T, config cassandra.Config) madeRows {
	t.Helper()
	return madeRows{
		users:    testkeyspace.Rows(t, config, "SELECT user_id, subject FROM %s.users_by_id"),
		posts:    testkeyspace.Rows(t, config, "SELECT post_id, content FROM %s.posts_by_id"),
		comments: testkeyspace.Rows(t, config, "SELECT post_id, comment_id, content FROM %s.comments_by_post"),
	}
}

// sees adds what a command made whose server died before it said so.
func (x *scene) sees(all madeRows) {
	id := func(row map[string]any, column string) blog.UUID { return blog.UUID(row[column].(gocql.UUID)) }
	for _, row := range all.users {
		if user := (blog.UserID{UUID: id(row, "user_id")}); row["subject"] == x.other.Subject+"l" && !slices.Contains(x.made.Users, user) {
			x.made.Users = append(x.made.Users, user)
		}
	}
	for _, row := range all.posts {
		if post := (blog.PostID{UUID: id(row, "post_id")}); row["content"] == "of "+x.user.Username && !slices.Contains(x.made.Posts, post) {
			x.made.Posts = append(x.made.Posts, post)
		}
	}
	for _, row := range all.comments {
		key := blog.CommentKey{Post: blog.PostID{UUID: id(row, "post_id")}, Comment: blog.CommentID{UUID: id(row, "comment_id")}}
		if row["content"] == "A comment l of "+x.user.Username && !slices.Contains(x.made.Comments, key) {
			x.made.Comments = append(x.made.Comments, key)
		}
	}
}

// leftCase is a command that is left behind, and another that meets it.
type leftCase struct {
	left, next int
	k          int                           // the statement that breaks
	of         func(faultproxy.Request) bool // among these; nil: all
	fault      faultproxy.Fault
	between    int // so many edits of the user come between
}

// atTruth is the case of a server that dies as it writes the truth of a command.
func atTruth(t *testing.T, left string, table blog.Table, fault faultproxy.Fault, next string) leftCase {
	t.Helper()
	index := func(name string) int {
		i := slices.IndexFunc(sceneCommands, func(c sceneCommand) bool { return c.name == name })
		if i < 0 {
			t.Fatalf("there is no command %q", name)
		}
		return i
	}
	return leftCase{left: index(left), next: index(next), k: 1, fault: fault,
		of: func(r faultproxy.Request) bool { return r.Conditional() && r.Writes(string(table)) }}
}

// What was found once, each time. A hundred others come of the seed.
func TestLeftAtTheTruthAndNext(t *testing.T) {
	t.Parallel()
	var cases []leftCase
	for _, edit := range []string{"rename", "another display name", "another address", "no address", "unverifyEmail", "relinkUser", "createUser"} {
		c := atTruth(t, edit, blog.UsersByID, faultproxy.DieAfter, "deleteAccount")
		cases = append(cases, c)
		c.between = 40 // more than a truth remembers, and than its newest one remembers of those
		cases = append(cases, c)
	}
	for _, c := range []struct {
		left  string
		table blog.Table
		next  []string
	}{
		{"deletePost of theirs by a moderator", blog.PostsByID, []string{"deletePost of theirs", "deleteAccount of the other"}},
		{"deleteComment", blog.CommentsByPost, []string{"deleteComment by the post's author", "deleteAccount"}},
		{"createComment", blog.CommentsByPost, []string{"deletePost of theirs", "deleteAccount"}},
		{"createPost", blog.PostsByID, []string{"deleteAccount"}},
		{"likePost", blog.LikeClaims, []string{"likePost", "unlikePost of what may be liked", "deleteAccount"}},
		{"unlikePost", blog.LikeClaims, []string{"unlikePost", "likePost of the liked", "deleteAccount"}},
		{"followUser", blog.FollowClaims, []string{"followUser", "unfollowUser of whom may be followed", "deleteAccount", "deleteAccount of the other"}},
		{"unfollowUser by the other", blog.FollowClaims, []string{"unfollowUser by the other", "deleteAccount", "deleteAccount of the other"}},
	} {
		for _, next := range c.next {
			for _, fault := range []faultproxy.Fault{faultproxy.DieBefore, faultproxy.DieAfter} {
				cases = append(cases, atTruth(t, c.left, c.table, fault, next))
			}
		}
	}
	meet(t, cases)
}

// isFoundByNobody checks that no unique key finds the user, who is erased.
func (x *scene) isFoundByNobody(t *testing.T, server *cassandra.Store, when string) {
	t.Helper()
	for _, by := range []struct {
		keys []string
		find func(context.Context, string) (blog.User, error)
	}{{x.usernames, server.UserByUsername}, {x.emails, server.UserByEmail}, {x.subjects, server.UserBySubject}} {
		for _, key := range by.keys {
			if u, err := by.find(t.Context(), key); err == nil && u.ID == x.user.ID {
				t.Errorf("%v: found by %q %s", x, key, when)
			}
		}
	}
}

// judge compares what is stored with what was told and what is told in the feed.
func (x *scene) judge(t *testing.T, server *cassandra.Store, feed storetest.Feed, stored map[blog.Table]string) {
	t.Helper()
	t.Run(fmt.Sprint(x), func(t *testing.T) {
		ctx := t.Context()
		feed.Judge(t, server, x.made)
		for _, post := range []blog.PostID{x.theirs.ID, x.liked.ID} {
			if _, err := server.PostByID(ctx, post); blog.IsNotFound(err) {
				continue
			}
			now, err := server.LikedPosts(ctx, x.user.ID, []blog.UUID{post.UUID})
			must(t, err)
			wantTold(t, feed, blog.Likes, x.user.ID, post.UUID, len(now))
		}
		for _, users := range [][2]blog.UserID{{x.user.ID, x.other.ID}, {x.other.ID, x.user.ID}} {
			if _, err := server.UserByID(ctx, users[1]); blog.IsNotFound(err) {
				continue
			}
			now, err := server.FollowedUsers(ctx, users[0], []blog.UUID{users[1].UUID})
			must(t, err)
			wantTold(t, feed, blog.Follows, users[0], users[1].UUID, len(now))
		}
		if _, err := server.UserByID(ctx, x.user.ID); err == nil {
			return
		}
		x.isFoundByNobody(t, server, "after recovery")
		storetest.WantNowhere(t, stored, slices.Concat(x.usernames, x.emails, x.subjects, x.texts)...)
	})
}

// wantTold checks that a user's reactions to a parent, and those taken back, are told so that as many stand as do.
func wantTold(t *testing.T, feed storetest.Feed, of *blog.ReactionKind, by blog.UserID, to blog.UUID, stand int) {
	t.Helper()
	given, taken := 0, 0
	for _, c := range feed.Changes {
		switch {
		case c.Post.UUID != to && c.Followed.UUID != to || c.Actor != by && c.User != by:
		case c.Kind == of.Given:
			given++
		case c.Kind == of.TakenBack:
			taken++
		}
	}
	if given-taken != stand {
		t.Errorf("%d %s given and %d taken back are told, %d stand", given, of.Them, taken, stand)
	}
}

// A hundred commands are left, each at one of its statements, and met by another.
func TestLeftAndNext(t *testing.T) {
	t.Parallel()
	seed := storetest.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	statements := statementsOf(t)
	var cases []leftCase
	for range 100 {
		c := leftCase{left: random.IntN(len(sceneCommands)), next: random.IntN(len(sceneCommands)), fault: faultproxy.DieBefore}
		if c.k = 1 + random.IntN(statements[c.left]); random.IntN(2) == 0 {
			c.fault = faultproxy.DieAfter
		}
		cases = append(cases, c)
	}
	meet(t, cases)
	if t.Failed() {
		t.Logf("STORETEST_SEED=%d", seed)
	}
}

// statementsOf returns how many statements each of the commands has.
func statementsOf(t *testing.T) (all []int) {
	t.Helper()
	config := testkeyspace.New(t)
	server := testkeyspace.Open(t, config, blog.Options{})
	for i := range sceneCommands {
		_, n := leave(t, config, newScene(t, server), leftCase{left: i, k: -1})
		all = append(all, n)
	}
	return all
}

// TestSoakLeftAndNext leaves each command at each of its statements, and has it be met by each. On a double of a node it
// does that for all of them, in an hour. A real node would take a day, and has a thousand of them.
func TestSoakLeftAndNext(t *testing.T) {
	storetest.Soaks(t)
	began := time.Now()
	var cases []leftCase
	statements := statementsOf(t)
	for _, fault := range []faultproxy.Fault{faultproxy.DieAfter, faultproxy.DieBefore} {
		for left, n := range statements {
			for k := 1; k <= n; k++ {
				for next := range sceneCommands {
					cases = append(cases, leftCase{left: left, k: k, fault: fault, next: next})
				}
			}
		}
	}
	if !cassandratest.Doubled(t) {
		seed := storetest.Seed(t)
		t.Logf("STORETEST_SEED=%d", seed)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
		cases = cases[:1000]
	}
	t.Logf("%d cases", len(cases))
	t.Cleanup(func() { t.Logf("all of them in %v", time.Since(began).Round(time.Second)) })
	for some := range slices.Chunk(cases, 200) {
		first := some[0]
		t.Run(fmt.Sprintf("%s, %s, from statement %d", first.fault, sceneCommands[first.left].name, first.k), func(t *testing.T) {
			t.Parallel()
			meet(t, some)
		})
	}
}

// A server dies once its edit is in the truth, and others edit the same more often than a truth remembers before
// recovery comes: the feed has each edit once.
func TestAnEditThatManyFollowIsPublished(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	server := testkeyspace.Open(t, config, blog.Options{})
	const follow = 40
	for _, c := range []struct {
		left, undo string
		table      blog.Table
		kind       blog.ChangeKind
	}{
		{left: "another bio", table: blog.UsersByID, kind: blog.UserUpdated},
		{left: "another address", table: blog.UsersByID, kind: blog.UserUpdated},
		{left: "updatePost", table: blog.PostsByID, kind: blog.PostUpdated},
		{left: "updateComment", table: blog.CommentsByPost, kind: blog.CommentUpdated},
		{left: "likePost", undo: "unlikePost of what may be liked", table: blog.LikeClaims, kind: blog.PostLiked},
		{left: "followUser", undo: "unfollowUser of whom may be followed", table: blog.FollowClaims, kind: blog.UserFollowed},
	} {
		t.Run(c.left, func(t *testing.T) {
			x := newScene(t, server)
			must(t, server.Settle(t.Context()))
			broken := atTruth(t, c.left, c.table, faultproxy.DieAfter, c.left)
			leave(t, config, x, broken)
			for n := range follow {
				if c.undo != "" {
					undo := atTruth(t, c.left, c.table, faultproxy.DieAfter, c.undo).next
					must(t, sceneCommands[undo].give(t.Context(), server, x, fmt.Sprint(n)))
				}
				must(t, sceneCommands[broken.left].give(t.Context(), server, x, fmt.Sprint(n)))
			}
			must(t, server.Settle(t.Context()))
			recovery := healer(t, config)
			must(t, recovered(t.Context(), recovery))
			must(t, recovery.Settle(t.Context()))
			published := 0
			for _, change := range storetest.ReadFeed(t, server).Changes {
				if change.Kind == c.kind && change.Actor == x.user.ID && change.Post != x.liked.ID {
					published++
				}
			}
			if published != 1+follow {
				t.Errorf("%d are published, and %d were made", published, 1+follow)
			}
		})
	}
}

// A server dies once its command is in the truth, or just before, and what the command was about is gone with
// its rows before recovery comes: the feed has the command once where it was in the truth, and else never.
func TestACommandWhoseObjectIsGoneIsPublished(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	server := testkeyspace.Open(t, config, blog.Options{})
	type of struct {
		left  string
		table blog.Table
		kind  blog.ChangeKind
		of    func(x *scene) blog.UUID
		scene int // so many are the scene's own
		gone  []string
	}
	own, theirs := func(x *scene) blog.UUID { return x.own.ID.UUID }, func(x *scene) blog.UUID { return x.theirs.ID.UUID }
	goes := []string{"deletePost of theirs", "deleteAccount of the other"}
	type expected struct {
		of
		x    *scene
		want int
	}
	var all []expected
	for _, c := range []of{
		{"likePost", blog.LikeClaims, blog.PostLiked, theirs, 0, goes},
		{"unlikePost", blog.LikeClaims, blog.PostUnliked, func(x *scene) blog.UUID { return x.liked.ID.UUID }, 0, []string{"deletePost of the liked", goes[1]}},
		{"createComment", blog.CommentsByPost, blog.CommentCreated, theirs, 2, goes},
		{"updateComment", blog.CommentsByPost, blog.CommentUpdated, theirs, 0, goes},
		{"deleteComment", blog.CommentsByPost, blog.CommentDeleted, theirs, 1, goes},
		{"updatePost", blog.PostsByID, blog.PostUpdated, own, 0, []string{"deletePost", "deleteAccount"}},
		{"followUser", blog.FollowClaims, blog.UserFollowed, func(x *scene) blog.UUID { return x.other.ID.UUID }, 0, goes[1:]},
	} {
		for _, gone := range c.gone {
			for want, fault := range []faultproxy.Fault{faultproxy.DieBefore, faultproxy.DieAfter} {
				x := newScene(t, server)
				must(t, server.Settle(t.Context()))
				broken := atTruth(t, c.left, c.table, fault, gone)
				leave(t, config, x, broken)
				x.left, x.next = fmt.Sprintf("%s (%s)", c.left, fault), gone
				must(t, sceneCommands[broken.next].give(t.Context(), server, x, "n"))
				all = append(all, expected{c, x, c.scene + want})
			}
		}
	}
	must(t, server.Settle(t.Context()))
	recovery := healer(t, config)
	must(t, recovered(t.Context(), recovery))
	must(t, recovery.Settle(t.Context()))
	feed := storetest.ReadFeed(t, server).Changes
	for _, e := range all {
		published := 0
		for _, change := range feed {
			if change.Kind == e.kind && change.Actor == e.x.user.ID && (change.Post.UUID == e.of.of(e.x) || change.Followed.UUID == e.of.of(e.x)) {
				published++
			}
		}
		if published != e.want {
			t.Errorf("%v: %s is in the feed %d times, want %d", e.x, e.kind, published, e.want)
		}
	}
}

// A server dies once an account is in the truth, and that is erased before recovery comes: the feed has both.
func TestAnAccountThatIsErasedBeforeItIsToldIsPublished(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	server := testkeyspace.Open(t, config, blog.Options{})
	x := newScene(t, server)
	must(t, server.Settle(t.Context()))
	leave(t, config, x, atTruth(t, "createUser", blog.UsersByID, faultproxy.DieAfter, "deleteAccount"))
	var made blog.UserID
	for _, row := range testkeyspace.Rows(t, config, "SELECT user_id, username FROM %s.users_by_id") {
		if name := row["username"].(string); strings.Contains(name, "made") {
			made.UUID = blog.UUID(row["user_id"].(gocql.UUID))
		}
	}
	must(t, server.DeleteAccount(t.Context(), blog.DeleteAccount{Role: blog.Operator, User: made}))
	must(t, server.Settle(t.Context()))
	recovery := healer(t, config)
	must(t, recovered(t.Context(), recovery))
	must(t, recovery.Settle(t.Context()))
	created, erased := 0, 0
	for _, change := range storetest.ReadFeed(t, server).Changes {
		switch {
		case change.Kind == blog.UserCreated && change.Actor == made:
			created++
		case change.Kind == blog.UserErased && change.User == made:
			erased++
		}
	}
	if created != 1 || erased != 1 {
		t.Errorf("the feed has it made %d times and erased %d times", created, erased)
	}
	testkeyspace.WantClean(t, config, server)
}

// A server dies once its command is in the truth, and the same command comes again to another: once that one is
// answered, with what it made or with that there is no such thing any more, every row that follows is as the truth has
// it, and recovery has not been there.
func TestACommandThatFindsItsChangeMade(t *testing.T) {
	t.Parallel()
	truths := []blog.Table{blog.UsersByID, blog.PostsByID, blog.CommentsByPost, blog.LikeClaims}
	config := testkeyspace.New(t)
	server := testkeyspace.Open(t, config, blog.Options{})
	for left, c := range sceneCommands {
		if strings.HasPrefix(c.name, "create") {
			continue // it makes another
		}
		x := newScene(t, server)
		must(t, server.Settle(t.Context()))
		leave(t, config, x, leftCase{left: left, k: 1, fault: faultproxy.DieAfter, of: func(r faultproxy.Request) bool {
			return r.Conditional() && slices.ContainsFunc(truths, func(table blog.Table) bool { return r.Writes(string(table)) })
		}})
		if err := c.give(t.Context(), server, x, "l"); err != nil && !blog.IsNotFound(err) {
			t.Errorf("%s: %v", c.name, err)
		}
		must(t, server.Settle(t.Context()))
		found, err := audit.Verifying{}.Run(t.Context(), server)
		must(t, err)
		for _, table := range found.Tables {
			if table.Drifted+table.InFlight > 0 {
				t.Errorf("%s: %s: %d rows have drifted, %d are in flight", c.name, table.Table, table.Drifted, table.InFlight)
			}
		}
		must(t, recovered(t.Context(), healer(t, config)))
	}
}

// A comment's deletion is left in its truth, and its post's, too; and the former comes again to a server that does not
// know the post: there is no such comment, and nothing is written of a post that was not read.
func TestADeletionThatFindsNoPostWritesNothing(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	server := testkeyspace.Open(t, config, blog.Options{})
	x := newScene(t, server)
	must(t, server.Settle(t.Context()))
	leave(t, config, x, atTruth(t, "deleteComment", blog.CommentsByPost, faultproxy.DieAfter, "deletePost of theirs"))
	leave(t, config, x, atTruth(t, "deletePost of theirs", blog.PostsByID, faultproxy.DieAfter, "deleteComment"))
	other := testkeyspace.Open(t, config, blog.Options{})
	if _, err := other.DeleteComment(t.Context(), blog.DeleteComment{Actor: x.user.ID, Key: x.comment.Key()}); !blog.IsNotFound(err) {
		t.Error(err)
	}
	must(t, other.Settle(t.Context()))
	must(t, server.Settle(t.Context()))
	must(t, recovered(t.Context(), healer(t, config)))
	found, err := audit.Verifying{}.Run(t.Context(), server)
	must(t, err)
	for _, table := range found.Tables {
		if table.Drifted > 0 {
			t.Errorf("%s: %v", table.Table, table)
		}
	}
}
