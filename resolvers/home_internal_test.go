package resolvers

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"broadsheet/blog"
)

// homeStore has one home, the newest row first.
type homeStore struct {
	blog.Store
	rows    []blog.Homed
	follows map[blog.UUID]bool
}

func (s homeStore) HomeByUser(_ context.Context, _ blog.UserID, r blog.PageRequest[blog.PostID]) (blog.Page[blog.Homed], error) {
	var between []blog.Homed
	for _, row := range s.rows {
		older := r.After == nil || row.Post.Compare(r.After.UUID) < 0
		newer := r.Before == nil || row.Post.Compare(r.Before.UUID) > 0
		if older && newer {
			between = append(between, row)
		}
	}
	if r.Backward {
		slices.Reverse(between)
	}
	return blog.NewPage(r, slices.Clone(between[:min(len(between), r.Limit+1)])), nil
}

func (s homeStore) FollowedUsers(_ context.Context, user blog.UserID, authors []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	given := map[blog.UUID]blog.Reaction{}
	for _, id := range authors {
		if s.follows[id] {
			given[id] = blog.Reaction{}
		}
	}
	return given, nil
}

// A walk through a home, in pages of any size and both ways, meets each post of who is followed once, in order, whatever
// others are between; no page is longer than asked, and one that is short says where it goes on.
func TestHomesAreWalked(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	id := func(n int) blog.UUID {
		u := blog.FirstUUIDAt(time.UnixMilli(int64(1_700_000_000_000 + n)))
		return u
	}
	for range 2_000 {
		s := homeStore{follows: map[blog.UUID]bool{}}
		authors, odds := 1+random.IntN(6), random.Float64()
		for n := range authors {
			s.follows[id(n)] = random.Float64() < odds
		}
		var want []blog.PostID
		for n := range random.IntN(300) {
			h := blog.Homed{Post: blog.PostID{UUID: id(1_000_000 - n)}, Author: blog.UserID{UUID: id(random.IntN(authors))}}
			if s.rows = append(s.rows, h); s.follows[h.Author.UUID] {
				want = append(want, h.Post)
			}
		}
		r := &Resolver{store: s}
		request := blog.PageRequest[blog.PostID]{Limit: 1 + random.IntN(30), Backward: random.IntN(2) == 1}
		var got []blog.PostID
		for {
			page, err := r.followedAtHome(t.Context(), blog.UserID{}, request)
			if err != nil {
				t.Fatal(err)
			}
			posts := keysOf(page.Items, func(h blog.Homed) blog.PostID { return h.Post })
			more, edge := page.HasNext, len(posts)-1
			if request.Backward {
				more, edge = page.HasPrevious, 0
			}
			if first := request.After == nil && request.Before == nil; len(posts) > request.Limit || first && page.HasPrevious != (request.Backward && more) {
				t.Fatalf("%d rows of %d, more before %v and behind %v", len(posts), request.Limit, page.HasPrevious, page.HasNext)
			}
			if request.Backward {
				got = append(posts, got...)
			} else {
				got = append(got, posts...)
			}
			if !more {
				break
			}
			at := blog.PostID{UUID: page.Ends}
			if len(posts) > 0 {
				at = posts[edge]
			}
			if at.IsZero() {
				t.Fatal("an empty page does not say where it goes on")
			}
			if request.Backward {
				request.Before = &at
			} else {
				request.After = &at
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("limit %d, backward %v: %d posts, want %d", request.Limit, request.Backward, len(got), len(want))
		}
	}
}
