package cluster

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/service"

	"github.com/gocql/gocql"
)

// What servers share by time goes by the cluster's time, which is that of its nodes: one
// server's clock that is wrong would else move recovery's position for all. Ids and stamps
// are a server's own, by its own clock, so a server whose clock is too far off takes no
// commands:
//
//	               cluster's time
//	   ────────┬─────────┼─────────┬────────▶
//	   refused │ a server's own clock may be │ refused
//	           └ -10 s   ┆    +10 s ┘

// selectTime is read from whichever node is asked. currentTimestamp is the node's clock;
// now() would keep what it once showed where the node's clock was set back.
const selectTime = `SELECT host_id, currentTimestamp() FROM system.local`

const (
	nodesAsked   = 5              // answers that are asked for at once, from one node after the other
	askPatience  = blog.ClockSkew // for an answer: its uncertainty is half of what it took
	askAgain     = time.Second    // is what must have passed before the nodes are asked out of turn
	clockChecked = time.Minute    // is how often they are asked in turn
)

// nodesClock shows the time that the nodes last reported, and what has passed since by the monotonic clock: it does not
// follow where this machine's clock is set. It is safe for concurrent use.
type nodesClock struct {
	session *gocql.Session

	asking sync.Mutex // held while the nodes are asked
	mu     sync.Mutex
	nodes  time.Time // the nodes' time
	heard  time.Time // when that was so, with the reading of the monotonic clock
}

// Now is a method of [blog.Clock]. The nodes must have been asked before.
func (c *nodesClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodes.Add(time.Since(c.heard))
}

// ask asks the nodes for their time, unless they were asked so short a time ago. It returns how far
// they are from each other. Unavailable: none answers.
func (c *nodesClock) ask(ctx context.Context, unless time.Duration) (apart time.Duration, err error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if time.Since(c.heard) < unless {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	began := time.Now()
	answers := make([]nodeTime, nodesAsked)
	asks := make([]func() error, nodesAsked)
	for i := range asks {
		asks[i] = func() (err error) { answers[i], err = c.askOne(ctx, began); return err }
	}
	err = cql.Concurrently(asks...) // some of the nodes may be down
	ahead, apart, known := median(answers)
	if !known {
		return 0, &blog.Error{Kind: blog.Unavailable, Message: "no node of the Cassandra cluster answers with its time", Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes, c.heard = began.Add(ahead).Round(0).UTC(), began
	return apart, nil
}

// nodeTime is the time that a node reported.
type nodeTime struct {
	node  gocql.UUID    // zero: it did not answer
	ahead time.Duration // of this machine's clock, as that was when it began to ask
	took  time.Duration // to answer
}

// askOne asks a node. Its answer is taken to be from the middle between the question and its arrival.
func (c *nodesClock) askOne(ctx context.Context, began time.Time) (n nodeTime, err error) {
	asked := time.Now()
	var shown time.Time
	err = c.session.Query(selectTime).WithContext(ctx).Consistency(gocql.LocalOne).Scan(&n.node, &shown)
	if err != nil {
		return nodeTime{}, cql.Convert(ctx, err)
	}
	n.took = time.Since(asked)
	n.ahead = shown.Sub(began) - (asked.Sub(began) + n.took/2)
	return n, nil
}

// median returns the time of the node in the middle, and how far they are apart. Each counts by its fastest answer.
func median(answers []nodeTime) (ahead, apart time.Duration, known bool) {
	slices.SortFunc(answers, func(a, b nodeTime) int { return int(a.took - b.took) })
	nodes := map[gocql.UUID]bool{{}: true}
	var all []time.Duration
	for _, a := range answers {
		if !nodes[a.node] {
			nodes[a.node] = true
			all = append(all, a.ahead)
		}
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	slices.Sort(all)
	return all[(len(all)-1)/2], all[len(all)-1] - all[0], true
}

// Clocks are this server's clock and the cluster's. They are safe for concurrent use.
type Clocks struct {
	own     blog.Clock
	cluster blog.Clock
	nodes   *nodesClock // the cluster's, where it is asked of the nodes

	service.Service // compares them now and then
}

// NewClocks compares a server's own clock with the cluster's, which the nodes are asked for where
// it is nil. Compare must succeed before the time is used.
func NewClocks(session *gocql.Session, own, cluster blog.Clock, log *slog.Logger) *Clocks {
	c := &Clocks{own: own, cluster: cluster}
	if cluster == nil {
		c.nodes = &nodesClock{session: session}
		c.cluster = c.nodes
	}
	c.Service = service.Service{
		Once: c.Compare, Every: clockChecked, Log: log, Fails: "the cluster's time can't be asked for; going by the last answer",
	}
	return c
}

// Now is the cluster's time.
func (c *Clocks) Now() time.Time { return c.cluster.Now() }

// Offset is how far this server's clock is ahead of the cluster's time.
func (c *Clocks) Offset() time.Duration { return c.own.Now().Sub(c.cluster.Now()) }

// Right returns Unavailable while this server's clock is too far off. It first asks the nodes once more: where the
// machine was suspended, their time is later than this process can know.
func (c *Clocks) Right(ctx context.Context) error {
	if errClock(c.Offset()) != nil && c.nodes != nil {
		if _, err := c.nodes.ask(ctx, askAgain); err != nil {
			return err
		}
	}
	return errClock(c.Offset())
}

// errClock returns Unavailable where the clock is wrong.
func errClock(ahead time.Duration) error {
	if ahead.Abs() <= blog.ClockSkew {
		return nil
	}
	where := "ahead of"
	if ahead < 0 {
		where = "behind"
	}
	return blog.Errorf(blog.Unavailable, "this server's clock is %v %s the Cassandra cluster's, and may be %v off: set it right, as NTP does; the server notices",
		ahead.Abs().Round(time.Second), where, blog.ClockSkew)
}

// Compare asks for the cluster's time, and logs what is wrong.
func (c *Clocks) Compare(ctx context.Context) error {
	if c.nodes != nil {
		apart, err := c.nodes.ask(ctx, 0)
		if err != nil {
			return err
		}
		if apart > blog.ClockSkew {
			c.Log.Warn("the clocks of the cluster's nodes are apart: set them right, as NTP does", "apart", apart)
		}
	}
	if err := errClock(c.Offset()); err != nil {
		c.Log.Error("commands are refused and nothing is recovered until the clock is right", "error", err)
	}
	return nil
}
