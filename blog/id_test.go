package blog_test

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 123_456_789, time.UTC)

func TestIDsStrictlyIncrease(t *testing.T) {
	for name, move := range map[string]func(c *storetest.Clock, i int){
		"while the clock stands":          func(*storetest.Clock, int) {},
		"while the clock goes":            func(c *storetest.Clock, _ int) { c.Advance(300 * time.Microsecond) },
		"while the clock goes back":       func(c *storetest.Clock, _ int) { c.Advance(-blog.ClockSkew / 11_000) },
		"while the clock leaps about":     func(c *storetest.Clock, i int) { c.Set(noon.Add(time.Duration(i*7919%100) * blog.ClockSkew / 100)) },
		"before 1970":                     func(c *storetest.Clock, i int) { c.Set(time.Unix(-100, int64(i)*1_000_000)) },
		"from before 1970 to after it":    func(c *storetest.Clock, i int) { c.Set(time.UnixMilli(int64(i) - 5_000)) },
		"with the counter as high as can": nil,
	} {
		t.Run(name, func(t *testing.T) {
			clock, random := storetest.NewClock(noon), storetest.Random(1)
			if move == nil {
				random, move = ones{}, func(*storetest.Clock, int) {}
			}
			ids := blog.NewIDs(clock, random)
			last := blog.UUID{}
			for i := range 10_000 {
				move(clock, i)
				id := ids.Post().UUID
				if id.Compare(last) <= 0 {
					t.Fatalf("id %d, %v, is not above %v", i, id, last)
				}
				if !id.Valid() {
					t.Fatalf("%v is no UUIDv7", id)
				}
				last = id
			}
		})
	}
}

// A clock that was far ahead and is set right is followed, and each time told of once.
func TestIDsFollowAClockThatIsSetRight(t *testing.T) {
	clock := storetest.NewClock(noon.Add(100 * 24 * time.Hour))
	ids := blog.NewIDs(clock, storetest.Random(1))
	var told []time.Duration
	ids.OnStepBack(func(by time.Duration) { told = append(told, by) })
	ids.Post()
	clock.Advance(-blog.ClockSkew)
	if id := ids.Post(); id.Time().Before(noon.Add(100 * 24 * time.Hour).Truncate(time.Millisecond)) {
		t.Errorf("an id of %v: a small step back is to be waited for", id.Time())
	}
	clock.Set(noon)
	last := blog.UUID{}
	for range 10_000 {
		id := ids.Post().UUID
		if ahead := id.Time().Sub(noon); ahead > time.Second || id.Compare(last) <= 0 || !id.Valid() {
			t.Fatalf("an id of %v, after %v, at %v", id.Time(), last.Time(), noon)
		}
		last = id
	}
	if len(told) != 1 || told[0] != 100*24*time.Hour {
		t.Errorf("told of %v", told)
	}
}

// ones is a random source of set bits only: each millisecond's counter starts at
// the end of its lower half.
type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 0xff
	}
	return len(p), nil
}

func TestIDsOverflowIntoTheNextMillisecond(t *testing.T) {
	ids := blog.NewIDs(storetest.NewClock(noon), ones{})
	const left = 0x1000 - 0x7ff // values of the counter that a millisecond has left
	for i := range 3 * left {
		want := blog.Millisecond(noon).Add(time.Duration(i/left) * time.Millisecond)
		if got := ids.User().Time(); !got.Equal(want) {
			t.Fatalf("id %d is of %v, want %v", i, got, want)
		}
	}
}

func TestIDsCounterStartsInTheLowerHalf(t *testing.T) {
	clock := storetest.NewClock(noon)
	ids := blog.NewIDs(clock, rand.Reader)
	for range 1_000 {
		clock.Advance(time.Millisecond)
		if id := ids.User(); id.UUID[6]&0x08 != 0 {
			t.Fatalf("%v leaves less than half of the counter", id)
		}
	}
}

func TestIDsOfManyGoroutinesDiffer(t *testing.T) {
	ids := blog.NewIDs(storetest.NewClock(noon), rand.Reader)
	const goroutines, each = 16, 1_000
	made := make([][]string, goroutines)
	var done sync.WaitGroup
	for g := range goroutines {
		done.Go(func() {
			for range each {
				made[g] = append(made[g], ids.Comment().String())
			}
			if !slices.IsSorted(made[g]) {
				t.Errorf("goroutine %d saw its ids go back", g)
			}
		})
	}
	done.Wait()
	all := slices.Concat(made...)
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != goroutines*each {
		t.Errorf("%d different ids, want %d", n, goroutines*each)
	}
}

