package changelog_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/changelog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/changes"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

var shared testkeyspace.Shared

func TestMain(m *testing.M) { os.Exit(shared.Main(m)) }

// site is some processes that tell logs in one keyspace, by one clock.
type site struct {
	*testing.T
	config cassandra.Config
	clock  *storetest.Clock
	ids    *blog.IDs
	keep   time.Duration
}

func newSite(t *testing.T) *site {
	clock := storetest.NewClock(time.Now())
	return &site{T: t, config: testkeyspace.New(t), clock: clock, ids: blog.NewIDs(clock, rand.Reader)}
}

// rightClock is a clock that is always right.
type rightClock struct{ blog.Clock }

func (rightClock) Right(context.Context) error { return nil }

// process is one that tells a log. Its statements pass a proxy.
type process struct {
	*changelog.Writer
	*site
	id    blog.UUID
	rows  *cql.Batches
	proxy *faultproxy.Proxy
}

func (s *site) process(observer blog.Observer) *process {
	s.Helper()
	proxy := faultproxy.Start(s, s.config.Hosts)
	config := s.config
	config.Hosts = proxy.Hosts()
	complete := config.Config.WithDefaults()
	session, err := complete.Connect(s.Context())
	s.must(err)
	s.Cleanup(session.Close)
	p := &process{site: s, id: s.ids.Command().UUID, proxy: proxy}
	db, log := complete.Session(session, observer), slog.New(slog.DiscardHandler)
	p.rows = db.Batches(1, log)
	p.Writer = changelog.NewWriter(changelog.Config{
		DB: db, Rows: p.rows, Cluster: rightClock{s.clock}, Server: p.id, IDs: s.ids,
		Keep: s.keep, Asked: 72 * time.Hour, Log: log,
	})
	s.Cleanup(p.Die)
	return p
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) held(err error) {
	s.Helper()
	if err != cql.ErrHeld {
		s.Fatalf("%v, want that it is not known yet", err)
	}
}

// command is one that a process carries out.
type command struct {
	blog.CommandID
	change blog.Change
}

func (s *site) command() command {
	return command{s.ids.Command(), blog.Change{Kind: blog.PostCreated, Post: s.ids.Post(), Actor: s.ids.User()}}
}

// try has a process tell of a command that it began just now.
func (p *process) try(c command) error {
	return p.Append(p.Context(), changelog.Entry{Change: c.change, Command: c.CommandID, Begun: time.Now()})
}

func (p *process) tells(n int) (all []command) {
	p.Helper()
	for range n {
		c := p.command()
		p.must(p.try(c))
		all = append(all, c)
	}
	return all
}

// recovers has a process tell of a command that another one carried out.
func (p *process) recovers(c command, by *process) error {
	return p.Recover(p.Context(), c.change, c.CommandID, by.id)
}

// list returns the directory.
func (p *process) list() []blog.ChangeLog {
	p.Helper()
	logs, err := p.ChangeLogs(p.Context())
	p.must(err)
	return logs
}

func (p *process) listed(id blog.LogID) blog.ChangeLog {
	p.Helper()
	logs := p.list()
	i := slices.IndexFunc(logs, func(log blog.ChangeLog) bool { return log.ID == id })
	if i < 0 {
		p.Fatalf("the log %v is not listed", id)
	}
	return logs[i]
}

// feed returns all posts of which the feed tells, read by so many at once, and fails where
// one comes twice or a log has a hole.
func (p *process) feed(atOnce int) (posts []blog.PostID) {
	p.Helper()
	last := map[blog.LogID]int64{}
	reader := changes.Follow(p, changes.Cursor{})
	for {
		events, err := reader.Next(p.Context(), atOnce)
		p.must(err)
		if len(events) == 0 {
			return posts
		}
		for _, e := range events {
			if slices.Contains(posts, e.Post) {
				p.Errorf("%v is told twice", e.Post)
			}
			if posts = append(posts, e.Post); e.Number != last[e.Log]+1 {
				p.Errorf("%d follows %d in its log", e.Number, last[e.Log])
			}
			last[e.Log] = e.Number
		}
	}
}

