package cassandra

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// Group commit. The changes of one post's ledger that this process has under way ride in
// one conditional batch. While a batch is in flight the next one gathers; a change that
// finds nothing in flight leaves at once, so an idle post pays nothing.
//
//	commands      line        leader         partition
//	A ─────────▶  A      ──▶  [A]       ──▶  IF version = 5 … 6
//	B ─────────▶  B
//	C ─────────▶  B C    ──▶  [B C]     ──▶  IF version = 6 … 7    count + 2
//
// The changes of a group commit at one version and one stamp. Each is told its own count:
// the one before the group, and what the changes before it and itself add. Copies hold
// the group's last count only, for a stamp may stand for one count alone.
//
// Each entry of a batch is conditional on its own row, so two changes of one row never
// ride together, and whoever repeats a change that was applied is refused.
//
// # Refusals and lost answers
//
// A refused group reads its rows at the serial consistency, and with them the head: a
// change that stands is answered with the head that was read with it, one that can't be
// made any more is refused, all else rides again. Where the answer to a batch was lost it
// may still come late; it is applied or never will be once the version has moved past its
// guard. Until then the same changes try again under the same guard, and only one of the
// attempts can pass it.
//
// Whoever finds the ledger full looks at the rows, too, before a change that may have been
// made before is refused.

const (
	maxGroup      = 64
	maxGroupBytes = 128 << 10 // Paxos keeps the whole batch on each replica

	// How many commands may be under way on one ledger of a post, and on all ledgers of
	// a process, their waiting included.
	maxInLine   = 1024
	maxInLines  = 16 * maxInLine
	maxGather   = 50 * time.Millisecond
	firstGather = time.Millisecond
	maxPause    = time.Second // where attempts take long
)

// errCrowded tells a command that there is no place for it.
var errCrowded = blog.Errorf(blog.Unavailable, "too many commands are waiting; try again in a second")

// Outcomes of a conditional write that did not succeed for certain.
var (
	errUnknown = blog.Errorf(blog.Timeout, "whether the edit was applied is not known: fetch the object and decide again")
)

// change is one command's change of a ledger.
type change struct {
	row   blog.UUID  // the key of the row that it changes
	fresh bool       // nobody but this change can have written the row
	delta int        // rows added
	field string     // that is to blame where the partition is full; none: "postId"
	bytes func() int // of content that the next attempt adds; nil: none
	floor int64      // the new stamp is above it
	seen  head       // of the ledger, as the command read it or later
	note  *noted     // the command's intent; nil: none
	// entries returns what goes with the new head, in the same batch. Each is
	// conditional on its row's own state, so that whoever repeats a command that
	// was applied, here or on another server, is refused and not counted twice.
	entries func(next head) []cql.Bound
	// proceed, where it is not nil, is asked after the head was read and before
	// each attempt under that head's guard. Its error ends the command.
	proceed func(ctx context.Context, now head) error
	// reread is told what the command's own row holds now, as the serial consistency
	// has it, and reports whether the change stands. It refreshes what entries goes
	// by. Its error ends the command. Where maybe is false no attempt of this command
	// can have been applied: what stands is somebody else's doing. It may be told of the
	// row several times after one attempt, and goes by what it was told last.
	reread func(row ledgerRow, maybe bool) (stands bool, err error)
}

// committed is a change that stands, with the head as of its group or later: what copies
// are made of.
type committed struct {
	head
	own int // rows as of the change itself or later: what its command answers
}

func (c committed) ownCount() blog.Count { return blog.Count{N: c.own, Stamp: c.stamp} }

// line is what this process has under way on one ledger.
type line struct {
	inside  int       // commands
	waiting []*member // in the order of their arrival
	led     bool      // a group gathers or is in flight
	now     head      // as the last group left it
	pause   time.Duration
}

// member is a change on its way.
type member struct {
	change
	ctx    context.Context
	size   int  // of its entries, in bytes
	maybe  bool // an attempt may have been applied although it seemed not
	alone  bool // rides by itself
	own    int  // the rows as of this change, if the attempt under way is applied
	blamed int  // attempts in a row that some row refused, though nobody was faster
	answer chan outcome
}

type outcome struct {
	committed
	err error
}

// reply tells a member its outcome. Whoever was told one already is told no other.
func (m *member) reply(c committed, err error) {
	select {
	case m.answer <- outcome{c, err}:
	default:
	}
}

