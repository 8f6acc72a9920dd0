package live_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/live"
	"broadsheet/internal/storetest"
)

// Subscribers that are cut at random moments and resumed on any server get each event once, and
// comments in the order in which they were made, whatever servers write, in whatever order they
// tell of it, and however late others see it.
func TestNothingIsMissedOrToldTwice(t *testing.T) {
	seed := storetest.Seed(t)
	for round := range 25 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			inBubble(t, func(t *testing.T, ctx context.Context) {
				newRound(t, ctx, rand.New(rand.NewPCG(uint64(seed), uint64(round)))).run()
			})
		})
	}
}

// round is some servers, and who writes and subscribes.
type round struct {
	t       *testing.T
	ctx     context.Context
	random  *rand.Rand
	w       *world
	servers []*server
	hubs    []*live.Hub
	all     sync.WaitGroup

	mu   sync.Mutex
	made map[history][]blog.PostID // in the order of their changes
}

// history is what one log has of posts.
type history struct {
	kind blog.ChangeKind
	by   blog.LogID
}

var changesOfPosts = []blog.ChangeKind{blog.PostCreated, blog.PostUpdated, blog.PostDeleted}

func newRound(t *testing.T, ctx context.Context, random *rand.Rand) *round {
	r := &round{t: t, ctx: ctx, random: random, w: newWorld(2 + random.IntN(2)), made: map[history][]blog.PostID{}}
	config := live.Config{Window: 1 + random.IntN(200), Backlog: 1 + random.IntN(50), Linger: time.Duration(random.IntN(3)) * time.Second}
	for i := range r.w.logs {
		s := r.w.server(i)
		r.servers, r.hubs = append(r.servers, s), append(r.hubs, s.hub(t, config))
	}
	return r
}

func (r *round) fork() *rand.Rand { return rand.New(rand.NewPCG(r.random.Uint64(), r.random.Uint64())) }

func within(random *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(most)))
}

const writes = 150

func (r *round) run() {
	p := r.servers[0].post(0)
	r.servers[0].comment(p.ID)
	time.Sleep(time.Minute)
	var judges []func()
	for range 4 {
		judges = append(judges, r.followComments(r.fork(), p.ID))
		for _, kind := range changesOfPosts {
			judges = append(judges, r.followPosts(r.fork(), kind))
		}
	}
	synctest.Wait()
	for _, s := range r.servers {
		random := r.fork()
		r.all.Go(func() { r.write(random, s, p.ID) })
	}
	r.all.Wait()
	time.Sleep(time.Minute)
	for _, judge := range judges {
		judge()
	}
}

// write makes posts and comments. Of some comments another server tells, later, as recovery does.
func (r *round) write(random *rand.Rand, s *server, on blog.PostID) {
	for range writes {
		time.Sleep(within(random, 40*time.Millisecond))
		late := within(random, 2*time.Second)
		if random.IntN(2) == 0 {
			r.writePost(random, s, late)
			continue
		}
		_, _, tell := s.comment(on)
		switch random.IntN(10) {
		case 0:
			other := r.servers[random.IntN(len(r.servers))]
			time.AfterFunc(within(random, 20*time.Second), func() { tell(other, late) })
		case 1, 2, 3:
			time.AfterFunc(within(random, 100*time.Millisecond), func() { tell(s, late) })
		default:
			tell(s, late)
		}
	}
}

// writePost makes a post, edits one of the server's, or deletes one.
func (r *round) writePost(random *rand.Rand, s *server, late time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	note := func(kind blog.ChangeKind, id blog.PostID) {
		of := history{kind, s.own.id}
		r.made[of] = append(r.made[of], id)
	}
	own := r.made[history{blog.PostCreated, s.own.id}]
	draw := random.IntN(4)
	if len(own) == 0 || draw > 1 {
		note(blog.PostCreated, s.post(late).ID)
		return
	}
	id := own[random.IntN(len(own))]
	kind := changesOfPosts[1+draw]
	if slices.Contains(r.made[history{blog.PostDeleted, s.own.id}], id) {
		return
	}
	s.changePost(kind, id, late)
	note(kind, id)
}

// follow follows a stream that is cut and resumed, from before the writers begin to long after
// they have ended. subscribe returns what waits for an event and returns its cursor.
func (r *round) follow(random *rand.Rand, after string, subscribe func(ctx context.Context, hub *live.Hub, after *string) (func(context.Context) (string, error), error)) {
	for ends, over := time.Now().Add(45*time.Second), false; !over; {
		cut, n := within(random, 2*time.Second), random.IntN(30)
		if over = time.Now().After(ends); over {
			cut, n = 10*time.Second, -1
		}
		ctx, cancel := context.WithTimeout(r.ctx, cut)
		next, err := subscribe(ctx, r.hubs[random.IntN(len(r.hubs))], &after)
		for ; err == nil && n != 0; n-- {
			var cursor string
			if cursor, err = next(ctx); err == nil {
				after = cursor
			}
			if random.IntN(5) == 0 {
				time.Sleep(within(random, 200*time.Millisecond))
			}
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, live.ErrSlow) {
			r.t.Error(err)
			over = true
		}
		cancel()
	}
}

// begin returns where one of the hubs stands.
func (r *round) begin(random *rand.Rand) live.Position {
	return ok(r.hubs[random.IntN(len(r.hubs))].Position(r.ctx))(r.t)
}

func (r *round) followPosts(random *rand.Rand, kind blog.ChangeKind) (judge func()) {
	var got []blog.PostID
	r.all.Go(func() {
		r.follow(random, r.begin(random).OfPosts(), func(ctx context.Context, hub *live.Hub, after *string) (func(context.Context) (string, error), error) {
			posts, err := hub.Posts(ctx, kind, after)
			return func(ctx context.Context) (string, error) {
				e, err := posts.Next(ctx)
				if err == nil {
					got = append(got, e.PostID())
				}
				return e.Cursor, err
			}, err
		})
	})
	return func() {
		total := 0
		for of, made := range r.made {
			if of.kind != kind {
				continue
			}
			total += len(made)
			told := slices.DeleteFunc(slices.Clone(got), func(id blog.PostID) bool { return !slices.Contains(made, id) })
			if !slices.Equal(told, made) {
				r.t.Errorf("of a server's %d %s %d were told, or in another order", len(made), kind, len(told))
			}
		}
		if len(got) != total || total == 0 {
			r.t.Errorf("%d %s were told, %d were made", len(got), kind, total)
		}
	}
}

func (r *round) followComments(random *rand.Rand, post blog.PostID) (judge func()) {
	var got []blog.CommentID
	r.all.Go(func() {
		r.follow(random, r.begin(random).OfComments(post, 1), func(ctx context.Context, hub *live.Hub, after *string) (func(context.Context) (string, error), error) {
			comments, err := hub.CommentsCreated(ctx, post, after)
			return func(ctx context.Context) (string, error) {
				e, err := comments.Next(ctx)
				if err == nil {
					got = append(got, e.CommentID())
				}
				return e.Cursor, err
			}, err
		})
	})
	return func() {
		if made := r.w.comments[post][1:]; !slices.Equal(got, made) {
			r.t.Errorf("%d comments were told, %d were made, or not in their order", len(got), len(made))
		}
	}
}