// has fails unless the feed tells of these commands, each once, and of no others.
func (p *process) has(want ...command) {
	p.Helper()
	got := p.feed(2)
	if len(got) != len(want) {
		p.Errorf("%d changes, want %d", len(got), len(want))
	}
	for i, c := range want {
		if !slices.Contains(got, c.change.Post) {
			p.Errorf("the feed has not the command %d", i)
		}
	}
}

const (
	insertChange = "INSERT INTO changes_by_log"
	claim        = "change_claims"
	end          = "INSERT INTO change_log_ends"
)

// with matches statements with a text.
func with(text string) func(faultproxy.Request) bool {
	return func(r faultproxy.Request) bool {
		return slices.ContainsFunc(r.CQL, func(cql string) bool { return strings.Contains(cql, text) })
	}
}

// Numbers go on over the slices of a log, whatever shares a batch.
func TestManySlices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.process(nil)
	p.tells(1)
	p.Skip(changelog.SliceSize - 100)
	var all sync.WaitGroup
	for range 300 {
		all.Go(func() {
			if err := p.try(p.command()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	log := p.listed(p.Own())
	latest, err := p.LatestChange(t.Context(), log)
	s.must(err)
	for _, limit := range []int{7, 100, 1000} {
		number := int64(changelog.SliceSize - 99) // the first that was not skipped
		for {
			part, err := p.ChangesAfter(t.Context(), log, number, limit)
			s.must(err)
			if len(part) == 0 {
				break
			}
			for _, c := range part {
				if number++; c.Number != number {
					t.Fatalf("%d follows %d", c.Number, number-1)
				}
			}
		}
		if number != changelog.SliceSize+200 || latest != number {
			t.Errorf("by %d: %d is the last; the latest is %d", limit, number, latest)
		}
	}
}

// What a process told that died is not told again, and what it did not is, but not before that is
// certain.
func TestRecoveryOfADeadProcess(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dead, alive := s.process(nil), s.process(nil)
	first := dead.tells(1)
	s.clock.Advance(3 * time.Second) // not renewed since
	told, untold := dead.tells(2), s.command()
	dead.Die()

	s.held(alive.recovers(told[0], dead)) // it may be on its way
	s.clock.Advance(changelog.SettledAfter + time.Second)
	s.held(alive.recovers(told[0], dead)) // the process may write its log still
	if log := alive.listed(dead.Own()); log.Ended {
		t.Errorf("the log is ended too early: %+v", log)
	}
	s.clock.Advance(changelog.SealAfter - changelog.SettledAfter)
	for range 2 {
		for _, c := range append(told, untold) {
			s.must(alive.recovers(c, dead))
		}
		s.clock.Advance(time.Minute)
		alive.Renew()
	}
	if log := alive.listed(dead.Own()); !log.Ended || log.Last != 3 {
		t.Errorf("the log is listed as %+v, want it ended at 3", log)
	}
	alive.has(append(append(first, told...), untold)...)
	var of blog.Upkeep
	if alive.Report(&of); of.Told != 0 || of.ToldForOthers != 1 {
		t.Errorf("it has told of %d commands, and %d of others", of.Told, of.ToldForOthers)
	}
}

// A process that lives has what it told, and what it did not it does not tell any more.
func TestRecoveryBesideALiveProcess(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, b := s.process(nil), s.process(nil)
	s.held(b.recovers(s.command(), a)) // it may be about to begin a log
	told, untold := a.tells(1)[0], s.command()
	s.clock.Advance(changelog.SettledAfter + time.Second)
	s.held(b.recovers(untold, a)) // not renewed since, so it is not known
	if !a.Renew() {
		t.Fatal("it does not hold its log")
	}
	s.must(b.recovers(told, a))
	s.must(b.recovers(untold, a))
	if log := b.listed(a.Own()); log.Ended {
		t.Errorf("a log that is written is ended: %+v", log)
	}
	more := a.tells(1)
	b.has(append(more, told, untold)...)
}

// A process that was paused for longer than it may write to its log without renewing it begins
// another one, for others may have ended it; whether the pause is noticed as it renews the log, as
// it begins a batch, or as the batch is written.
func TestAPausedProcess(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]func(p *process){
		"before it renews": func(p *process) {
			p.Pause(changelog.RenewedFor)
			if p.Renew() {
				p.Error("it renews a log that may have been ended")
			}
		},
		"while it renews": func(p *process) {
			p.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
				if with("INSERT INTO change_logs")(r) {
					p.Pause(changelog.RenewedFor)
				}
				return faultproxy.None
			})
			held := p.Renew()
			p.proxy.SetRule(nil)
			if held {
				p.Error("it goes by a renewal that may have come too late")
			}
		},
		"before a batch": func(p *process) { p.Pause(changelog.RenewedFor) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			p, other := s.process(nil), s.process(nil)
			before := p.tells(2)
			log := p.Own()
			pause(p)
			after := p.tells(1)
			if p.Own() == log {
				t.Error("it goes on with its log")
			}
			s.clock.Advance(time.Minute)
			other.has(append(before, after...)...)
		})
	}
}