// enter takes a place for a command that is going to change a ledger, or returns
// errCrowded. The command calls leave in the end.
func (s *Store) enter(l *ledger, post blog.PostID) (leave func(), err error) {
	if s.inLines.Add(1) > maxInLines {
		s.inLines.Add(-1)
		return nil, errCrowded
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.line(post)
	if at.inside >= maxInLine {
		s.inLines.Add(-1)
		return nil, errCrowded
	}
	at.inside++
	return func() {
		s.inLines.Add(-1)
		l.mu.Lock()
		defer l.mu.Unlock()
		at.inside--
		l.forget(post, at)
	}, nil
}

// line returns the line of a post; mu is held.
func (l *ledger) line(post blog.PostID) *line {
	at := l.lines[post]
	if at == nil {
		if l.lines == nil {
			l.lines = map[blog.PostID]*line{}
		}
		at = &line{}
		l.lines[post] = at
	}
	return at
}

// forget drops a line that nobody stands in; mu is held.
func (l *ledger) forget(post blog.PostID, at *line) {
	if at.inside == 0 && !at.led && l.lines[post] == at {
		delete(l.lines, post)
	}
}

// headNow finds a ledger's head for a change to go by: what the last group of this
// process left, or else what is read. A head that is old costs a refused attempt and
// nothing else. It returns how to read the head into now, or nil where it is there.
func (s *Store) headNow(ctx context.Context, l *ledger, post blog.PostID, now *head) (read func() error) {
	l.mu.Lock()
	if at := l.lines[post]; at != nil {
		*now = at.now
	}
	l.mu.Unlock()
	if now.version > 0 {
		return nil
	}
	var kept bool
	if *now, kept = l.kept(post); kept {
		return nil
	}
	return func() (err error) { *now, err = s.ledgerHead(ctx, l, post); return err }
}

// commit makes a change of a ledger. It returns NotFound where the post was deleted,
// Invalid where the ledger is full. Where ctx ends first, the change is not made if its
// batch was not sent; its outcome is not known if it was.
func (s *Store) commit(ctx context.Context, l *ledger, post blog.PostID, c change) (committed, error) {
	m := &member{change: c, ctx: ctx, answer: make(chan outcome, 1)}
	for _, entry := range c.entries(head{}) {
		m.size += entry.Size()
	}
	at := s.join(l, post, m)
	select {
	case out := <-m.answer:
		return out.committed, out.err
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at.waiting = slices.DeleteFunc(at.waiting, func(other *member) bool { return other == m })
	select {
	case out := <-m.answer:
		return out.committed, out.err
	default:
		return committed{}, cql.Convert(ctx, ctx.Err())
	}
}

// join puts a change into its line, and starts a leader if there is none.
func (s *Store) join(l *ledger, post blog.PostID, m *member) *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.line(post)
	at.waiting = append(at.waiting, m)
	if !at.led {
		at.led = true
		g := &group{store: s, ledger: l, post: post, line: at, now: at.now, pause: at.pause}
		go g.lead()
	}
	return at
}

// group is the changes of one line that ride together, with the head that they go by.
// One goroutine leads it, from the first change in an empty line to the last.
type group struct {
	store  *Store
	ledger *ledger
	post   blog.PostID
	line   *line
	now    head
	riding []*member
	// pause is how long the next attempt gathers; zero while no other server was faster
	// lately. It lives on in the line.
	pause time.Duration
}

func (g *group) lead() {
	for g.board() {
		if err := blog.SafelyTold(g.store.log, func() error { g.ride(); return nil }); err != nil {
			g.giveUp(err)
		}
	}
}

// giveUp ends an attempt that panicked: what became of the changes in it is not known.
func (g *group) giveUp(err error) {
	for _, m := range g.riding {
		m.reply(committed{}, err)
	}
	g.riding = nil
}

// board takes into the group who waits and fits in. It reports false, and the leader's
// work is over, where nobody is left. Two changes of one row keep their order and don't
// ride together. Whoever's time is over has gone. After a row has refused nobody boards: the
// others have been read again, and who boards has not.
func (g *group) board() bool {
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	g.riding = slices.DeleteFunc(g.riding, func(m *member) bool { return m.ctx.Err() != nil })
	size := 0
	rows := map[blog.UUID]bool{}
	for _, m := range g.riding {
		size += m.size
		rows[m.row] = true
	}
	full := slices.ContainsFunc(g.riding, func(m *member) bool { return m.alone || m.blamed > 0 })
	g.line.waiting = slices.DeleteFunc(g.line.waiting, func(m *member) bool {
		if !full && len(g.riding) > 0 {
			full = len(g.riding) >= maxGroup || size+m.size > maxGroupBytes
		}
		if full || rows[m.row] {
			rows[m.row] = true
			return false
		}
		rows[m.row] = true
		size += m.size
		g.riding = append(g.riding, m)
		return true
	})
	if len(g.riding) > 0 {
		return true
	}
	g.line.led = false
	g.line.pause = g.pause
	g.ledger.forget(g.post, g.line)
	return false
}

// ride makes one attempt.
func (g *group) ride() {
	ctx, cancel := g.context()
	defer cancel()
	for _, m := range g.riding {
		if m.seen.version > g.now.version {
			g.now = m.seen
		}
	}
	g.ask()
	trying := g.riding
	if len(trying) > 0 && trying[0].alone {
		trying = trying[:1]
	}
	next, trying := g.admit(ctx, trying)
	if len(trying) == 0 {
		return
	}
	batch := []cql.Bound{g.ledger.update(g.post, next, g.now)}
	for _, m := range trying {
		batch = append(batch, m.entries(next)...)
	}
	start := time.Now()
	applied, _, err := g.ledger.attempt(ctx, batch...)
	switch {
	case applied && err == nil:
		g.applied(next, trying)
	case err != nil && blog.KindOf(err) == blog.Internal:
		g.failed(trying, err)
	default:
		g.notApplied(ctx, trying, err != nil, time.Since(start))
	}
}

// context returns the group's own: it ends when the last one's does.
func (g *group) context() (context.Context, context.CancelFunc) {
	var last time.Time
	for _, m := range g.riding {
		deadline, bounded := m.ctx.Deadline()
		if !bounded {
			deadline = time.Now().Add(g.store.deadline)
		}
		if deadline.After(last) {
			last = deadline
		}
	}
	return context.WithDeadline(context.WithoutCancel(g.riding[0].ctx), last)
}

// ask asks each change whether to proceed, all at once. Whoever is slow about it goes to
// the end of the line, and holds nobody up.
func (g *group) ask() {
	if !slices.ContainsFunc(g.riding, (*member).asks) {
		return
	}
	errs := make([]error, len(g.riding))
	asked := make([]func() error, len(g.riding))
	for i, m := range g.riding {
		asked[i] = func() error {
			errs[i] = blog.Safely(func() error { return m.ask(g.now) })
			return nil
		}
	}
	_ = cql.Concurrently(asked...)
	kept := g.riding[:0:0]
	for i, m := range g.riding {
		switch {
		case errs[i] == nil:
			kept = append(kept, m)
		case blog.KindOf(errs[i]) == blog.Timeout && m.ctx.Err() == nil:
			g.ledger.mu.Lock()
			g.line.waiting = append(g.line.waiting, m)
			g.ledger.mu.Unlock()
		default:
			m.reply(committed{}, errs[i])
		}
	}
	g.riding = kept
}

// askLimit is how long a group waits for a change that asks whether to proceed.
const askLimit = time.Second

// asks reports whether the change has anything to ask before an attempt.
func (m *member) asks() bool { return m.proceed != nil || m.note != nil && m.note.old() }

func (m *member) ask(now head) error {
	ctx, cancel := context.WithTimeout(m.ctx, askLimit)
	defer cancel()
	if m.note != nil {
		if err := m.note.keep(ctx); err != nil {
			return err
		}
	}
	if m.proceed != nil {
		return m.proceed(ctx, now)
	}
	return nil
}

// admit returns the head that the next attempt makes, and who is in it.
func (g *group) admit(ctx context.Context, riding []*member) (next head, in []*member) {
	var unread error
	if g.overflows(riding) {
		var news bool
		if news, unread = g.look(ctx, riding); news {
			return head{}, nil
		}
	}
	next = head{rows: g.now.rows, version: g.now.version + 1, stamp: blog.NextStamp(g.store.clock, g.now.stamp), kept: g.now.takes(), bytes: g.now.bytes}
	for _, m := range riding {
		with, full := m.fits(g.ledger, next)
		_, always := m.fits(g.ledger, g.now)
		switch {
		case g.now.closed:
			g.answer(m, committed{}, blog.ErrNoPost("postId"))
			continue
		case full != nil && unread != nil:
			g.answer(m, committed{}, unread)
			continue
		case always != nil:
			g.answer(m, committed{}, always)
			continue
		case full != nil:
			continue // unless one of those before it fails, which the next attempt knows
		}
		next = with
		next.stamp = max(next.stamp, m.floor+1)
		m.own = next.rows
		in = append(in, m)
	}
	return next, in
}

// look makes sure, before changes are refused because there is no room, that it is not an
// old head which says so, and that none of them was made before: what an idempotency key
// has made, or a like that was given, stays so. It reports whether there is anything new.
func (g *group) look(ctx context.Context, riding []*member) (news bool, err error) {
	before, riders := g.now.version, len(g.riding)
	var doubtful []*member
	for _, m := range riding {
		if m.needsLook() && m.adds() {
			doubtful = append(doubtful, m)
		}
	}
	err = cql.Insist(ctx, func(ctx context.Context) error { return g.settle(ctx, doubtful) })
	return g.now.version > before || len(g.riding) < riders, err
}

func (g *group) overflows(riding []*member) bool {
	next := g.now
	for _, m := range riding {
		var err error
		if next, err = m.fits(g.ledger, next); err != nil {
			return true
		}
	}
	return false
}

// adds reports whether the change needs room.
func (m *member) adds() bool { return m.delta > 0 || m.bytes != nil && m.bytes() > 0 }

// fits returns a head with the change added, or the refusal where it adds to a partition that
// is full. A row that is taken away from comments stays, dead; from likes it may come back.
func (m *member) fits(l *ledger, before head) (next head, err error) {
	next = before
	next.rows += m.delta
	added := m.delta
	if l.sized {
		added = max(m.delta, 0)
	}
	next.kept = before.takes() + added
	if m.bytes != nil {
		next.bytes = max(before.bytes+m.bytes(), 0)
	}
	if m.adds() {
		err = l.full(cmp.Or(m.field, "postId"), next.takes(), next.bytes)
	}
	return next, err
}

// answer ends a member's ride.
func (g *group) answer(m *member, c committed, err error) {
	g.riding = slices.DeleteFunc(slices.Clone(g.riding), func(other *member) bool { return other == m })
	m.reply(c, err)
}

func (g *group) applied(next head, in []*member) {
	g.know(next)
	for _, m := range in {
		g.answer(m, committed{next, m.own}, nil)
	}
	// Where other servers write too, they have their turn now.
	if g.pause /= 2; g.pause < firstGather {
		g.pause = 0
	}
	g.rest()
}

// rest lets changes gather for some part of the pause, and then looks how far others
// have come meanwhile.
func (g *group) rest() {
	if g.pause == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.store.deadline)
	defer cancel()
	_ = cql.Wait(ctx, g.pause/2+rand.N(g.pause/2))
	if now, err := g.store.ledgerHead(ctx, g.ledger, g.post); err == nil && now.version > g.now.version {
		g.know(now)
	}
}

