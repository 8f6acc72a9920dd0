package cqlnode

import (
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

// Faults are how many of a hundred statements fail in a way. What a driver prepares, and what it
// asks of the system's tables, never fails.
type Faults struct {
	NotSent     int // WriteTimeout, and the write is not applied
	Lost        int // the write is applied, and answered with WriteTimeout
	Late        int // WriteTimeout, and the write is tried later: after others, or when the node heals
	Again       int // a plain write is tried once more later, as a node does that heard of it late
	Unread      int // ReadTimeout
	Unavailable int // refused: too few replicas
	Overloaded  int // refused: too much to do
	Cut         int // the connection ends, before the statement or after it
	Slow        int // the answer takes up to Longest, and others overtake it
	Longest     time.Duration
}

// Met counts the faults that statements suffered.
type Met map[string]int

// faulty decides what becomes of each statement, all of it drawn from one seed.
type faulty struct {
	mu     sync.Mutex
	faults Faults
	random *rand.Rand
	held   []func() // writes that come late
	met    Met
}

// fate is what becomes of a statement.
type fate struct {
	name   string
	apply  bool // it is executed now
	later  bool // it is executed later
	answer message.Message
	cut    bool
	pause  time.Duration // before the answer
}

// Break has statements fail from now on.
func (n *Node) Break(seed uint64, f Faults) {
	n.faulty.mu.Lock()
	defer n.faulty.mu.Unlock()
	n.faulty.faults, n.faulty.random, n.faulty.met = f, rand.New(rand.NewPCG(seed, 2)), Met{}
}

// Heal has what is late arrive, in any order, and no statement fail from now on. It returns what
// failed since Break.
func (n *Node) Heal() Met {
	f := &n.faulty
	f.mu.Lock()
	held, met := f.held, f.met
	f.faults, f.held = Faults{}, nil
	if f.random != nil {
		f.random.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	}
	f.mu.Unlock()
	for _, execute := range held {
		execute()
	}
	return met
}

// meet decides about a statement, and returns a late one whose time has come.
func (f *faulty) meet(s Statement) (of fate, arrived func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of = fate{apply: true}
	if f.faults == (Faults{}) {
		return of, nil
	}
	of = f.draw(s)
	if of.name != "" {
		f.met[of.name]++
	}
	if of.pause == 0 && f.faults.Longest > 0 && f.random.IntN(100) < f.faults.Slow {
		of.pause = time.Duration(f.random.Int64N(int64(f.faults.Longest)))
		f.met["slow"]++
	}
	if len(f.held) > 0 && f.random.IntN(lateAfter) == 0 {
		i := f.random.IntN(len(f.held))
		arrived = f.held[i]
		f.held[i] = f.held[len(f.held)-1]
		f.held = f.held[:len(f.held)-1]
	}
	return of, arrived
}

// lateAfter is after about how many statements one of those that are late arrives.
const lateAfter = 15

func (f *faulty) draw(s Statement) fate {
	timeout := s.timeout()
	for _, c := range []struct {
		percent int
		writes  bool
		fate    fate
	}{
		{f.faults.NotSent, true, fate{name: "not sent", answer: timeout}},
		{f.faults.Lost, true, fate{name: "lost", apply: true, answer: timeout}},
		{f.faults.Late, true, fate{name: "late", later: true, answer: timeout}},
		{f.faults.again(s), true, fate{name: "again", apply: true, later: true}},
		{f.faults.Unread, false, fate{name: "unread", answer: timeout}},
		{f.faults.Unavailable, s.Writes, fate{name: "unavailable", answer: &message.Unavailable{ErrorMessage: "Cannot achieve consistency level", Consistency: s.level, Required: 2, Alive: 1}}},
		{f.faults.Overloaded, s.Writes, fate{name: "overloaded", answer: &message.Overloaded{ErrorMessage: "too many requests in flight"}}},
		{f.faults.Cut, s.Writes, fate{name: "cut before", cut: true}},
		{f.faults.Cut, s.Writes, fate{name: "cut after", cut: true, apply: true}},
	} {
		if f.random.IntN(100) < c.percent && c.writes == s.Writes {
			return c.fate
		}
	}
	return fate{apply: true}
}

// again is none for a conditional write: what is tried once more of one has the ballot that it had.
func (f Faults) again(s Statement) int {
	if s.Conditional {
		return 0
	}
	return f.Again
}

func (f *faulty) hold(execute func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = append(f.held, execute)
}

// Statement is what a server has asked for: several texts are a batch.
type Statement struct {
	CQL         []string
	Writes      bool
	Conditional bool

	level primitive.ConsistencyLevel
}

func (s Statement) String() string { return strings.Join(s.CQL, "; ") }

func newStatement(requests []request, level primitive.ConsistencyLevel) Statement {
	s := Statement{level: level}
	for _, q := range requests {
		s.CQL = append(s.CQL, q.cql)
		s.Writes = s.Writes || !strings.HasPrefix(q.cql, "SELECT")
		s.Conditional = s.Writes && strings.Contains(q.cql, " IF ")
	}
	return s
}

// timeout is the answer where too few replicas have answered in time. The codec has no write type
// for conditional writes, and nothing here looks at it.
func (s Statement) timeout() message.Message {
	if s.Writes {
		return &message.WriteTimeout{ErrorMessage: "Operation timed out", Consistency: s.level, BlockFor: 2, Received: 1, WriteType: primitive.WriteTypeSimple}
	}
	return &message.ReadTimeout{ErrorMessage: "Operation timed out", Consistency: s.level, BlockFor: 2, Received: 1}
}