// The log of a process that is paused in the middle of a batch is ended without it; what comes
// late behind the end is never read, and told by another.
func TestAWriteBehindTheEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, other := s.process(nil), s.process(nil)
	before := p.tells(2)
	late, lost := s.command(), s.command()
	stale := other.listed(p.Own())
	p.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
		if with(insertChange)(r) {
			p.Pause(time.Minute)
			s.clock.Advance(time.Minute)
			s.must(other.recovers(lost, p))
		}
		return faultproxy.None
	})
	if err := p.try(late); blog.KindOf(err) != blog.Timeout {
		t.Errorf("it takes a change for told that may be behind the end: %v", err)
	}
	stale.Seen = s.clock.Now() // to a reader that looked just before the end
	for _, log := range []blog.ChangeLog{stale, other.listed(stale.ID)} {
		found, err := other.ChangesAfter(t.Context(), log, 2, 10)
		if err != nil || len(found) > 0 {
			t.Errorf("%v, %v is read behind the end", found, err)
		}
	}
	s.must(other.recovers(late, p))
	other.has(append(before, late, lost)...)
}

// A reader that reads a change while its log is being ended does not rely on it, unless the end
// leaves it in.
func TestReadingWhileALogIsEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	reader := s.process(nil)
	at := &atStatement{table: blog.ChangesByLog, kind: blog.Read}
	p, sealer := s.process(nil), s.process(at)
	p.tells(2)
	stale := reader.listed(p.Own())
	sent := make(chan bool, 1000)
	p.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
		if !with(insertChange)(r) {
			return faultproxy.None
		}
		sent <- true
		return faultproxy.Late
	})
	go func() { _ = p.try(s.command()) }()
	<-sent
	lost := s.command()
	s.clock.Advance(time.Minute)
	var found []blog.Change
	stale.Seen = s.clock.Now() // to a reader that looked just before
	at.do = func() {           // it has read that 2 is the newest
		p.proxy.SetRule(nil)
		p.proxy.Release()
		var err error
		found, err = reader.ChangesAfter(t.Context(), stale, 0, 10)
		s.must(err)
	}
	at.on()
	s.must(sealer.recovers(lost, p))
	if at.on() {
		t.Fatal("the log was not ended")
	}
	if end := reader.listed(stale.ID); !end.Ended || int64(len(found)) > end.Last {
		t.Errorf("%d changes were read of a log that is ended at %d", len(found), end.Last)
	}
	reader.feed(10)
}

// Two that recover a command at once tell of it once, and a third that comes later does not.
func TestRecoveriesAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dead := s.process(nil)
	first := dead.tells(1)
	lost := s.command()
	dead.Die()
	s.clock.Advance(time.Minute)
	var all sync.WaitGroup
	healers := []*process{s.process(nil), s.process(nil), s.process(nil)}
	errs := make([]error, 2*len(healers))
	for i := range errs {
		all.Go(func() { errs[i] = healers[i%len(healers)].recovers(lost, dead) })
	}
	all.Wait()
	if slices.Index(errs, nil) < 0 {
		t.Errorf("none tells of it: %v", errs)
	}
	for _, err := range errs {
		if err != nil && err != cql.ErrHeld {
			t.Error(err)
		}
	}
	s.clock.Advance(time.Minute)
	for _, h := range healers {
		h.Renew()
	}
	for _, h := range healers {
		s.must(h.recovers(lost, dead))
	}
	healers[0].has(append(first, lost)...)
}

