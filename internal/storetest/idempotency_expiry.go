package storetest

import (
	"fmt"
	"time"

	"broadsheet/blog"
)

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
	{"a key that is used again after a day is remembered for another", func(f *fixture) {
		author := f.user()
		keyed := func(key string) blog.CreatePost {
			c := f.keyedPost(author)
			c.IdempotencyKey = &key
			return c
		}
		for i := range 9 { // what expired is cleared away a few at a time
			f.createPost(keyed(fmt.Sprint("before ", i)))
		}
		first := f.createPost(keyed("key"))
		f.clock.Advance(24*time.Hour + time.Minute)
		second := f.createPost(keyed("key"))
		if second.ID == first.ID {
			f.Fatal("the key still stands")
		}
		for i := range 9 {
			f.clock.Advance(time.Minute)
			f.createPost(keyed(fmt.Sprint("after ", i)))
			equal(f, "post", f.createPost(keyed("key")).ID, second.ID)
		}
	}},
	{"a key is used again when nothing else expired", func(f *fixture) {
		c := f.keyedPost(f.user())
		f.createPost(c)
		f.clock.Advance(24*time.Hour + time.Minute)
		second := f.createPost(c)
		equal(f, "post", f.createPost(c).ID, second.ID)
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
