package storetest

import (
	"sync/atomic"

	"broadsheet/blog"
)

// Walks through conversations while others reply and delete: what stands throughout is seen exactly once, and in order,
// so that no comment comes before what it replies to.
var threadsUnderChange = []leaf{
	{"replies and deletions", func(f *fixture) { threadsWhileChanged(f, SoakTimes(f.T, 10)) }},
}

// repliesOfClient bounds how much a walk by single entries has before it.
const repliesOfClient = 10

func threadsWhileChanged(f *fixture, walks int) {
	const clients = 8
	t := f.conversation(80)
	q := blog.ThreadQuery{Post: t.post.ID}
	shown := t.list(q)
	standing := keysOf(walk(f, shown, blog.MaxPage, forward), threadRows.key)
	var left atomic.Int32
	left.Store(int32(walks))
	f.atOnce(clients+1, func(client int) error {
		if client < clients {
			return t.repliesWhile(func() bool { return left.Load() > 0 }, client)
		}
		for ; left.Load() > 0; left.Add(-1) {
			n := int(left.Load())
			rows, err := walkThrough(shown, []int{1, 7, blog.MaxPage}[n%3], n%2 == 0)
			if err == nil {
				err = sawAll(shown, rows, standing)
			}
			if err != nil {
				left.Store(0)
				return err
			}
		}
		return nil
	})
}

// repliesWhile replies, to a reply of its own every other time, and deletes what it replied to.
func (t *conversation) repliesWhile(goesOn func() bool, client int) error {
	for i := client; i < client+repliesOfClient && goesOn(); i++ {
		parent := t.comments[i%len(t.comments)].Key()
		for range 3 {
			c, _, err := t.store.CreateComment(t.ctx, blog.CreateComment{Author: t.writer.ID, Post: t.post.ID, Content: "x", Parent: parent})
			if err != nil {
				return err
			}
			if parent.Comment != t.comments[i%len(t.comments)].ID {
				if _, err := t.store.DeleteComment(t.ctx, blog.DeleteComment{Actor: t.writer.ID, Key: parent}); err != nil {
					return err
				}
			}
			parent = c.Key()
		}
	}
	return nil
}
