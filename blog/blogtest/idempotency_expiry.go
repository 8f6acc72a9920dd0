package blogtest

import "time"

var idempotencyExpiry = []leaf{
	{"a key is remembered for nearly a day", func(f *fixture) {
		c := f.keyedPost(f.user())
		first := f.createPost(c)
		f.clock.Advance(24*time.Hour - time.Minute)
		equal(f, "post", f.createPost(c).ID, first.ID)
	}},
	{"a key is forgotten after a day", func(f *fixture) {
		c := f.keyedPost(f.user())
		first := f.createPost(c)
		f.clock.Advance(24*time.Hour + time.Minute)
		c.Title = "Another input"
		if second := f.createPost(c); second.ID == first.ID {
			f.Fatal("the key still stands")
		}
	}},
	{"a repetition does not prolong a key", func(f *fixture) {
		c := f.keyedPost(f.user())
		first := f.createPost(c)
		f.clock.Advance(23 * time.Hour)
		f.createPost(c)
		f.clock.Advance(2 * time.Hour)
		if second := f.createPost(c); second.ID == first.ID {
			f.Fatal("the key still stands")
		}
	}},
}
