package audit

import (
	"cmp"
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

	// What was read of it, its truth before its row. No kind: nothing is wrong with it.
	user     blog.UserID // whose name the row has; zero: its truth does not say
	expected []blog.Copy
	row      Row
	unowned  bool // a claim whose owner was not found
	moving   bool // a command is at work on what is counted
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

func look(ctx context.Context, a Reader, truths Truths, s suspect) (_ suspect, err error) {
	s.Deletes, s.unowned = 0, false
	still := true
	switch {
	case s.Table == blog.FeedBuckets:
		still, err = inIndex(ctx, a.(FeedIndex), s)
	case s.Table == blog.Gaps:
		still, err = a.(GapReader).Hides(ctx, s.Key)
	case s.Kind == LeftErasure:
		still, err = leftOfErased(ctx, truths, s.Table, s.Key)
	case s.OfTally():
		err = s.tally(ctx, a, truths)
	case s.Table == blog.HomeByUser:
		err = s.atHome(ctx, a, truths)
	default:
		err = s.cells(ctx, a, truths)
	}
	if !still {
		s.Kind = ""
	}
	return s, err
}

// cells compares a row with what follows from its truths.
func (s *suspect) cells(ctx context.Context, a Reader, truths Truths) error {
	all, err := rowsOf(ctx, truths, s.Table, s.Key, s.Post)
	if err != nil {
		return err
	}
	in, owner := claimTables[s.Table], blog.UserID{}
	if s.expected, s.user = inRow(all, s.Table, s.Key), First[blog.UserID](all); in.family != nil {
		s.row, owner, err = in.held(ctx, truths, s.Key)
	} else {
		s.row, err = a.Row(ctx, s.Table, s.Key)
	}
	if err != nil {
		return err
	}
	s.Kind, s.Problem = compare(s.Table, s.expected, s.row)
	switch {
	case s.Kind == "":
		return nil
	case in.family != nil && len(s.expected) > 0:
		return s.lacking(ctx, a, truths, in, owner)
	case len(s.expected) > 0:
		return nil
	}
	if s.Deletes = 1; in.family != nil {
		return s.leaked(ctx, truths, in)
	}
	lost, err := s.lost(ctx, truths, len(all) > 0)
	if lost {
		s.Kind, s.Problem = LostTruth, "what it follows from is lost, or contradicts itself: "+describe(s.row.Cells)
	}
	return err
}

// lost reports whether a row that no truth asks for may be all that is left of one: not if its subject exists without
// it or has ended, nor if it lacks what makes it a row. asks: the subject's truth exists.
func (s suspect) lost(ctx context.Context, truths Truths, asks bool) (bool, error) {
	if len(s.row.Cells) == 0 {
		return false, nil
	}
	if asks { // a count above rows has a truth of its own
		static := len(s.Key) < len(shapes[s.Table].key)
		return static && !slices.ContainsFunc(s.row.Cells, func(c blog.Copy) bool { return !c.Family.Counts() }), nil
	}
	fate, err := fateOf(ctx, truths, s.Table, s.Key, s.Post)
	switch {
	case err != nil || fate == Ended || fate == Erased:
		return false, err
	case s.Table.Declaration().MakesRows():
		return s.Kind != Ghost, nil
	}
	return fate == Standing, nil
}

// looks looks at suspects, some at once.
func (v *verification) looks(ctx context.Context, truths Truths, suspects []suspect) ([]suspect, error) {
	looks := make([]suspect, len(suspects))
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
		first = slices.DeleteFunc(first, suspect.right)
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
			v.note(s.Table, func(r *TableReport) { r.InFlight++ })
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
func (v *verification) judge(ctx context.Context, first []suspect, unfinished Unfinished) (busy []suspect, err error) {
	second, err := v.looks(ctx, v.reader.Certain(), first)
	if err != nil {
		return nil, err
	}
	for i, now := range second {
		before := first[i]
		switch {
		case now.right() || now.asked != now.answered() || !now.asked && v.told(now.Drift):
		case now.moving || !sameCopies(before.expected, now.expected) || unfinished.touches(now):
			now.named = now.misnamed()
			busy = append(busy, now)
		default:
			if v.countLost(now) {
				now.Kind = LostTruth
			}
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

// countLost reports whether a row has a count from a table that has none any more. If that has others, the row is newer
// than a table that was restored, and nothing was counted.
func (v *verification) countLost(s suspect) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return s.Kind == WrongCount && !s.OfTally() && slices.ContainsFunc(s.row.Cells, func(c blog.Copy) bool {
		return c.Family.Counts() && c.Values[0] != 0 && !v.counted[TableOf(c.Family.Truth)]
	})
}

// right reports whether nothing is wrong, and no command is at work on it.
func (s suspect) right() bool { return s.Kind == "" && !s.moving }

// answered reports whether what differs is counted on the truth's side, else because it is there; never on both sides.
func (s suspect) answered() bool {
	return s.Kind == LeftErasure || s.OfTally() || len(s.expected) > 0 && len(s.Key) == len(shapes[s.Table].key)
}

// drift describes what is wrong. forced: copies whose truth is lost are deleted.
func (s suspect) drift(forced bool) Drift {
	s.Row = rowName(s.Table, s.Key)
	if s.Kind == LostTruth && !(forced && s.Table.Declaration().MakesRows()) { // a truth, or beside one
		s.Deletes = 0
	}
	return s.Drift
}

func sameCopies(a, b []blog.Copy) bool {
	return slices.EqualFunc(a, b, func(a, b blog.Copy) bool {
		return a.Family == b.Family && a.Stamp == b.Stamp && SameValues(a.Key, b.Key) && SameValues(a.Values, b.Values)
	})
}

// touches reports whether a command that has not ended may yet change the row: one that names a post of it, or the
// user whose name, or whose own row, differs.
func (u Unfinished) touches(s suspect) bool {
	if s.Kind == WrongCount && s.OfTally() { // it was counted while nothing changed it
		return false
	}
	for _, c := range slices.Concat(s.expected, s.row.Cells, []blog.Copy{{Key: []any{s.Post}}, {Key: s.Key}}) {
		if row := []blog.Copy{c}; u.Parents[First[blog.PostID](row).UUID] || u.Parents[First[blog.FollowedID](row).UUID] || u.Parents[First[blog.GroupID](row).UUID] {
			return true
		}
		if s.Table == blog.HomeByUser && u.Parents[inKey[blog.UserID](c.Values).UUID] { // the author, as one who is followed
			return true
		}
	}
	shape := shapes[s.Table]
	if shape.subject == blog.AboutUser || s.Table == blog.UsersByID || len(s.Key) < len(shape.key) {
		return u.Users[inKey[blog.UserID](s.Key)]
	}
	return u.Users[s.user] && s.misnamed()
}

// misnamed reports whether a row has not the name that its user has.
func (s suspect) misnamed() bool {
	wanted, standing := cellsOf(s.expected, false), cellsOf(s.row.Cells, false)
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
	return errors.New("it was written, and differs still")
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
func (s *suspect) tally(ctx context.Context, a Reader, truths Truths) error {
	of := s.Table.Declaration().About.Parent
	parent, _ := blog.IDOf(s.Key[0])
	_, lives, err := living(ctx, truths, of, parent)
	if err != nil {
		return err
	}
	t, err := a.Tally(ctx, s.Table, parent)
	s.Kind, s.moving = "", t.Moving
	switch rows := t.Rows + t.Strays; {
	case err != nil || t.Moving || !t.Closed && lives && t.Count.N == t.Rows:
	case !t.Closed && lives:
		s.Kind, s.Problem = WrongCount, fmt.Sprintf("the count is %d, the rows are %d", t.Count.N, t.Rows)
	case rows > 0:
		fate := Ended
		if !t.Closed {
			fate, err = FateOf(ctx, a.Certain(), of.Table, of.ID(parent))
		}
		s.Kind, s.Deletes, s.Problem = Orphan, rows, fmt.Sprintf("%d rows are left of a %s that is gone", rows, of.Noun)
		if fate < Ended {
			s.Kind, s.Deletes, s.Problem = LostTruth, 0, fmt.Sprintf("%d rows stand below a %s of which nothing is known", rows, of.Noun)
		}
	}
	return err
}

// Parent is the id of what the rows are counted of that have drifted, or stand where the row does.
func (d Drift) Parent() blog.UUID {
	row := []blog.Copy{{Key: d.Key}}
	return cmp.Or(First[blog.PostID](row).UUID, First[blog.FollowedID](row).UUID, First[blog.GroupID](row).UUID, d.Post.UUID)
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
