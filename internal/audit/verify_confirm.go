package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// suspect is a row, what stands above the rows of a partition, a count with its rows, or what an erasure
// may have left.
type suspect struct {
	Drift // its kind is what may be wrong, where that is one thing

	asked bool // a truth asks for it, or is itself suspect; else it was found standing
	named bool // it differs in a user's name, and a command was at work on it
}

const (
	// suspectsAtOnce is how many are confirmed together.
	suspectsAtOnce = 256
	// maxTold bounds the memory of what was settled, so that nothing is counted twice.
	maxTold = 1 << 14
)

// suspect remembers a row until there are enough to be confirmed together.
func (v *verification) suspect(ctx context.Context, s suspect) error {
	v.mu.Lock()
	if !s.asked && slices.ContainsFunc(v.suspects, func(o suspect) bool { return o.Table == s.Table && !o.asked && SameValues(o.Key, s.Key) }) {
		v.mu.Unlock()
		return nil
	}
	v.suspects = append(v.suspects, s)
	enough := len(v.suspects) >= suspectsAtOnce
	v.mu.Unlock()
	if enough {
		return v.flush(ctx)
	}
	return nil
}

func (v *verification) flush(ctx context.Context) error {
	v.mu.Lock()
	batch := v.suspects
	v.suspects = nil
	v.mu.Unlock()
	return v.confirm(ctx, batch)
}

// reading is what was read of a suspect, its truth before its row, and what is wrong with it; no kind: nothing.
type reading struct {
	suspect
	user     blog.UserID // whose name the row has; zero: its truth does not say
	expected []blog.Copy
	row      Row
	unowned  bool // a claim whose owner was not found
	moving   bool // a command is at work on what is counted
}

func look(ctx context.Context, a Reader, truths Truths, s suspect) (r reading, err error) {
	r.suspect, r.Deletes = s, 0
	still := true
	switch {
	case s.Table == blog.FeedBuckets:
		still, err = inIndex(ctx, a.(FeedIndex), s)
	case s.Table == blog.Gaps:
		still, err = a.(GapReader).Hides(ctx, s.Key)
	case s.Kind == LeftErasure:
		still, err = leftOfErased(ctx, truths, s.Table, s.Key)
	case s.OfTally():
		err = r.tally(ctx, a, truths)
	default:
		err = r.cells(ctx, a, truths)
	}
	if !still {
		r.Kind = ""
	}
	return r, err
}

// cells compares a row with what follows from its truths.
func (r *reading) cells(ctx context.Context, a Reader, truths Truths) error {
	all, err := rowsOf(ctx, truths, r.Table, r.Key, r.Post)
	if err != nil {
		return err
	}
	in, owner := claimTables[r.Table], blog.UserID{}
	if r.expected, r.user = inRow(all, r.Table, r.Key), First[blog.UserID](all); in.group != nil {
		r.row, owner, err = in.held(ctx, truths, r.Key)
	} else {
		r.row, err = a.Row(ctx, r.Table, r.Key)
	}
	if err != nil {
		return err
	}
	r.Kind, r.Problem = compare(r.Table, r.expected, r.row)
	switch {
	case r.Kind == "":
		return nil
	case in.group != nil && len(r.expected) > 0:
		return r.lacking(ctx, a, truths, in, owner)
	case len(r.expected) > 0:
		return nil
	}
	if r.Deletes = 1; in.group != nil {
		return r.leaked(ctx, truths, in)
	}
	lost, err := r.lost(ctx, truths, len(all) > 0)
	if lost {
		r.Kind, r.Problem = LostTruth, "what it follows from is lost, or contradicts itself: "+describe(r.row.Cells)
	}
	return err
}

// lost reports whether a row that no truth asks for may be all that is left of one: not if its subject exists without
// it or has ended, nor if it lacks what makes it a row. asks: the subject's truth exists.
func (r reading) lost(ctx context.Context, truths Truths, asks bool) (bool, error) {
	if len(r.row.Cells) == 0 {
		return false, nil
	}
	if asks { // a count above rows has a truth of its own
		static := len(r.Key) < len(shapes[r.Table].key)
		return static && !slices.ContainsFunc(r.row.Cells, func(c blog.Copy) bool { return !c.Group.Counts() }), nil
	}
	fate, err := fateOf(ctx, truths, r.Table, r.Key, r.Post)
	switch {
	case err != nil || fate == Ended || fate == Erased:
		return false, err
	case r.Table.Declaration().MakesRows():
		return r.Kind != Ghost, nil
	}
	return fate == Standing, nil
}

// looks looks at suspects, some at once.
func (v *verification) looks(ctx context.Context, truths Truths, suspects []suspect) ([]reading, error) {
	looks := make([]reading, len(suspects))
	err := atOnce(ctx, len(suspects), v.Concurrency, func(ctx context.Context, i int) (err error) {
		looks[i], err = look(ctx, v.reader, truths, suspects[i])
		return err
	})
	return looks, err
}

