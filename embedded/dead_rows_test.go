package embedded

import (
	"errors"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
)

// A directory that a program wrote to which kept deleted rows and noted runs of them is served and verified at once, and
// loses them: also the note of a run in which a row was written by a clock that was set back.
func TestDirectoryWithDeadRows(t *testing.T) {
	fs := vfs.NewMem()
	s := reopen(t, "data", fs, io.Discard)
	ann, p, c := smallBlog(t, s)
	dead := func(table *table, key ...any) {
		if err := s.db.Set(table.cellKey(deadCell, key...), encode(7), pebble.Sync); err != nil {
			t.Fatal(err)
		}
	}
	for range removedAtOnce + 1 {
		post, comment := s.ids.Post(), s.ids.Comment()
		dead(tables[blog.PostsByAuthor], ann.ID, post)
		dead(tables[blog.FeedByBucket], "", 0, post)
		dead(commentsByPost, p.ID, comment)
		dead(tables[blog.CommentsByAuthor], ann.ID, comment)
		dead(tables[blog.CommentsByPostAndAuthor], p.ID, ann.ID, comment)
	}
	gaps := &table{name: blog.Gaps, prefix: gapsPrefix, partition: []blog.ColumnType{blog.TypeText}, clustering: []column{{blog.TypeComment, 0xff}}, cells: 1}
	gap := gaps.cellKey(truthCell, string(commentsByPost.partitionKey(p.ID)), c.ID)
	err := errors.Join(s.db.Set(gap, encode(0, s.ids.Comment()), pebble.Sync), s.Close())
	if err = errors.Join(err, writeMark("data", fs, mark{format, noDeadRows - 1, noDeadRows - 1})); err != nil {
		t.Fatal(err)
	}

	s = reopen(t, "data", fs, io.Discard)
	for _, when := range []string{"opened", "settled"} {
		soundAndQuiet(t, s, when)
		posts, posted := s.PostsByAuthor(t.Context(), ann.ID, blog.FirstPage[blog.PostID](5))
		feed, fed := s.Feed(t.Context(), blog.FirstPage[blog.PostID](5))
		comments, commented := s.CommentsByPost(t.Context(), blog.CommentsQuery{Post: p.ID, Page: blog.FirstPage[blog.CommentID](5)})
		own, owned := s.CommentsByAuthor(t.Context(), ann.ID, blog.FirstPage[blog.CommentID](5))
		if err := errors.Join(posted, fed, commented, owned, s.Settle(t.Context())); err != nil {
			t.Fatal(err)
		}
		if len(posts.Items) != 1 || len(feed.Items) != 2 || len(comments.Items) != 2 || len(own.Items) != 1 {
			t.Errorf("%s: %d posts, %d in the feed, %d comments, %d own ones; want 1, 2, 2, 1", when, len(posts.Items), len(feed.Items), len(comments.Items), len(own.Items))
		}
	}
	it, err := s.db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		if key := it.Key(); key[0] == gapsPrefix || key[len(key)-1] == deadCell {
			t.Fatalf("%x is left", key)
		}
	}
	if found, err := readMark("data", fs); err != nil || found.tables != revision {
		t.Errorf("the mark is %+v, %v", found, err)
	}
}

// Rows that are deleted from lists do not stay in memory, where each page would step over them.
func TestDeletedRowsAreFlushed(t *testing.T) {
	s := reopen(t, "data", vfs.NewMem(), io.Discard)
	ann, _, _ := smallBlog(t, s)
	for i := range flushedAfter / 2 { // each is in two lists
		p, made := s.CreatePost(t.Context(), blog.CreatePost{Author: ann.ID, Title: "Gone", Content: "x"})
		if i == flushedAfter/2-1 {
			made = errors.Join(made, s.db.Flush())
		}
		before := s.db.Metrics().Flush.Count
		if err := errors.Join(made, s.DeletePost(t.Context(), blog.DeletePost{Actor: ann.ID, Post: p.ID})); err != nil {
			t.Fatal(err)
		}
		if now := s.db.Metrics(); i == flushedAfter/2-1 && now.Flush.Count == before && now.MemTable.Count == 1 {
			t.Error("the last deletion flushed nothing")
		}
	}
}