// A process that recovers a command dies before it told of it, or after. Another one finishes it.
func TestDeathOfOneThatRecovers(t *testing.T) {
	t.Parallel()
	for _, at := range []string{claim, insertChange, end} {
		for _, fault := range []faultproxy.Fault{faultproxy.DieBefore, faultproxy.DieAfter} {
			t.Run(fmt.Sprint(at, " ", fault), func(t *testing.T) {
				t.Parallel()
				s := newSite(t)
				dead, healer, other := s.process(nil), s.process(nil), s.process(nil)
				first := dead.tells(1)
				healer.tells(1)
				lost := s.command()
				dead.Die()
				s.clock.Advance(time.Minute)
				healer.Renew()
				strike := healer.proxy.Strike(1, fault, with(at))
				ctx, cancel := context.WithCancel(t.Context())
				go func() { <-healer.proxy.Died(); cancel() }()
				err := healer.Recover(ctx, lost.change, lost.CommandID, dead.id)
				if _, met := strike.Hit(); !met || err == nil {
					t.Fatalf("it lives: %v", err)
				}
				healer.Die()
				s.clock.Advance(time.Minute)
				s.must(other.recovers(lost, dead))
				posts := other.feed(10)
				if len(posts) != 3 || !slices.Contains(posts, lost.change.Post) || !slices.Contains(posts, first[0].change.Post) {
					t.Errorf("the feed tells of %d commands, want 3", len(posts))
				}
			})
		}
	}
}

// A change goes with the intents of commands that begin, in one request. One that fails goes by itself then: where a
// log has no majority, intents do not wait for it.
func TestChangesGoWithIntents(t *testing.T) {
	t.Parallel()
	p := newSite(t).process(nil)
	p.tells(1)
	var together atomic.Int64
	p.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
		if with(insertChange)(r) && r.Writes("journal") {
			together.Add(1)
			return faultproxy.Fail
		}
		return faultproxy.None
	})
	const changes = 10
	told := make(chan error, changes)
	go func() {
		for range changes {
			told <- p.try(p.command())
		}
	}()
	for n := 0; n < changes; {
		select {
		case err := <-told:
			p.must(err)
			n++
		default:
			p.must(cql.Insist(p.Context(), p.writesIntent))
		}
	}
	if n := together.Load(); n == 0 || n > changes {
		t.Errorf("%d requests had one of %d changes and an intent, want 1 to %[2]d", n, changes)
	}
	if posts := p.feed(100); len(posts) != 1+changes {
		t.Errorf("%d changes are in the feed", len(posts))
	}
}

// writesIntent has a command of the process begin.
func (p *process) writesIntent(ctx context.Context) error {
	st := cql.On(blog.Journal, "INSERT INTO journal (minute, shard, command_id, kind, intent) VALUES (?, ?, ?, ?, ?)")
	minute, id := p.clock.Now().Truncate(time.Minute), cql.ID(p.ids.Command().UUID)
	return p.rows.Write(ctx, []cql.Bound{st.With(minute, 0, id, "likePost", "{}").Of(2, minute, 0, id)})
}

// A batch whose answer is lost is repeated as it is. Where none comes for long the log is left, and
// its changes are recovery's.
func TestABatchWhoseOutcomeIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, fault := range []faultproxy.Fault{faultproxy.LoseAnswer, faultproxy.Fail} {
		t.Run(fault.String(), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			p, other := s.process(nil), s.process(nil)
			all := p.tells(1)
			log := p.Own()
			p.proxy.Strike(1, fault, with(insertChange))
			all = append(all, p.tells(1)...)
			if p.Own() != log {
				t.Error("one lost answer has it leave its log")
			}
			p.proxy.SetRule(func(r faultproxy.Request) faultproxy.Fault {
				if with(insertChange)(r) {
					return fault
				}
				return faultproxy.None
			})
			unknown := s.command()
			began := time.Now()
			if err := p.try(unknown); blog.KindOf(err) != blog.Timeout { // one that is not repeated
				t.Errorf("without an answer: %v", err)
			}
			if took := time.Since(began); took > changelog.TellWithin {
				t.Errorf("it is tried for %v", took)
			}
			p.proxy.SetRule(nil)
			after := p.tells(1)
			if p.Own() == log {
				t.Error("it goes on with a log of which it does not know what it has")
			}
			s.clock.Advance(time.Minute)
			p.Renew()
			s.must(other.recovers(unknown, p))
			s.must(other.recovers(after[0], p))
			other.has(append(append(all, after...), unknown)...)
		})
	}
}

