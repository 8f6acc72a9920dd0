package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// Losable is an empty store that can lose what it holds, and have it back from a backup.
type Losable struct {
	Store interface {
		blog.Store
		audit.Store
	}
	Tables []blog.Table // that an audit knows
	Loser
}

// Loser reads, loses and restores rows of a store.
type Loser interface {
	// Rows reads a table.
	Rows(t *testing.T, table blog.Table) []LosableRow
	// Lose takes rows away, the whole table where none are given.
	Lose(t *testing.T, table blog.Table, rows []LosableRow)
	// Restore puts rows back as old as they were read: whatever was written since goes above them.
	Restore(t *testing.T, table blog.Table, rows []LosableRow)
}

// LosableRow is a row of a table, or what stands above the rows of a partition that has none.
type LosableRow struct {
	Key    string
	Shown  string // what no repair changes
	Stands bool   // it is not dead, nor above rows: queries show it, or it is a claim
	Raw    any    // the store's own
}

// Losses loses a whole table and some rows of another, or all, round by round. It repairs three times, brings
// the table back from a backup and repairs once more; then it does the same with the rows. No repair
// deletes a row. In the end all is as before; and as soon as the table is back, but for rows that nothing
// tells but they themselves: verify names their loss. The first round loses the truths of users, and
// a row by which one is found by its address.
func Losses(t *testing.T, rounds int, l Losable) {
	seed := Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	kept, err := FillKept(t.Context(), l.Store, NewClock(time.Now()))
	silent, created := l.Store.CreateUser(t.Context(), blog.CreateUser{Subject: "silent", Username: "silent", Email: ptr("silent@example.org"), ProvedEmail: "silent@example.org"})
	for _, err := range []error{err, created, l.Store.Settle(t.Context())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	kept.Users, kept.Emails = append(kept.Users, silent.ID), append(kept.Emails, "silent@example.org")
	for i := range rounds {
		r := loss{Losable: l, kept: kept, table: blog.UsersByID, other: blog.UsersByEmail}
		for i > 0 && (r.table == r.other || r.before == nil) {
			r.table, r.other = l.Tables[random.IntN(len(l.Tables))], l.Tables[random.IntN(len(l.Tables))]
			r.before = map[blog.Table][]LosableRow{}
		}
		if !t.Run(fmt.Sprintf("%d: %s, and rows of %s", i, r.table, r.other), func(t *testing.T) { r.T = t; r.round(random) }) {
			t.Fatalf("STORETEST_SEED=%d", seed)
		}
	}
}

// loss is one round of Losses.
type loss struct {
	*testing.T
	Losable
	kept         Kept
	table, other blog.Table // of which all is lost, and some or all
	before       map[blog.Table][]LosableRow
	answers      []string
}

func (r *loss) round(random *rand.Rand) {
	r.before = r.read()
	r.answers = r.ask()
	rows := slices.DeleteFunc(slices.Clone(r.before[r.other]), func(row LosableRow) bool { return !row.Stands })
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	if random.IntN(4) > 0 { // else all, too
		rows = rows[:min(1+random.IntN(3), len(rows))]
	}
	if r.Lose(r.T, r.table, nil); len(rows) > 0 {
		r.Lose(r.T, r.other, rows)
	}
	if now := r.read(); len(standingKeys(now[r.table])) > 0 || len(standingKeys(now[r.other])) != len(standingKeys(r.before[r.other]))-len(rows) {
		r.Fatal("nothing was lost")
	}
	for i := range 3 {
		r.repair()
		r.compare(fmt.Sprintf("repair %d", i+1), rows, r.table)
	}
	r.Restore(r.T, r.table, r.before[r.table])
	r.repair()
	if told := r.wantTold(rows); told {
		r.compare("with the table back", rows, "")
		r.Restore(r.T, r.other, rows)
		r.repair()
	}
	r.wantAsBefore()
}

// read reads all tables.
func (r *loss) read() map[blog.Table][]LosableRow {
	all := map[blog.Table][]LosableRow{}
	for _, table := range r.Tables {
		all[table] = r.Rows(r.T, table)
	}
	return all
}

func (r *loss) ask() []string {
	r.Helper()
	answers, err := r.kept.Ask(r.Context(), r.Store)
	if err != nil {
		r.Fatal(err)
	}
	return answers
}

// verify verifies, and deletes nothing.
func (r *loss) verify(how audit.Verifying) audit.Verified {
	r.Helper()
	how.Plan = func(plan []audit.Deletion) { r.Errorf("is about to delete %v", plan) }
	found, err := how.Run(r.Context(), r.Store)
	if err != nil || found.InFlight() > 0 {
		r.Fatalf("%d in flight: %v", found.InFlight(), err)
	}
	return found
}

func (r *loss) repair() {
	r.Helper()
	r.verify(audit.Verifying{Repair: true})
}

// compare compares the keys of all rows with those before, but for some that are lost, and a table.
func (r *loss) compare(when string, lost []LosableRow, but blog.Table) {
	r.Helper()
	now := r.read()
	for _, table := range r.Tables {
		if table == but {
			continue
		}
		had := standingKeys(r.before[table])
		if table == r.other {
			for _, row := range lost {
				delete(had, row.Key)
			}
		}
		has := standingKeys(now[table])
		for key, shown := range had {
			if _, stands := has[key]; !stands {
				r.Errorf("%s: %s has no row %s any more: %s", when, table, key, shown)
			}
		}
	}
}

func standingKeys(rows []LosableRow) map[string]string {
	keys := map[string]string{}
	for _, row := range rows {
		if row.Stands {
			keys[row.Key] = row.Shown
		}
	}
	return keys
}

// wantTold reports whether some rows can be told by nothing but themselves, and checks that verify
// names their loss.
func (r *loss) wantTold(rows []LosableRow) bool {
	r.Helper()
	truth := slices.Contains([]blog.Table{blog.UsersByID, blog.PostsByID, blog.CommentsByPost}, r.other) || r.other.Reaction() != nil && r.other.CountsRows()
	if !truth || len(rows) == 0 {
		return false
	}
	lost := 0
	for _, report := range r.verify(audit.Verifying{}).Tables {
		lost += report.Kinds[audit.LostTruth]
	}
	if lost == 0 {
		r.Errorf("%d truths are lost, and verify does not say so: %v", len(rows), rows)
	}
	return true
}

// wantAsBefore checks that every row, and every answer, is as it was.
func (r *loss) wantAsBefore() {
	r.Helper()
	if found := r.verify(audit.Verifying{}); found.Drifted() > 0 {
		r.Errorf("in the end %d drifted: %+v", found.Drifted(), found)
	}
	now := r.read()
	for _, table := range r.Tables {
		had, has := standingKeys(r.before[table]), standingKeys(now[table])
		for key, shown := range had {
			if has[key] != shown {
				r.Errorf("in the end %s has at %s\n%s, before\n%s", table, key, has[key], shown)
			}
		}
		for key, shown := range has {
			if _, stood := had[key]; !stood {
				r.Errorf("in the end %s has at %s %s, which it had not", table, key, shown)
			}
		}
	}
	if answers := r.ask(); !slices.Equal(answers, r.answers) {
		for i, answer := range answers {
			if answer != r.answers[i] {
				r.Errorf("in the end the answer is\n%s, before\n%s", answer, r.answers[i])
			}
		}
	}
}