// know tells the line which head its changes go by.
func (g *group) know(now head) {
	g.now = now
	g.ledger.mu.Lock()
	g.line.now = now
	g.ledger.mu.Unlock()
	g.ledger.heads.Add(g.post, now)
}

// failed tries one by one the changes of a batch that Cassandra would not take, so that
// the one to blame is alone with it.
func (g *group) failed(in []*member, err error) {
	if len(in) == 1 {
		g.answer(in[0], committed{}, err)
		return
	}
	for _, m := range in {
		m.alone, m.maybe = true, true
	}
}

// notApplied finds out what became of an attempt, answers for the changes that stand or
// can't be made any more, and waits a little before the next: another server was faster,
// or Cassandra can't follow. The one that waits longer has the larger group then.
// Where an attempt takes long, so does the pause: two attempts at once cost both.
func (g *group) notApplied(ctx context.Context, in []*member, unsure bool, took time.Duration) {
	for _, m := range in {
		m.maybe = m.maybe || unsure
	}
	g.pause = min(max(2*g.pause, firstGather), min(max(maxGather, 2*took), maxPause))
	tried := g.now
	if !unsure && !slices.ContainsFunc(in, (*member).needsLook) {
		if g.rest(); g.now.version > tried.version {
			g.outrun()
			return
		}
	}
	err := cql.Insist(ctx, func(ctx context.Context) error { return g.settle(ctx, in) })
	if err != nil {
		for _, m := range in {
			if slices.Contains(g.riding, m) {
				g.answer(m, committed{}, err)
			}
		}
		return
	}
	switch {
	case unsure:
	case g.now.version == tried.version:
		g.blame(in)
		return
	default:
		g.outrun()
	}
	for _, m := range in {
		m.blamed = 0
	}
	g.rest()
}