// A process that recovers a command leaves its log after it claimed the command for it: it tells
// no other log.
func TestAClaimIsOfOneLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	at := &atStatement{table: blog.ChangeClaims, kind: blog.Conditional}
	dead, healer := s.process(nil), s.process(at)
	lost := s.command()
	dead.Die()
	s.clock.Advance(time.Minute)
	all := healer.tells(1)
	at.do = func() { healer.Pause(changelog.RenewedFor) }
	at.on()
	if err := healer.recovers(lost, dead); blog.KindOf(err) != blog.Timeout {
		t.Errorf("it tells another log: %v", err)
	}
	healer.has(append(all, healer.tells(1)...)...)
	s.clock.Advance(time.Minute)
	healer.Renew()
	s.must(healer.recovers(lost, dead))
	if got := healer.feed(10); len(got) != 3 || got[2] != lost.change.Post {
		t.Errorf("the feed tells of %d commands, want 3", len(got))
	}
}

// What waited for too long is not told: recovery may have begun to.
func TestTooLate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.process(nil)
	c := s.command()
	err := p.Append(t.Context(), changelog.Entry{Change: c.change, Command: c.CommandID, Begun: time.Now().Add(-changelog.TellWithin)})
	if blog.KindOf(err) != blog.Timeout {
		t.Errorf("a command of long ago: %v", err)
	}
	p.has(p.tells(1)...)
}

// A log that its process has ended, or which a follower found that nobody writes, is passed by
// followers, and left out of their cursors once it is long over.
func TestFollowersPassEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	stopped, dead, alive := s.process(nil), s.process(nil), s.process(nil)
	all := slices.Concat(stopped.tells(3), dead.tells(3), alive.tells(1))
	reader := changes.Follow(alive, changes.Cursor{})
	_, err := reader.Next(t.Context(), 2)
	s.must(err)
	stopped.Stop(t.Context())
	dead.Die()
	got := 0
	for i := range 6 {
		s.clock.Advance(30 * time.Minute)
		alive.Renew()
		all = append(all, alive.tells(1)...)
		events, err := reader.Next(t.Context(), 2)
		if err != nil {
			t.Fatalf("after %d: %v", i, err)
		}
		got += len(events)
	}
	if got != len(all)-5 {
		t.Errorf("%d changes, want %d", got, len(all)-5)
	}
	for _, log := range []blog.LogID{stopped.Own(), dead.Own()} {
		if !alive.listed(log).Ended || reader.Cursor().Passed(log) != 0 {
			t.Errorf("the cursor names a log that is over: %+v", alive.listed(log))
		}
	}
	if _, err := alive.ChangesAfter(t.Context(), alive.listed(alive.Own()), 0, 10); err != nil {
		t.Error(err)
	}
}

// A process does not end the log that it writes, however far the cluster's time is set forward before
// it renews that.
func TestTheClustersTimeIsSetForward(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.process(nil)
	all := p.tells(2)
	s.clock.Advance(30 * time.Minute)
	p.has(all...)
	all = append(all, p.tells(2)...)
	p.has(all...)
	if log := p.listed(p.Own()); log.Ended {
		t.Errorf("the log is ended: %+v", log)
	}
}

// Who was away for longer than changes are kept is told so, whatever of them is there still.
func TestChangesExpire(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	s := newSite(t)
	dead, p := s.process(nil), s.process(nil)
	dead.tells(1)
	p.tells(2)
	s.clock.Advance(blog.KeepChanges - time.Second)
	p.Renew()
	found, err := p.ChangesAfter(t.Context(), p.listed(p.Own()), 0, 10)
	if err != nil || len(found) != 2 {
		t.Errorf("%d changes, %v", len(found), err)
	}
	s.clock.Advance(2 * time.Second)
	p.Renew()
	p.tells(1)
	expired := func(log blog.LogID, number int64, want bool) {
		t.Helper()
		_, err := p.ChangesAfter(t.Context(), p.listed(log), number, 10)
		if (blog.KindOf(err) == blog.Expired && err != nil) != want || err != nil && !want {
			t.Errorf("behind %d: %v, want expired: %v", number, err, want)
		}
	}
	expired(p.Own(), 0, true)
	expired(p.Own(), 1, true)
	expired(p.Own(), 2, false)
	expired(dead.Own(), 1, true) // never ended: its last one is not known
}

