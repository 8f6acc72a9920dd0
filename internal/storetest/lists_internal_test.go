package storetest

import (
	"cmp"
	"slices"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
)

func TestPageOf(t *testing.T) {
	type request = blog.PageRequest[int]
	for name, c := range map[string]struct {
		request        request
		want           []int
		next, previous bool
	}{
		"the first":                     {request{Limit: 2}, []int{1, 2}, true, false},
		"all":                           {request{Limit: 5}, []int{1, 2, 3, 4, 5}, false, false},
		"the last":                      {request{Limit: 2, Backward: true}, []int{4, 5}, false, true},
		"after":                         {request{Limit: 2, After: ptr(2)}, []int{3, 4}, true, true},
		"after the last":                {request{Limit: 2, After: ptr(5)}, nil, false, true},
		"after what is not there":       {request{Limit: 2, After: ptr(0)}, []int{1, 2}, true, true},
		"before, backward":              {request{Limit: 2, Before: ptr(4), Backward: true}, []int{2, 3}, true, true},
		"before, forward":               {request{Limit: 9, Before: ptr(3)}, []int{1, 2}, false, false},
		"between, to the end":           {request{Limit: 2, After: ptr(1), Before: ptr(4)}, []int{2, 3}, false, true},
		"between, backward":             {request{Limit: 1, After: ptr(1), Before: ptr(4), Backward: true}, []int{3}, true, true},
		"between, backward, to the end": {request{Limit: 2, After: ptr(1), Before: ptr(4), Backward: true}, []int{2, 3}, true, false},
		"oldest first":                  {request{Limit: 2, Order: blog.OldestFirst}, []int{5, 4}, true, false},
		"oldest first, after, backward": {request{Limit: 2, Order: blog.OldestFirst, After: ptr(4), Backward: true}, []int{2, 1}, false, true},
		"crossed":                       {request{Limit: 2, After: ptr(4), Before: ptr(2)}, nil, false, true},
	} {
		rows := []int{3, 1, 5, 2, 4}
		page := pageOf(rows, func(i int) int { return i }, cmp.Compare[int], c.request)
		if !slices.Equal(page.Items, c.want) || page.HasNext != c.next || page.HasPrevious != c.previous {
			t.Errorf("%s: got %+v, want %v, next %v, previous %v", name, page, c.want, c.next, c.previous)
		}
	}
}

func TestEveryListIsTested(t *testing.T) {
	for _, d := range productmap.Lists {
		inList := slices.ContainsFunc(everyList, func(l tested) bool { return l.declaration() == d })
		if !inList && d.Table != blog.FeedByBucket && d.Table != blog.HomeByUser { // which have leaves of their own
			t.Errorf("%s is declared as a list: give it a listCase, and name it in everyList (every_list.go)", d.Table)
		}
	}
}
