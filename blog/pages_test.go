package blog_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
)

func TestNewPage(t *testing.T) {
	at := ptr(9)
	type request = blog.PageRequest[int]
	for name, c := range map[string]struct {
		request        request
		rows, want     []int
		next, previous bool
	}{
		"an empty list":               {request{Limit: 2}, nil, nil, false, false},
		"fewer than the limit":        {request{Limit: 2}, []int{1}, []int{1}, false, false},
		"as many as the limit":        {request{Limit: 2}, []int{1, 2}, []int{1, 2}, false, false},
		"one more":                    {request{Limit: 2}, []int{1, 2, 3}, []int{1, 2}, true, false},
		"after a row":                 {request{Limit: 2, After: at}, []int{1, 2}, []int{1, 2}, false, true},
		"after a row, one more":       {request{Limit: 2, After: at}, []int{1, 2, 3}, []int{1, 2}, true, true},
		"after a row, none":           {request{Limit: 2, After: at}, nil, nil, false, true},
		"before a row":                {request{Limit: 2, Before: at}, []int{1, 2}, []int{1, 2}, false, false},
		"backward":                    {request{Limit: 2, Backward: true}, []int{9, 8}, []int{8, 9}, false, false},
		"backward, one more":          {request{Limit: 2, Backward: true}, []int{9, 8, 7}, []int{8, 9}, false, true},
		"backward, before a row":      {request{Limit: 2, Backward: true, Before: at}, []int{8, 7, 6}, []int{7, 8}, true, true},
		"backward, after a row":       {request{Limit: 2, Backward: true, After: at}, []int{8, 7}, []int{7, 8}, false, false},
		"backward, none before a row": {request{Limit: 2, Backward: true, Before: at}, nil, nil, true, false},
	} {
		page := blog.NewPage(c.request, c.rows)
		if !slices.Equal(page.Items, c.want) || page.HasNext != c.next || page.HasPrevious != c.previous {
			t.Errorf("%s: got %+v, want %v, next %v, previous %v", name, page, c.want, c.next, c.previous)
		}
	}
}

// More may follow a page that was cut short, whatever was read of it.
func TestShortPage(t *testing.T) {
	at := ptr(9)
	type request = blog.PageRequest[int]
	for name, c := range map[string]struct {
		request        request
		rows, want     []int
		next, previous bool
	}{
		"forward":               {request{Limit: 3}, []int{1, 2}, []int{1, 2}, true, false},
		"after a row":           {request{Limit: 3, After: at}, []int{1}, []int{1}, true, true},
		"one more than asked":   {request{Limit: 1}, []int{1, 2}, []int{1}, true, false},
		"without a row":         {request{Limit: 3}, nil, nil, true, false},
		"backward":              {request{Limit: 3, Backward: true}, []int{9, 8}, []int{8, 9}, false, true},
		"backward before a row": {request{Limit: 3, Backward: true, Before: at}, []int{8}, []int{8}, true, true},
	} {
		ends := blog.FirstUUIDAt(noon)
		page := blog.ShortPage(c.request, c.rows, ends)
		if !slices.Equal(page.Items, c.want) || page.Ends != ends || page.HasNext != c.next || page.HasPrevious != c.previous {
			t.Errorf("%s: got %+v, want %v, next %v, previous %v", name, page, c.want, c.next, c.previous)
		}
	}
}

// A tenth of the time is left for the answer.
func TestReadingTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		whole, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		reading, done := blog.ReadingTime(whole)
		defer done()
		<-reading.Done()
		if took := time.Since(began); took != 9*time.Second || whole.Err() != nil {
			t.Errorf("reading ends after %s of 10 s, and then the whole is %v", took, whole.Err())
		}
		unbounded, done := blog.ReadingTime(t.Context())
		defer done()
		if deadline, bounded := unbounded.Deadline(); bounded {
			t.Errorf("without a deadline reading has one: %s", deadline)
		}
	})
}

func TestFirstPage(t *testing.T) {
	if got := blog.FirstPage[int](7); got != (blog.PageRequest[int]{Limit: 7}) {
		t.Errorf("got %+v", got)
	}
}

func TestBounds(t *testing.T) {
	from, to := blog.FirstPage[blog.CommentID](1).Bounds()
	if from != nil || to != nil {
		t.Errorf("no times have the bounds %v, %v", from, to)
	}
	from, to = blog.PageRequest[blog.CommentID]{From: noon, To: noon}.Bounds()
	first := blog.CommentID{UUID: blog.FirstUUIDAt(noon)}
	if *from != first || *to != first {
		t.Errorf("got %v, %v, want %v twice", from, to, first)
	}
}
