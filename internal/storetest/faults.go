package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// Breakable is a store each of whose steps can be broken: a statement, or an operation
// of the file system.
type Breakable interface {
	// Open opens the store, empty, for the first time. t closes it.
	Open(t *testing.T, options blog.Options) blog.Store

	// Faults are what can happen to a step.
	Faults() []StepFault

	// Break has the k-th step from now, from 1, suffer a fault. Its context is the
	// command's: it ends where the fault ends the process.
	Break(ctx context.Context, fault StepFault, k int) context.Context

	// Broken returns the step that suffered it, false where none did so far.
	Broken() (step string, met bool)

	// Passed returns when the next steps are as before the fault, which passes.
	Passed(ctx context.Context) error

	// Mend ends the fault. It returns the store that goes on: the same, or that of
	// another process, when everything that was left half done has been looked after.
	// Since Break more than a minute of the store's own time has gone by.
	Mend(ctx context.Context) (blog.Store, error)
}

// StepFault is a way in which a step can be broken.
type StepFault struct {
	Name   string
	Kills  bool // the process ends with it
	Passes bool // the next steps are as before it; what it held back may arrive when it is mended
}

// FaultPlan is how much of a store UnderFaults breaks.
type FaultPlan struct {
	Seed   uint64
	Rounds int // over all commands
	// Sample, if it is not 0, is how many of the faults each step suffers, chosen at
	// random; otherwise it is all of them.
	Sample int
	// Undone has each command that is answered be undone before the fault is mended, so that
	// what a fault held back arrives behind a later command. Faults that do not pass are left out.
	Undone bool
}

// UnderFaults breaks each step of each command in turn, and judges by the model what
// comes of it.
//
// An answer that was given holds: a success is there, with all copies and counts, and
// a refusal has left nothing. Of a command that ended in Timeout or Unavailable, or
// whose process died, either everything is there or nothing: whatever every query
// shows is what the model shows with the command, or what it shows without. With a
// command that has a key there is no doubt in the end: it is repeated until it is
// answered.
func UnderFaults(t *testing.T, plan FaultPlan, b Breakable) {
	start := time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)
	d := &differential{T: t, ctx: t.Context(), clock: NewClock(start), start: start, random: rand.New(rand.NewPCG(plan.Seed, 0))}
	model := NewModel(blog.Options{Clock: d.clock})
	d.add("model", plan.Seed, func(*testing.T, blog.Options) blog.Store { return model })
	d.add("store", plan.Seed, b.Open)
	f := &underFaults{differential: d, model: model, breakable: b, plan: plan}
	for d.step = 1; d.step <= peaceful; d.step++ {
		d.passTime()
		d.command(d.randomCommand())
	}
	for range plan.Rounds {
		for _, w := range weights {
			f.everyStep(w.random)
		}
	}
	d.compareAll()
	d.clock.Advance(longAfter)
	mended, err := b.Mend(d.ctx)
	if err != nil {
		f.fail("mending in the end: %v", err)
	}
	d.sides[1].store = Checked(t, mended)
	d.judge(d.sides[1])
	t.Logf("%d steps of commands were broken: %v", f.broken, f.outcomes)
}

// longAfter is when all that may come late was looked at for the last time.
const longAfter = 24 * time.Hour

// peaceful is how many commands make the world in which the faults happen.
const peaceful = 120

type underFaults struct {
	*differential
	model     *Model
	breakable Breakable
	plan      FaultPlan
	broken    int
	outcomes  [3]int // answered, unknown and applied, unknown and not
}

// everyStep breaks the steps of a kind of command one after the other, until one more
// than there are.
func (f *underFaults) everyStep(random func(d *differential) randomCommand) {
	for k := 1; ; k++ {
		met := false
		for _, fault := range f.faults() {
			f.passTime()
			met = f.run(f.acceptable(random), fault, k) || met
			f.step++
		}
		if !met {
			return
		}
		if k > mostSteps {
			f.Fatalf("a command has more than %d steps", mostSteps)
		}
	}
}

const mostSteps = 300

func (f *underFaults) faults() []StepFault {
	all := slices.Clone(f.breakable.Faults())
	if f.plan.Undone {
		all = slices.DeleteFunc(all, func(fault StepFault) bool { return !fault.Passes })
	}
	f.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if f.plan.Sample > 0 {
		all = all[:min(f.plan.Sample, len(all))]
	}
	return all
}

// acceptable returns a random command that changes something; one in eight is whatever
// comes.
func (f *underFaults) acceptable(random func(d *differential) randomCommand) randomCommand {
	for range 200 {
		c := random(f.differential)
		saved, before := f.save(), f.state(f.sides[0], c)
		f.sides[0].do(c.on(f.sides[0]))
		after := f.state(f.sides[0], c)
		f.restore(saved)
		if f.oneIn(8) || after != before {
			return c
		}
	}
	f.Fatal("no command changes anything")
	panic("unreachable")
}