func TestIDsRandomSourceMustNotFail(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	blog.NewIDs(storetest.NewClock(noon), strings.NewReader("short")).User()
}

func TestUUIDLayout(t *testing.T) {
	random := strings.NewReader("\x05\x67\xc9\xab\xcd\xef\x01\x23\x45\x67")
	id := blog.NewIDs(storetest.NewClock(time.UnixMilli(0x01932b4e8f2a)), random).User()
	if got, want := id.String(), "01932b4e-8f2a-7567-89ab-cdef01234567"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if id.Stamp() != 0x01932b4e8f2a*1000 {
		t.Errorf("stamp %d", id.Stamp())
	}
	if !id.Time().Equal(time.UnixMilli(0x01932b4e8f2a)) || id.Time().Location() != time.UTC {
		t.Errorf("time %v", id.Time())
	}
	if id.IsZero() || !(blog.UserID{}).IsZero() {
		t.Error("the zero id is the only zero one")
	}
}

func TestUUIDText(t *testing.T) {
	const text = "01932b4e-8f2a-7c3d-9e4f-0123456789ab"
	id, err := blog.ParseUUID(text)
	if err != nil || id.String() != text {
		t.Errorf("%v, %v", id, err)
	}
	var read blog.PostID
	if err := read.UnmarshalText([]byte(text)); err != nil || read.UUID != id {
		t.Errorf("%v, %v", read, err)
	}
	for name, text := range map[string]string{
		"empty":                "",
		"too short":            text[1:],
		"too long":             text + "0",
		"no hyphens":           strings.ReplaceAll(text, "-", "0"),
		"a letter too far":     strings.Replace(text, "a", "g", 1),
		"version 4":            strings.Replace(text, "-7", "-4", 1),
		"another variant":      strings.Replace(text, "-9", "-c", 1),
		"36 bytes, not digits": strings.Repeat("é", 18),
	} {
		if id, err := blog.ParseUUID(text); err == nil {
			t.Errorf("%s: parsed %v", name, id)
		}
		if err := read.UnmarshalText([]byte(text)); err == nil || read.UUID != id {
			t.Errorf("%s: unmarshalled, or changed to %v", name, read)
		}
	}
}

func TestFirstUUIDAt(t *testing.T) {
	clock := storetest.NewClock(noon)
	ids := blog.NewIDs(clock, storetest.Random(3))
	for range 2_000 {
		created := clock.Advance(777 * time.Microsecond).Truncate(time.Millisecond)
		id := ids.Comment()
		for _, off := range []time.Duration{-time.Hour, -time.Millisecond, -1, 0, 1, time.Microsecond, time.Millisecond, time.Hour} {
			bound := created.Add(off)
			atOrLater := !id.Time().Before(bound)
			if got := id.Compare(blog.FirstUUIDAt(bound)) >= 0; got != atOrLater {
				t.Fatalf("an id of %v is not below the first of %v: %v", id.Time(), bound, got)
			}
		}
	}
}

func TestFirstUUIDAtTheEndsOfTime(t *testing.T) {
	epoch := blog.FirstUUIDAt(time.Unix(0, 0))
	for name, at := range map[string]time.Time{
		"the zero time": {}, "1969": time.Unix(-1, 0), "a nanosecond before 1970": time.Unix(0, -1),
	} {
		if got := blog.FirstUUIDAt(at); got != epoch {
			t.Errorf("%s: %v, want %v", name, got, epoch)
		}
	}
	if got := fmt.Sprint(blog.FirstUUIDAt(time.Date(99_999, 1, 1, 0, 0, 0, 0, time.UTC))); got != "ffffffff-ffff-7000-8000-000000000000" {
		t.Errorf("the far future: %v", got)
	}
	if !epoch.Valid() {
		t.Errorf("%v is no UUIDv7", epoch)
	}
}

func TestLikePositionsCompareByTimeThenUser(t *testing.T) {
	ids := blog.NewIDs(storetest.NewClock(noon), rand.Reader)
	one, two := ids.User(), ids.User()
	sorted := []blog.ReactionPosition{{noon, one.UUID}, {noon, two.UUID}, {noon.Add(1), one.UUID}}
	for i, p := range sorted {
		for j, q := range sorted {
			if got := p.Compare(q); got != cmp.Compare(i, j) {
				t.Errorf("%d to %d: %d", i, j, got)
			}
		}
	}
}