// A command is found in a log of many slices by its time.
func TestRecoverySearchesALargeLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, other := s.process(nil), s.process(nil)
	var all []command
	for slice := range int64(9) {
		p.tells(1)
		p.Renew()
		p.Skip(slice * changelog.SliceSize)
		all = append(all, p.tells(3)...)
		s.clock.Advance(10 * time.Minute)
		p.Renew()
	}
	for i, c := range all {
		s.must(other.recovers(c, p))
		if !other.Own().IsZero() {
			t.Fatalf("it did not find the command %d", i)
		}
	}
}

// atStatement runs do once, after a statement, when it is on.
type atStatement struct {
	table blog.Table
	kind  blog.StatementKind
	do    func()

	mu    sync.Mutex
	armed bool
}

// on arms it, and reports whether it was armed before.
func (a *atStatement) on() (was bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was, a.armed = a.armed, true
	return was
}

func (a *atStatement) Statement(_ context.Context, st blog.Statement) {
	a.mu.Lock()
	hit := a.armed && st.Table == a.table && st.Kind == a.kind
	a.armed = a.armed && !hit
	a.mu.Unlock()
	if hit {
		a.do()
	}
}

// What a server writes of another's log stands as long as that log's row, however short a time it keeps
// changes itself: without its end a log would seem to be written still.
func TestServersThatKeepChangesForOtherTimes(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	s := newSite(t)
	s.keep = 720 * time.Hour
	dead := s.process(nil)
	s.keep = time.Hour
	alive := s.process(nil)
	first, lost := dead.tells(2), s.command()
	log := dead.Own()
	dead.Die()
	s.clock.Advance(time.Minute)
	s.must(alive.recovers(lost, dead)) // which ends the log
	if listed := alive.listed(log); !listed.Ended {
		t.Fatalf("the log is not ended: %+v", listed)
	}
	of := fmt.Sprintf(" WHERE bucket = 0 AND log = %v", log)
	// The end first: a second may begin between the two.
	end := testkeyspace.Rows(t, s.config, fmt.Sprintf("SELECT ttl(last) FROM %%s.change_log_ends WHERE log = %v", log))[0]
	row := testkeyspace.Rows(t, s.config, "SELECT ttl(seen), ttl(ended), ttl(closing) FROM %s.change_logs"+of)[0]
	for _, of := range []any{row["ttl(ended)"], row["ttl(closing)"], end["ttl(last)"]} {
		if stands, is := of.(int); !is || stands < row["ttl(seen)"].(int) {
			t.Errorf("the end stands for %v s, the log's row for %v s", of, row["ttl(seen)"])
		}
	}
	s.keep = 720 * time.Hour
	s.process(nil).has(append(first, lost)...)
}

// A process whose clock was an hour ahead drew ids of then, by which nothing can be waited for: what it
// left behind is recovered as that of any other, and its log is ended only by the cluster's time.
func TestRecoveryOfAProcessWhoseClockWasWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ahead := blog.NewIDs(storetest.NewClock(s.clock.Now().Add(time.Hour)), rand.Reader)
	ofThen := func() command {
		c := s.command()
		c.CommandID = ahead.Command()
		return c
	}
	dead, alive := s.process(nil), s.process(nil)
	told, lost := ofThen(), ofThen()
	s.must(dead.try(told))
	dead.Die()
	if _, err := alive.ChangesAfter(t.Context(), alive.listed(dead.Own()), 0, 10); err != nil || alive.listed(dead.Own()).Ended {
		t.Errorf("a follower ends the log: %v", err)
	}
	for range 2 {
		s.clock.Advance(time.Minute)
		alive.Renew()
		s.must(alive.recovers(told, dead))
		s.must(alive.recovers(lost, dead))
	}
	alive.has(told, lost)
}
