package changes_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/changes"
	"broadsheet/internal/storetest"
)

// feed is a change feed in memory, of several processes that come and go.
type feed struct {
	now  time.Time
	logs []*log
}

type log struct {
	blog.ChangeLog
	changes []blog.Change
	gone    int64 // so many of the first are kept no more
}

func (f *feed) ChangeLogs(context.Context) (logs []blog.ChangeLog, err error) {
	for _, l := range f.logs {
		logs = append(logs, l.ChangeLog)
	}
	return logs, nil
}

func (f *feed) find(id blog.LogID) *log {
	for _, l := range f.logs {
		if l.ID == id {
			return l
		}
	}
	return &log{}
}

func (f *feed) ChangesAfter(_ context.Context, of blog.ChangeLog, number int64, limit int) ([]blog.Change, error) {
	l := f.find(of.ID)
	if number == int64(len(l.changes)) {
		return nil, nil
	}
	if number > int64(len(l.changes)) || number < l.gone {
		return nil, blog.ErrChangesExpired()
	}
	after := l.changes[number:]
	return slices.Clone(after[:min(limit, len(after))]), nil
}

func (f *feed) LatestChange(_ context.Context, of blog.ChangeLog) (int64, error) {
	return int64(len(f.find(of.ID).changes)), nil
}

func (f *feed) WatchChanges(func(blog.Change)) (stop func()) { return func() {} }

// Now is a method of [blog.Clock].
func (f *feed) Now() time.Time { return f.now }

func (f *feed) begin(random *rand.Rand) *log {
	l := &log{ChangeLog: blog.ChangeLog{Seen: f.now}}
	for i := range l.ID.UUID {
		l.ID.UUID[i] = byte(random.Uint32())
	}
	f.logs = append(f.logs, l)
	return l
}

// append has a log's process append a change, by a clock that is up to so much off.
func (f *feed) append(l *log, off time.Duration) blog.Change {
	c := blog.Change{Log: l.ID, Number: int64(len(l.changes)) + 1, At: f.now.Add(off).Truncate(time.Millisecond).UTC(), Kind: blog.PostCreated}
	l.changes = append(l.changes, c)
	l.Last, l.Seen = c.Number, f.now
	return c
}

// A follower that is cut off at any time, and goes on from a cursor that it was given, gets
// every change once, those of each log in order, whatever logs begin and end meanwhile.
func TestAFollowerThatIsCutOffMissesNothing(t *testing.T) {
	seed := storetest.Seed(t)
	for round := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, round))
		f := &feed{now: time.Unix(1_700_000_000, 0)}
		start := must(changes.Now(t.Context(), f, f))(t)
		reader, cursor := changes.Follow(f, start), start.String()
		var made, got []string
		offs := map[blog.LogID]time.Duration{}
		name := func(c blog.Change) string { return fmt.Sprint(c.Log, c.Number) }
		read := func() {
			events, err := reader.Next(t.Context(), 1+random.IntN(3))
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			for _, e := range events {
				got, cursor = append(got, name(e.Change)), e.Cursor.String()
				if random.IntN(3) == 0 { // cut off in the middle of what was read
					reader = changes.Follow(f, must(changes.ParseCursor(cursor))(t))
					return
				}
			}
		}
		for range 100 {
			f.now = f.now.Add(time.Duration(random.IntN(600)) * time.Second)
			switch {
			case len(f.logs) == 0 || random.IntN(8) == 0 && len(f.logs) < 12:
				offs[f.begin(random).ID] = time.Duration(random.IntN(10_000)-5_000) * time.Millisecond
			case random.IntN(2) == 0:
				l := f.logs[random.IntN(len(f.logs))]
				if !l.Seen.Before(f.now.Add(-time.Hour)) { // else it is over
					made = append(made, name(f.append(l, offs[l.ID])))
				}
			default:
				read()
			}
			for _, l := range f.logs { // a process that runs is seen
				if !l.Seen.Before(f.now.Add(-time.Hour)) && random.IntN(10) > 0 {
					l.Seen = f.now
				}
			}
		}
		for range 1000 {
			read()
		}
		if n := len(must(changes.ParseCursor(cursor))(t).String()); n > 12*40 {
			t.Errorf("a cursor of %d bytes", n)
		}
		for _, l := range f.logs {
			of := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.HasPrefix(s, fmt.Sprint(l.ID)) })
			want := slices.DeleteFunc(slices.Clone(made), func(s string) bool { return !strings.HasPrefix(s, fmt.Sprint(l.ID)) })
			if !slices.Equal(of, want) {
				t.Fatalf("round %d: log %v: %d changes, want %d: %v, want %v", round, l.ID, len(of), len(want), of, want)
			}
		}
	}
}

