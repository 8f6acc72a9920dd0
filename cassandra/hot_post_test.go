package cassandra_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/testkeyspace"

	"github.com/gocql/gocql"
)

// What group commit is for, as figures: no test asserts a speed. Run each once, on a
// node that compiles:
//
//	go run broadsheet/internal/cassandratest/withcassandra -optimize -heap 2048 -- \
//		go test ./cassandra -run '^$' -bench . -benchtime 1x -count 3
//
// What is compared runs in turn, in slices of sliceTime, so that whatever else a machine
// does meanwhile weighs on both.
const (
	measured  = 4
	sliceTime = 2 * time.Second
)

// attempts counts the conditional batches that a store made on comments.
type attempts struct {
	mu   sync.Mutex
	n    int
	took time.Duration
}

func (a *attempts) Statement(_ context.Context, s blog.Statement) {
	if s.Kind != blog.Conditional || s.Table != blog.CommentsByPost {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	a.took += s.Duration
}

// reset starts anew and returns the attempts until now with their mean duration.
func (a *attempts) reset() (n int, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, took = a.n, a.took
	a.n, a.took = 0, 0
	return n, took
}

// latencies of one slice or of several.
type latencies []time.Duration

func (l latencies) at(quantile float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	slices.Sort(l)
	return l[min(int(float64(len(l))*quantile), len(l)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// load has some writers call write, again and again, for one slice of time.
func load(b *testing.B, writers int, write func(ctx context.Context, writer int) error) (l latencies, rate float64) {
	b.Helper()
	begin := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for time.Since(begin) < sliceTime {
				start := time.Now()
				if err := write(b.Context(), w); err != nil {
					b.Error(err)
					return
				}
				took := time.Since(start)
				mu.Lock()
				l = append(l, took)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return l, float64(len(l)) / time.Since(begin).Seconds()
}

// naive is the loop that group commit replaces: read the count and the version, write the
// comment and the count under the condition that they are as read, and again where they
// were not. It keeps no copies at all.
type naive struct {
	session *gocql.Session
	ids     *blog.IDs
}

func (n naive) comment(ctx context.Context, author blog.User, post blog.PostID) error {
	comment := n.ids.Comment()
	for {
		var count int
		var version int64
		err := n.session.Query(`SELECT DISTINCT comment_count, version FROM comments_by_post WHERE post_id = ? AND bucket = 0`, gocql.UUID(post.UUID)).
			WithContext(ctx).Scan(&count, &version)
		if err != nil && err != gocql.ErrNotFound {
			return err
		}
		var guardCount, guardVersion any
		if version > 0 {
			guardCount, guardVersion = count, version
		}
		batch := n.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx)
		batch.Query(`UPDATE comments_by_post SET comment_count = ?, version = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND comment_count = ?`,
			count+1, version+1, gocql.UUID(post.UUID), guardVersion, guardCount)
		batch.Query(`INSERT INTO comments_by_post (post_id, bucket, comment_id, author_id, content) VALUES (?, 0, ?, ?, ?)`,
			gocql.UUID(post.UUID), gocql.UUID(comment.UUID), gocql.UUID(author.ID.UUID), "A comment.")
		applied, iter, err := n.session.MapExecuteBatchCAS(batch, map[string]any{})
		if iter != nil {
			err = cmp.Or(err, iter.Close())
		}
		if applied || err != nil && ctx.Err() != nil {
			return err
		}
	}
}

// insert writes the comment's row and nothing else, under no condition: what the node does
// at most.
func (n naive) insert(ctx context.Context, author blog.User, post blog.PostID) error {
	return n.session.Query(`INSERT INTO comments_by_post (post_id, bucket, comment_id, author_id, content) VALUES (?, 0, ?, ?, ?)`,
		gocql.UUID(post.UUID), gocql.UUID(n.ids.Comment().UUID), gocql.UUID(author.ID.UUID), "A comment.").WithContext(ctx).Exec()
}

func session(b *testing.B, c cassandra.Config) *gocql.Session {
	b.Helper()
	_, port, err := cassandratest.SplitHosts(c.Hosts)
	must(b, err)
	cluster := gocql.NewCluster(c.Hosts...)
	cluster.Port, cluster.ProtoVersion, cluster.Keyspace, cluster.Timeout = port, 4, c.Keyspace, time.Minute
	cluster.WriteCoalesceWaitTime, cluster.RetryPolicy = 0, nil
	cluster.SerialConsistency = gocql.LocalSerial
	s, err := cluster.CreateSession()
	must(b, err)
	b.Cleanup(s.Close)
	return s
}

// BenchmarkHotPost has 64 writers comment on one post: through the store, with its
// journal and its copies, and through the naive loop, which has neither. Beside them, as
// what can be had of the node at all, single rows that are inserted under no condition.
func BenchmarkHotPost(b *testing.B) {
	config := testkeyspace.New(b)
	store := testkeyspace.Open(b, config, blog.Options{})
	users := newUsers(b, store, writers)
	raw := naive{session(b, config), blog.NewIDs(blog.SystemClock{}, rand.Reader)}
	for b.Loop() {
		grouped, plain, rows := testkeyspace.NewPost(b, store, users[0]), testkeyspace.NewPost(b, store, users[0]), testkeyspace.NewPost(b, store, users[0])
		var took, takes latencies
		var rate, naiveRate, insertRate float64
		for range measured {
			l, r := load(b, writers, func(ctx context.Context, w int) error {
				_, _, err := store.CreateComment(ctx, blog.CreateComment{Author: users[w].ID, Post: grouped.ID, Content: "A comment."})
				return err
			})
			took, rate = append(took, l...), rate+r/measured
			l, r = load(b, writers, func(ctx context.Context, w int) error { return raw.comment(ctx, users[w], plain.ID) })
			takes, naiveRate = append(takes, l...), naiveRate+r/measured
			_, r = load(b, writers, func(ctx context.Context, w int) error { return raw.insert(ctx, users[w], rows.ID) })
			insertRate += r / measured
		}
		must(b, store.Settle(b.Context()))
		exact(b, store, grouped.ID, len(took))
		b.ReportMetric(rate, "commits/s")
		b.ReportMetric(naiveRate, "naive/s")
		b.ReportMetric(insertRate, "inserts/s")
		b.ReportMetric(rate/naiveRate, "times")
		b.ReportMetric(milliseconds(took.at(0.5)), "p50-ms")
		b.ReportMetric(milliseconds(took.at(0.99)), "p99-ms")
		b.ReportMetric(milliseconds(takes.at(0.99)), "naive-p99-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// exact checks the count of a post and its copies.
func exact(b *testing.B, store *cassandra.Store, post blog.PostID, comments int) {
	b.Helper()
	p, err := store.PostByID(b.Context(), post)
	must(b, err)
	page, err := store.CommentsByPost(b.Context(), blog.CommentsQuery{Post: post, Page: blog.FirstPage[blog.CommentID](1)})
	must(b, err)
	if p.Comments.N != comments || page.Count.N != comments {
		b.Errorf("the counts are %d and %d after %d comments", p.Comments.N, page.Count.N, comments)
	}
}

// BenchmarkThreeServers has 64 writers comment on one post through one server and
// through three.
func BenchmarkThreeServers(b *testing.B) {
	config := testkeyspace.New(b)
	var made attempts
	servers := make([]*cassandra.Store, 3)
	for i := range servers {
		servers[i] = testkeyspace.Open(b, config, blog.Options{Observer: &made})
	}
	users := newUsers(b, servers[0], writers)
	for b.Loop() {
		post := testkeyspace.NewPost(b, servers[0], users[0])
		var rates [2]float64
		var took [2]latencies
		n := 0
		var tried [2]int
		var trying [2]time.Duration
		for range measured {
			for i, used := range []int{1, len(servers)} {
				l, r := load(b, writers, func(ctx context.Context, w int) error {
					_, _, err := servers[w%used].CreateComment(ctx, blog.CreateComment{Author: users[w].ID, Post: post.ID, Content: "A comment."})
					return err
				})
				attempts, duration := made.reset()
				tried[i] += attempts
				trying[i] += duration
				took[i], rates[i] = append(took[i], l...), rates[i]+r/measured
				n += len(l)
			}
		}
		for _, server := range servers {
			must(b, server.Settle(b.Context()))
		}
		exact(b, servers[0], post.ID, n)
		for i, name := range []string{"one", "three"} {
			b.ReportMetric(float64(len(took[i]))/float64(tried[i]), name+"-commits/attempt")
			b.ReportMetric(milliseconds(trying[i])/float64(tried[i]), name+"-ms/attempt")
		}
		b.ReportMetric(rates[0], "one/s")
		b.ReportMetric(rates[1], "three/s")
		b.ReportMetric(rates[1]/rates[0], "ratio")
		b.ReportMetric(milliseconds(took[1].at(0.99)), "three-p99-ms")
		b.ReportMetric(milliseconds(took[1].at(1)), "three-max-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkIdleComment compares a lone comment with its three statements, made by
// themselves.
func BenchmarkIdleComment(b *testing.B) {
	config := testkeyspace.New(b)
	store := testkeyspace.Open(b, config, blog.Options{})
	user := testkeyspace.NewUser(b, store)
	post := testkeyspace.NewPost(b, store, user)
	other := testkeyspace.NewPost(b, store, user)
	raw := lone{naive: naive{session(b, config), blog.NewIDs(blog.SystemClock{}, rand.Reader)}, user: user, post: other}
	for b.Loop() {
		var whole, parts latencies
		for range 400 {
			start := time.Now()
			_, _, err := store.CreateComment(b.Context(), blog.CreateComment{Author: user.ID, Post: post.ID, Content: "A comment."})
			must(b, err)
			whole = append(whole, time.Since(start))
			must(b, store.Settle(b.Context()))
			start = time.Now()
			must(b, raw.statements(b.Context()))
			parts = append(parts, time.Since(start))
		}
		b.ReportMetric(milliseconds(whole.at(0.5)), "p50-ms")
		b.ReportMetric(milliseconds(parts.at(0.5)), "raw-p50-ms")
		b.ReportMetric(float64(whole.at(0.5))/float64(parts.at(0.5)), "times")
	}
	b.ReportMetric(0, "ns/op")
}

// lone makes the statements of a comment: the intent, the conditional batch, the copies.
type lone struct {
	naive
	user    blog.User
	post    blog.Post
	version int64
}

func (r *lone) statements(ctx context.Context) error {
	comment, command := r.ids.Comment(), r.ids.Command()
	intent := fmt.Sprintf(`{"command":%q,"actor":%q,"post":{"ID":%q,"Author":%q,"Feed":{"Bucket":"%s","Shard":0}},"comment":%q,"author":%q}`,
		command, r.user.ID, r.post.ID, r.user.ID, r.post.Feed.Bucket, comment, r.user.ID)
	err := r.session.Query(`INSERT INTO journal (minute, shard, command_id, kind, intent) VALUES (?, ?, ?, ?, ?)`,
		command.Time().Truncate(time.Minute), 0, gocql.UUID(command.UUID), "createComment", intent).WithContext(ctx).Exec()
	if err != nil {
		return err
	}
	postID, commentID, user := gocql.UUID(r.post.ID.UUID), gocql.UUID(comment.UUID), gocql.UUID(r.user.ID.UUID)
	var version, count any
	if r.version > 0 {
		version, count = r.version, int(r.version)
	}
	r.version++
	now := time.Now()
	truth := r.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx).DefaultTimestamp(false)
	truth.Query(`UPDATE comments_by_post SET comment_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND comment_count = ? AND closed = null`,
		int(r.version), r.version, now.UnixMicro(), postID, version, count)
	truth.Query(`INSERT INTO comments_by_post (post_id, bucket, comment_id, author_id, content, updated_at, edits) VALUES (?, 0, ?, ?, ?, ?, ?) IF NOT EXISTS`,
		postID, commentID, user, "A comment.", now, 1)
	applied, iter, err := r.session.MapExecuteBatchCAS(truth, map[string]any{})
	if err == nil {
		err = iter.Close()
	}
	if err != nil || !applied {
		return cmp.Or(err, fmt.Errorf("the conditional batch was refused"))
	}
	stamp := now.UnixMicro()
	copies := r.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx).DefaultTimestamp(false)
	copies.Query(`UPDATE comments_by_author USING TIMESTAMP ? SET post_id = ?, content = ?, updated_at = ?, version = ? WHERE author_id = ? AND bucket = 0 AND comment_id = ?`,
		stamp, postID, "A comment.", now, 1, user, commentID)
	copies.Query(`UPDATE posts_by_id USING TIMESTAMP ? SET comment_count = ? WHERE post_id = ?`, stamp, int(r.version), postID)
	copies.Query(`UPDATE posts_by_author USING TIMESTAMP ? SET comment_count = ? WHERE author_id = ? AND bucket = 0 AND post_id = ?`, stamp, int(r.version), user, postID)
	copies.Query(`UPDATE feed_by_bucket USING TIMESTAMP ? SET comment_count = ? WHERE bucket = ? AND shard = ? AND post_id = ?`,
		stamp, int(r.version), r.post.Feed.Bucket, r.post.Feed.Shard, postID)
	copies.Query(`UPDATE comments_by_post USING TIMESTAMP ? SET username = ? WHERE post_id = ? AND bucket = 0 AND comment_id = ?`, stamp, r.user.Username, postID, commentID)
	copies.Query(`UPDATE comments_by_author USING TIMESTAMP ? SET username = ? WHERE author_id = ? AND bucket = 0`, stamp, r.user.Username, user)
	return r.session.ExecuteBatch(copies)
}

// BenchmarkHotUser has 64 users follow one and no more, again and again, beside as many who like one post.
func BenchmarkHotUser(b *testing.B) {
	config := testkeyspace.New(b)
	store := testkeyspace.Open(b, config, blog.Options{})
	users := newUsers(b, store, writers+1)
	for b.Loop() {
		followed := testkeyspace.NewUser(b, store)
		liked := testkeyspace.NewPost(b, store, users[writers])
		var follows, likes [writers]int
		var rate, rateOfLikes float64
		for range measured {
			_, r := load(b, writers, func(ctx context.Context, w int) (err error) {
				c := blog.FollowUser{Actor: users[w].ID, User: followed.ID}
				if follows[w]++; follows[w]%2 == 1 {
					_, _, err = store.FollowUser(ctx, c)
				} else {
					_, err = store.UnfollowUser(ctx, blog.UnfollowUser(c))
				}
				return err
			})
			rate += r / measured
			_, r = load(b, writers, func(ctx context.Context, w int) (err error) {
				c := blog.LikePost{Actor: users[w].ID, Post: liked.ID}
				if likes[w]++; likes[w]%2 == 1 {
					_, _, err = store.LikePost(ctx, c)
				} else {
					_, err = store.UnlikePost(ctx, blog.UnlikePost(c))
				}
				return err
			})
			rateOfLikes += r / measured
		}
		must(b, store.Settle(b.Context()))
		stand := 0
		for w, user := range users[:writers] {
			n, err := store.FollowCount(b.Context(), user.ID)
			must(b, err)
			if n != follows[w]%2 {
				b.Errorf("%d follows after %d commands", n, follows[w])
			}
			stand += n
		}
		page, err := store.FollowersByUser(b.Context(), followed.ID, blog.FirstPage[blog.ReactionPosition](blog.MaxPage))
		must(b, err)
		if page.Count.N != stand || len(page.Items) != stand {
			b.Errorf("%d followers are counted, %d listed, and %d stand", page.Count.N, len(page.Items), stand)
		}
		b.ReportMetric(rate, "follows/s")
		b.ReportMetric(rateOfLikes, "likes/s")
		b.ReportMetric(rate/rateOfLikes, "times")
	}
	b.ReportMetric(0, "ns/op")
}