// blame goes on after a refusal although nobody was faster: what a command went by of its
// row was older than the head. It was read again with the head meanwhile, so the next
// attempt passes. Where that one is refused, too, the cells of a row, or of the head,
// contradict what is read of them. Each change rides alone then, and that of the row to
// blame ends.
func (g *group) blame(in []*member) {
	again := false
	for _, m := range in {
		m.blamed++
		if m.blamed == cql.MaxRefusals && slices.Contains(g.riding, m) {
			g.answer(m, committed{}, cql.ErrContradicts(g.ledger.selectHead.Table, fmt.Sprint(g.post, "/", m.row)))
		}
		m.alone = m.alone || m.blamed > 1
		again = again || m.blamed > 1
	}
	if !again {
		g.pause = 0
	}
	g.rest()
}

// outrun notes that another server was faster. A deletion, which is so but once, does not
// count.
func (g *group) outrun() {
	if !g.now.closed {
		g.ledger.raced.Store(time.Now().UnixNano())
	}
}

// needsLook reports whether the row has to be read after a refusal: one that nobody else
// writes, and no attempt of its own may have written, has not.
func (m *member) needsLook() bool { return m.maybe || !m.fresh }

// settle finds out what became of an attempt under the guard of g.now: once the version has
// moved past the guard, the attempt is applied or never will be, and the rows that are read
// with the head, or after it, tell which. The head comes with the rows, in one statement:
// who is told that its change stands is told a count that has it, and the views, which go
// at the head's stamp, show no row that is older. Only where there is none of the rows, the
// head is the one read before; and where a change stands without a row, a head that did not
// move meanwhile.
func (g *group) settle(ctx context.Context, in []*member) error {
	tried := g.now
	now, err := g.store.ledgerHeadSerial(ctx, g.ledger, g.post)
	for err == nil {
		var rows map[blog.UUID]ledgerRow
		var above *head
		if rows, above, err = g.rowsOf(ctx, in, now.version == tried.version); err != nil {
			break
		}
		if above != nil {
			now = *above
		}
		verdicts, standing := judge(in, rows, now)
		if standing && above == nil {
			before := now
			if now, err = g.store.ledgerHeadSerial(ctx, g.ledger, g.post); err != nil || now != before {
				continue
			}
		}
		g.know(now)
		for m, v := range verdicts {
			g.answer(m, v.committed, v.err)
		}
		return nil
	}
	return err
}