// run breaks a step of a command, and fails where what is there afterwards is neither
// all of it nor nothing. It reports whether the command has such a step.
func (f *underFaults) run(c randomCommand, fault StepFault, k int) (met bool) {
	model, store := f.sides[0], f.sides[1]
	without := f.save()
	command := c.on(model)
	f.remember(fmt.Sprintf("%d, at %s: %T %s\n      step %d %s", f.step, f.clock.Now().Format(time.StampMicro), command, model.text(command), k, fault.Name))
	want := model.do(command)

	store.ctx = f.breakable.Break(f.ctx, fault, k)
	got := f.heard(c)
	settle := store.store.Settle(store.ctx)
	known := !store.unknown(got) && got != nobody
	step, met := f.breakable.Broken()
	if f.plan.Undone && met && known && got == want {
		if err := f.breakable.Passed(f.ctx); err != nil {
			f.fail("waiting until %s has passed: %v", fault.Name, err)
		}
		f.command(undoing(f.differential, c))
	}
	f.clock.Advance(recoveredAfter)
	mended, err := f.breakable.Mend(f.ctx)
	if err != nil {
		f.fail("mending: %v", err)
	}
	store.ctx, store.store = f.ctx, Checked(f.T, mended)
	f.remember(fmt.Sprintf("      (%s)\n      → %s\n      model: %s", step, got, want))
	if met {
		f.broken++
	} else if !known || settle != nil {
		f.fail("nothing was broken, and the answer is %s, settling: %v", got, settle)
	}
	switch {
	case known && got != want:
		f.fail("the answer is %s, the model's is %s", got, want)
	case known:
		f.outcomes[0]++
		f.wantState(c, "it was answered")
	default:
		f.resolve(c, without)
	}
	if !met {
		return false // what drifts all the same, the next audit finds
	}
	f.audit()
	if f.broken%20 == 0 {
		f.compareAll()
	}
	return true
}

// nobody is the answer of a process that died before it gave one.
const nobody = "none: its process died"

// heard has the store do a command and returns the answer, unless the process dies
// before. What goes on in a process that is dead does not count any more.
func (f *underFaults) heard(c randomCommand) string {
	type heard struct {
		by     side
		answer string
	}
	by := f.sides[1].copied()
	answered := make(chan heard, 1)
	go func() {
		answer := by.do(c.on(&by))
		answered <- heard{by, answer}
	}()
	select {
	case a := <-answered:
		if by.ctx.Err() != nil {
			return nobody // it may have been given after the end
		}
		*f.sides[1] = a.by
		return a.answer
	case <-by.ctx.Done():
		return nobody
	}
}

const recoveredAfter = 2 * time.Minute

// resolve finds out what became of a command whose outcome is not known, and puts the
// model into the same state: without is its state without the command.
func (f *underFaults) resolve(c randomCommand, without modelState) {
	if c.keyed {
		f.repeat(c, without)
		return
	}
	f.discover(c)
	shown := f.state(f.sides[1], c)
	if shown == f.state(f.sides[0], c) {
		f.outcomes[1]++
		return
	}
	wanted := f.state(f.sides[0], c)
	f.restore(without)
	if shown == f.state(f.sides[0], c) {
		f.outcomes[2]++
		return
	}
	f.fail("it is half there.\nAgainst all of it:%s\nAgainst nothing:%s", difference(shown, wanted), difference(shown, f.state(f.sides[0], c)))
}

// difference returns the lines of two states that differ.
func difference(shown, wanted string) string {
	var b strings.Builder
	theirs := strings.Split(wanted, "\n")
	for i, line := range strings.Split(shown, "\n") {
		if i >= len(theirs) || theirs[i] != line {
			their := theirs[min(i, len(theirs)-1)]
			same := 0
			for same < min(len(line), len(their)) && line[same] == their[same] {
				same++
			}
			from := max(0, same-200)
			what, _, _ := strings.Cut(line, ": ")
			fmt.Fprintf(&b, "\n%s\n    shown: …%s\n    model: …%s", what, shorten(line[from:], 800), shorten(their[min(from, len(their)):], 800))
		}
	}
	return b.String()
}

// repeat runs a command with a key again. Where the first one had come as far as the
// key its ids and times count, else it is as if there had been none.
func (f *underFaults) repeat(c randomCommand, without modelState) {
	f.Helper()
	model, store := f.sides[0], f.sides[1]
	got := store.do(c.on(store))
	if err := store.store.Settle(f.ctx); err != nil {
		f.fail("settling a repetition: %v", err)
	}
	first := model.do(c.on(model))
	shown := f.state(store, c)
	if got == first && shown == f.state(model, c) {
		f.outcomes[1]++
		return
	}
	wanted := f.state(model, c)
	f.restore(without)
	second := model.do(c.on(model))
	if got != second || shown != f.state(model, c) {
		f.fail("repeated with its key it answers %s, the model %s or %s.\nAgainst the first:%s\nAgainst a second:%s", got, first, second, difference(shown, wanted), difference(shown, f.state(model, c)))
	}
	f.outcomes[2]++
}