func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// A log from which nothing was read yet is none that is over: what follows in it comes, though what
// others did meanwhile, which was not read, is of hours later.
func TestALogOfWhichNothingWasReadYet(t *testing.T) {
	f := &feed{now: time.Unix(1_700_000_000, 0)}
	random := rand.New(rand.NewPCG(1, 2))
	busy := f.begin(random)
	f.append(busy, 0)
	reader := changes.Follow(f, must(changes.Now(t.Context(), f, f))(t))
	quiet := f.begin(random)
	if events := must(reader.Next(t.Context(), 10))(t); len(events) != 0 {
		t.Fatalf("%+v", events)
	}
	f.now = f.now.Add(time.Minute)
	want := f.append(quiet, 0)
	f.now = f.now.Add(3 * time.Hour) // for which the feed could not be read
	if _, next := reader.PassChange(f.append(busy, 0)); !next {
		t.Fatal("what was pushed does not follow")
	}
	for _, reader := range []*changes.Reader{reader, changes.Follow(f, must(changes.ParseCursor(reader.Cursor().String()))(t))} {
		events := must(reader.Next(t.Context(), 10))(t)
		if len(events) != 1 || events[0].Change != want {
			t.Errorf("%+v follow, want %+v", events, want)
		}
	}
}

// Changes that are kept no more are not passed over in silence.
func TestExpired(t *testing.T) {
	f := &feed{now: time.Unix(1_700_000_000, 0)}
	random := rand.New(rand.NewPCG(1, 2))
	l := f.begin(random)
	for range 5 {
		f.append(l, 0)
	}
	at := must(changes.Now(t.Context(), f, f))(t)
	wantExpired := func(after changes.Cursor, want bool) {
		t.Helper()
		_, err := changes.Follow(f, after).Next(t.Context(), 10)
		if (blog.KindOf(err) == blog.Expired) != want || err != nil && !want {
			t.Errorf("%v, want expired: %v", err, want)
		}
	}
	wantExpired(at, false)
	f.append(l, 0)
	wantExpired(at, false)
	l.gone = 6
	wantExpired(at, true) // the sixth is gone
	now := must(changes.Now(t.Context(), f, f))(t)
	wantExpired(now, false) // nothing follows
	l.changes = nil
	wantExpired(at, true) // even where no later one is there to tell
	f.logs = nil
	wantExpired(now, true) // nor the log
}

// A cursor of after the backup that was restored is refused, where a log ends before it.
func TestACursorOfBeforeARestoration(t *testing.T) {
	f := &feed{now: time.Unix(1_700_000_000, 0)}
	l := f.begin(rand.New(rand.NewPCG(1, 2)))
	for range 5 {
		f.append(l, 0)
	}
	at := must(changes.Now(t.Context(), f, f))(t)
	for last, want := range map[int64]blog.Kind{5: blog.Internal, 4: blog.Expired, 0: blog.Expired} {
		l.changes, l.Last, l.Ended = l.changes[:min(int(last), len(l.changes))], last, true
		_, err := changes.Follow(f, at).Next(t.Context(), 10)
		if (err == nil) != (want == blog.Internal) || err != nil && blog.KindOf(err) != want {
			t.Errorf("a log that ends at %d, behind 5 changes: %v", last, err)
		}
	}
}

// A cursor survives being a text, and no other text is one.
func TestCursors(t *testing.T) {
	f := &feed{now: time.Unix(1_700_000_000, 0)}
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 5 {
		c := must(changes.Now(t.Context(), f, f))(t)
		text := c.String()
		back := must(changes.ParseCursor(text))(t)
		if back.String() != text || !back.At.Equal(c.At) {
			t.Errorf("%v is read as %v", c, back)
		}
		every := 1 + 2*(len(text)/1000) // odd, so that it comes by each of the four letters of three bytes
		for i := 0; i < len(text); i += every {
			if other := text[:i] + string(rune(text[i])^1) + text[i+1:]; other != text {
				if _, err := changes.ParseCursor(other); err == nil {
					t.Errorf("%q passes for a cursor", other)
				}
			}
			if _, err := changes.ParseCursor(text[:i]); err == nil {
				t.Errorf("%q passes for a cursor", text[:i])
			}
		}
		t.Logf("%d letters, of which each %d. was changed", len(text), every)
		for range 300 * n {
			f.append(f.begin(random), 0)
		}
	}
}

// A cursor has a greatest length, which logs of thousands of processes in one hour stay below.
func TestCursorsAreBounded(t *testing.T) {
	f := &feed{now: time.Unix(1_700_000_000, 0)}
	random := rand.New(rand.NewPCG(1, 2))
	for n, want := range map[int]bool{2000: true, 4000: false} {
		for len(f.logs) < n {
			f.begin(random)
		}
		f.logs = f.logs[:n]
		text := must(changes.Now(t.Context(), f, f))(t).String()
		if _, err := changes.ParseCursor(text); (err == nil) != want {
			t.Errorf("%d letters: %v", len(text), err)
		}
	}
}

func FuzzParseCursor(f *testing.F) {
	f.Add("")
	f.Add(changes.Cursor{}.String())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := changes.ParseCursor(text)
		if err == nil && c.String() != text {
			t.Errorf("%q is read as %q", text, c)
		}
	})
}