// confirmations is how often a row is looked at while commands change it, and firstBreath the pause after the first
// look; it doubles with each. With [Verifying.Patient] a row with a wrong name is looked at patientConfirmations times:
// for ten minutes, in the end lastBreath apart.
const (
	confirmations        = 6
	patientConfirmations = 300
	firstBreath          = 50 * time.Millisecond
	lastBreath           = 2 * time.Second
)

// breath is the pause after a round.
func breath(round int) time.Duration { return min(firstBreath<<min(round, confirmations), lastBreath) }

// goesOn reports whether a row that a command may change is looked at again after a round.
func (v *verification) goesOn(s suspect, round int) bool {
	rounds := confirmations
	if v.Patient && s.named {
		rounds = patientConfirmations
	}
	return round+1 < rounds
}

// confirm finds which suspects have drifted; see [Verifying.Run].
func (v *verification) confirm(ctx context.Context, undecided []suspect) error {
	for round := 0; len(undecided) > 0; round++ {
		first, err := v.looks(ctx, v.reader, undecided)
		if err != nil {
			return err
		}
		first = slices.DeleteFunc(first, reading.right)
		if len(first) == 0 {
			return nil
		}
		unfinished, err := v.reader.Unfinished(ctx)
		if err != nil {
			return err
		}
		busy, err := v.judge(ctx, first, unfinished)
		if err != nil {
			return err
		}
		undecided = slices.DeleteFunc(busy, func(s suspect) bool {
			if v.goesOn(s, round) {
				return false
			}
			v.inFlight(s.Table)
			return true
		})
		if len(undecided) > 0 {
			if err := pace.Wait(ctx, breath(round)); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge looks at suspects once more. It settles what has drifted, and returns what
// commands may still change.
func (v *verification) judge(ctx context.Context, first []reading, unfinished Unfinished) (busy []suspect, err error) {
	suspects := make([]suspect, len(first))
	for i, r := range first {
		suspects[i] = r.suspect
	}
	second, err := v.looks(ctx, v.reader.Certain(), suspects)
	if err != nil {
		return nil, err
	}
	for i, now := range second {
		before := first[i]
		switch {
		case now.right() || now.asked != now.answered() || !now.asked && v.told(now.Drift):
		case now.moving || !sameCopies(before.expected, now.expected) || unfinished.touches(now):
			now.named = now.misnamed()
			busy = append(busy, now.suspect)
		default:
			settle := v.settle
			if now.unowned {
				settle = v.putAside
			}
			if err := settle(ctx, now.drift(v.Force)); err != nil {
				return nil, err
			}
		}
	}
	return busy, nil
}

// right reports whether nothing is wrong, and no command is at work on it.
func (r reading) right() bool { return r.Kind == "" && !r.moving }

// answered reports whether what differs is counted on the truth's side, else because it is there; never on both sides.
func (r reading) answered() bool {
	return r.Kind == LeftErasure || r.OfTally() || len(r.expected) > 0 && len(r.Key) == len(shapes[r.Table].key)
}

// drift describes what is wrong. forced: copies whose truth is lost are deleted.
func (r reading) drift(forced bool) Drift {
	r.Row = rowName(r.Table, r.Key)
	if copied := !isClaims(r.Table) && r.Table.Declaration().MakesRows(); r.Kind == LostTruth && !(forced && copied) {
		r.Deletes = 0
	}
	return r.Drift
}

func sameCopies(a, b []blog.Copy) bool {
	return slices.EqualFunc(a, b, func(a, b blog.Copy) bool {
		return a.Group == b.Group && a.Stamp == b.Stamp && SameValues(a.Key, b.Key) && SameValues(a.Values, b.Values)
	})
}

// touches reports whether a command that has not ended may yet change the row: one that names a post of it, or the
// user whose name, or whose own row, differs.
func (u Unfinished) touches(r reading) bool {
	if r.Kind == WrongCount && r.OfTally() { // it was counted while nothing changed it
		return false
	}
	for _, c := range slices.Concat(r.expected, r.row.Cells, []blog.Copy{{Key: []any{r.Post}}, {Key: r.Key}}) {
		if u.Posts[First[blog.PostID]([]blog.Copy{c})] {
			return true
		}
	}
	shape := shapes[r.Table]
	if shape.subject == blog.AboutUser || r.Table == blog.UsersByID || len(r.Key) < len(shape.key) {
		return u.Users[inKey[blog.UserID](r.Key)]
	}
	return u.Users[r.user] && r.misnamed()
}

// misnamed reports whether a row has not the name that its user has.
func (r reading) misnamed() bool {
	wanted, standing := cellsOf(r.expected, false), cellsOf(r.row.Cells, false)
	for g, want := range wanted {
		if g.Truth == blog.UserTruth && !SameValues(want.Values, standing[g].Values) {
			return true
		}
	}
	return false
}

// unmendable says, by kind, why a repair leaves something as it is.
var unmendable = map[DriftKind]string{
	LostTruth: "it is kept, for the truth to be restored from a backup or from this",
	TwoOwners: "nobody can tell who is to have it: rename one of them",
}

const tooMuch = "too much has drifted to mend it at once: repair again"

// settle counts what has drifted, and mends it if that is wanted. Deletions are kept for the end.
func (v *verification) settle(ctx context.Context, d Drift) error {
	if !v.wants(d.Table) {
		return nil
	}
	_, full := v.remember(d)
	switch {
	case !v.Repair:
	case d.Deletes > 0:
		v.plan(d, full)
		return nil
	case unmendable[d.Kind] != "":
		right, err := v.afresh(ctx, d)
		if err != nil {
			return err
		}
		if !right {
			d.Left = unmendable[d.Kind]
		}
	case full && d.Kind != MissingRow:
		d.Left = tooMuch
	default:
		err := v.mend(ctx, d)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil {
			d.Left = err.Error()
		}
	}
	v.drifted(d)
	return nil
}

// mend repairs, and looks whether that helped.
func (v *verification) mend(ctx context.Context, d Drift) error {
	err := v.store.Repair(ctx, d)
	if err != nil || d.Kind == Contradiction { // which a store mends under a condition, or not at all
		return err
	}
	for round := range confirmations {
		right, err := v.afresh(ctx, d)
		if err != nil || right {
			return err
		}
		if err := pace.Wait(ctx, breath(round)); err != nil {
			return err
		}
	}
	return errStillDrifted
}

// told reports whether a row was settled before. It may be suspect again: what is stored above rows for each of them,
// and a row that a truth asked for because it is there, as a comment's that names another post.
func (v *verification) told(d Drift) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.settled[d.name()]
}

// remember notes that a row is settled. again: it was noted before. full: no more can be remembered.
func (v *verification) remember(d Drift) (again, full bool) {
	name := d.name()
	v.mu.Lock()
	defer v.mu.Unlock()
	again = v.settled[name]
	if full = !again && len(v.settled) >= maxTold; !full {
		v.settled[name] = true
	}
	return again, full
}

func (d Drift) name() string { return string(appendValues([]byte(d.Table+"\x00"), d.Key)) }

var errStillDrifted = errors.New("it was written, and differs still")

// afresh reports whether what had drifted is right by now: an audit may read the store as it was when it began.
func (v *verification) afresh(ctx context.Context, d Drift) (right bool, err error) {
	fresh, err := v.store.Audit(ctx, 1)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	now, err := look(ctx, fresh, fresh.Certain(), suspect{Drift: d})
	return now.right(), err
}

// tally compares a count with its rows. What is left of a deleted post is told from what is left of a lost one: these
// are truths, which have to be restored with it.
func (r *reading) tally(ctx context.Context, a Reader, truths Truths) error {
	post := r.Key[0].(blog.PostID)
	_, lives, err := living(ctx, truths, post)
	if err != nil {
		return err
	}
	t, err := a.Tally(ctx, r.Table, post)
	r.Kind, r.moving = "", t.Moving
	switch rows := t.Rows + t.Strays; {
	case err != nil || t.Moving || !t.Closed && lives && t.Count.N == t.Rows:
	case !t.Closed && lives:
		r.Kind, r.Problem = WrongCount, fmt.Sprintf("the count is %d, the rows are %d", t.Count.N, t.Rows)
	case rows > 0:
		fate := Ended
		if !t.Closed {
			fate, err = FateOf(ctx, a.Certain(), blog.PostsByID, post)
		}
		r.Kind, r.Deletes, r.Problem = Orphan, rows, fmt.Sprintf("%d rows are left of a post that is gone", rows)
		if fate != Ended {
			r.Kind, r.Deletes, r.Problem = LostTruth, 0, fmt.Sprintf("%d rows stand below a post of which nothing is known", rows)
		}
	}
	return err
}

// OfTally reports whether a drift is of a count's truth and its rows, in CommentsByPost or
// the claims of reactions, and not of a copy.
func (d Drift) OfTally() bool {
	return d.Table.CountsRows() && len(d.Key) == 1 && d.Kind != Contradiction
}

// inIndex reports whether an entry of the feed's index still is too much, or lacks.
func inIndex(ctx context.Context, index FeedIndex, s suspect) (still bool, err error) {
	if s.Kind == MissingRow {
		named, err := index.Indexed(ctx, blog.FeedPlace{Bucket: s.Key[0].(string), Shard: s.Key[1].(int)})
		return !named, err
	}
	err = index.EachBucket(ctx, func(key []any, _ string) error {
		still = still || SameValues(key, s.Key)
		return nil
	})
	return still, err
}