// judge tells of each change whose row was read what is to be answered, if anything, and
// whether one of them stands.
func judge(in []*member, rows map[blog.UUID]ledgerRow, now head) (verdicts map[*member]outcome, standing bool) {
	verdicts = make(map[*member]outcome, len(in))
	for _, m := range in {
		row, read := rows[m.row]
		if !read {
			continue
		}
		stands, err := m.reread(row, m.maybe)
		if stands || err != nil {
			verdicts[m] = outcome{committed{now, now.rows}, err}
		}
		standing = standing || stands && err == nil
	}
	return verdicts, standing
}

// rowsOf reads the rows of changes in one statement, and with them the head. A row that
// nobody else writes, and no attempt of its own may have written, need not be read, unless
// all is asked for. Rows that are not there are zero. Where none is, there is no head.
func (g *group) rowsOf(ctx context.Context, in []*member, all bool) (rows map[blog.UUID]ledgerRow, above *head, err error) {
	var keys []gocql.UUID
	for _, m := range in {
		if all || m.needsLook() {
			keys = append(keys, cql.ID(m.row))
		}
	}
	if len(keys) == 0 {
		return nil, nil, nil
	}
	rows, now, err := g.store.rowsSerial(ctx, g.ledger, g.post, keys)
	if len(rows) > 0 {
		above = &now
	}
	for _, key := range keys {
		if _, found := rows[blog.UUID(key)]; !found && err == nil {
			rows[blog.UUID(key)] = ledgerRow{}
		}
	}
	return rows, above, err
}
