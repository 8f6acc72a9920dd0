package rates

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"golang.org/x/time/rate"

	"broadsheet/resolvers"
)

// Daily are how much a subject may write a day, and a quarter of it at once. A rate of zero is none.
type Daily struct {
	Posts, Comments float64 // that are made
	Likes           float64 // that are given or taken back
	Renames         float64
	Emails          float64 // addresses that are set
}

// Writes are the rates of what subjects write, one for each kind.
type Writes []kind

type kind struct {
	name    string // of the limit
	what    string
	perDay  float64
	buckets *Buckets[string] // of subjects; nil: no limit
	count   func(resolvers.Writes) int
}

const day = 24 * time.Hour

// NewWrites returns rates of which nothing is used yet.
func NewWrites(d Daily) Writes {
	all := Writes{
		{name: "posts_rate", what: "new posts", perDay: d.Posts, count: func(w resolvers.Writes) int { return w.PostsMade }},
		{name: "comments_rate", what: "new comments", perDay: d.Comments, count: func(w resolvers.Writes) int { return w.CommentsMade }},
		{name: "likes_rate", what: "likes, given or taken back", perDay: d.Likes, count: func(w resolvers.Writes) int { return w.LikesSet }},
		{name: "renames_rate", what: "changes of the username", perDay: d.Renames, count: func(w resolvers.Writes) int { return w.UsersRenamed }},
		{name: "emails_rate", what: "changes of the e-mail address", perDay: d.Emails, count: func(w resolvers.Writes) int { return w.EmailsSet }},
	}
	for i := range all {
		all[i].buckets = New[string](all[i].perDay/day.Seconds(), (day / 4).Seconds())
	}
	return all
}

// Beyond says why something is not written.
type Beyond struct {
	Limit   string // its name
	Seconds int    // until it may be tried again; 0: it is more than ever may be written at once
	message string
}

func (e *Beyond) Error() string { return e.message }

// Take takes what an operation writes from its subject's rates, all of it or nothing. What is refused
// later, as an address that is taken, was paid for.
func (w Writes) Take(subject string, wanted resolvers.Writes) *Beyond {
	now := time.Now()
	var taken []*rate.Reservation
	for _, k := range w {
		n := k.count(wanted)
		if n == 0 || k.buckets == nil {
			continue
		}
		one := k.buckets.Of(subject).ReserveN(now, n)
		taken = append(taken, one)
		if wait := one.DelayFrom(now); wait > 0 {
			for _, one := range taken {
				one.CancelAt(now)
			}
			return k.beyond(wait)
		}
	}
	return nil
}

func (k kind) beyond(wait time.Duration) *Beyond {
	e := &Beyond{Limit: k.name}
	instead := "ask for fewer of them in one operation"
	if wait < rate.InfDuration {
		e.Seconds = int(math.Ceil(wait.Seconds()))
		instead = "try again in " + strconv.Itoa(e.Seconds) + " s"
	}
	e.message = fmt.Sprintf("too many %s: an account has %g a day, and a quarter of them at once; nothing was executed; %s", k.what, k.perDay, instead)
	return e
}