// discover names what a command may have created whose answer was lost.
func (f *underFaults) discover(c randomCommand) {
	s := f.sides[1]
	switch made := c.on(s).(type) {
	case blog.CreateUser:
		if u, err := s.store.UserBySubject(s.ctx, made.Subject); err == nil && s.learn("user", u.ID.UUID) {
			s.users = append(s.users, u.ID)
		}
	case blog.CreatePost:
		page, err := s.store.PostsByAuthor(s.ctx, made.Author, blog.FirstPage[blog.PostID](1))
		if err == nil && len(page.Items) > 0 && s.learn("post", page.Items[0].ID.UUID) {
			s.posts = append(s.posts, page.Items[0].ID)
		}
	case blog.CreateComment:
		page, err := s.store.CommentsByPost(s.ctx, blog.CommentsQuery{Post: made.Post, Page: blog.FirstPage[blog.CommentID](1)})
		if err == nil && len(page.Items) > 0 && s.learn("comment", page.Items[0].ID.UUID) {
			s.comments, s.paths = append(s.comments, page.Items[0].Key()), append(s.paths, page.Items[0].Place())
		}
	}
}

// wantState fails where a query shows something else than the model does.
func (f *underFaults) wantState(c randomCommand, why string) {
	f.Helper()
	if got, want := f.state(f.sides[1], c), f.state(f.sides[0], c); got != want {
		f.fail("%s, and the queries show something else:%s", why, difference(got, want))
	}
}

// state is what the queries show of all that a command may touch.
func (f *underFaults) state(s *side, c randomCommand) string {
	all := numberedPage{limit: blog.MaxPage, after: none, before: none}
	var b strings.Builder
	show := func(what, text string) { fmt.Fprintf(&b, "\n  %s: %s", what, text) }
	showLists := func(q numberedQuery, parent blog.ColumnType) {
		for _, l := range everyList {
			if d := l.declaration(); d.Partition[0].Type == parent {
				show(string(d.Table), l.answer(s, q))
			}
		}
	}
	switch made := c.on(s).(type) {
	case blog.CreateUser:
		show("subject", s.userBySubject(made.Subject))
		show("name", s.userByUsername(made.Username))
	case blog.UpdateUser:
		if made.Username.Value != nil {
			show("name", s.userByUsername(*made.Username.Value))
		}
	}
	for _, user := range c.users {
		show("user", s.userByID(user))
		showLists(numberedQuery{user: user, page: all}, blog.TypeUser)
		for _, k := range blog.ReactionKinds {
			show(k.Them, s.reacted(k, user))
		}
		show("groups", s.groupsByOwner(user))
	}
	for _, comment := range c.comments {
		show("comment", s.commentByKey(comment))
	}
	posts := c.posts
	for _, comment := range c.comments {
		if key := s.comment(comment); slices.Contains(s.posts, key.Post) {
			posts = append(posts[:len(posts):len(posts)], slices.Index(s.posts, key.Post))
		}
	}
	for _, post := range posts {
		show("post", s.postByID(post))
		for _, user := range append(slices.Clone(c.users), nobodysNumber) {
			showLists(numberedQuery{user: user, post: post, page: all}, blog.TypePost)
		}
	}
	for i := range groupNumbers {
		show("group", s.groupByID(i))
	}
	show("feed", s.feed(numberedPage{limit: 5, after: none, before: none}))
	return b.String()
}

// audit compares every copy in the store with its truth.
func (f *underFaults) audit() {
	f.Helper()
	auditor, ok := f.sides[1].store.(*checked).under.(audit.Store)
	if !ok {
		f.Fatal("the store is no auditor")
	}
	found, err := audit.Verifying{}.Run(f.ctx, auditor)
	if err != nil {
		f.fail("verify: %v", err)
	}
	if found.Drifted() > 0 {
		f.fail("%d copies or counts differ from their truth: %+v", found.Drifted(), drifted(found))
	}
}

func drifted(v audit.Verified) (all []audit.Drift) {
	for _, table := range v.Tables {
		all = append(all, table.Examples...)
	}
	return all
}

func (f *underFaults) fail(format string, args ...any) {
	f.Helper()
	f.Fatalf("%s\nThe last commands:\n%s", fmt.Sprintf(format, args...), strings.Join(f.last, "\n"))
}

// modelState is the model at one time, with the names of what it holds.
type modelState struct {
	data *modelData
	side side
}

func (f *underFaults) save() modelState {
	return modelState{data: f.model.copied(), side: f.sides[0].copied()}
}

func (f *underFaults) restore(state modelState) {
	f.model.modelData = (&Model{modelData: state.data}).copied()
	*f.sides[0] = state.side.copied()
}
