package embedded

import (
	"fmt"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// keeping has two users, a post of the first, which is written to once more, and bookmarks of the second on each.
func keeping(t *testing.T, s *Store) (ann, bob blog.User, doomed, post blog.Post) {
	t.Helper()
	ctx := t.Context()
	var errs [6]error
	ann, errs[0] = s.CreateUser(ctx, blog.CreateUser{Subject: "a", Username: "ann"})
	bob, errs[1] = s.CreateUser(ctx, blog.CreateUser{Subject: "b", Username: "bob"})
	doomed, errs[2] = s.CreatePost(ctx, blog.CreatePost{Author: ann.ID, Title: "T", Content: "C"})
	post, errs[3] = s.CreatePost(ctx, blog.CreatePost{Author: ann.ID, Title: "T", Content: "C"})
	_, _, errs[4] = s.BookmarkPost(ctx, blog.BookmarkPost{Actor: bob.ID, Post: doomed.ID})
	_, _, errs[5] = s.BookmarkPost(ctx, blog.BookmarkPost{Actor: bob.ID, Post: post.ID})
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return ann, bob, doomed, post
}

// closeAs closes the store, and leaves its directory as a program of an earlier revision does.
func closeAs(t *testing.T, s *Store, fs vfs.FS, revision int) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := writeSynced(fs, fs.PathJoin("data", FormatFile), fmt.Sprintf(formatText+revisionText+tablesText, format, revision, revision)); err != nil {
		t.Fatal(err)
	}
}

// A program from before bookmarks deletes a post, or an account, and leaves their bookmarks behind: they are gone once
// this one has opened the directory.
func TestWhatAnOlderProgramLeftBehind(t *testing.T) {
	for _, erased := range []bool{false, true} {
		fs := vfs.NewMem()
		s := reopen(t, "data", fs, io.Discard)
		ann, bob, doomed, post := keeping(t, s)
		all, lists := blog.CountedTables, ownLists
		blog.CountedTables, ownLists = all[:2], lists[:3]
		err := s.DeletePost(t.Context(), blog.DeletePost{Actor: ann.ID, Post: doomed.ID})
		if erased && err == nil {
			if err = s.DeleteAccount(t.Context(), blog.DeleteAccount{Role: blog.Operator, User: bob.ID}); err == nil {
				err = s.Settle(t.Context())
			}
		}
		blog.CountedTables, ownLists = all, lists
		if err != nil {
			t.Fatal(err)
		}
		closeAs(t, s, fs, 11)

		s = reopen(t, "data", fs, io.Discard)
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := audit.Verifying{}.Run(t.Context(), s)
		if err != nil || found.Left() > 0 {
			t.Errorf("erased: %t: verify: %v, %+v", erased, err, found)
		}
		kept, err := s.BookmarkedPosts(t.Context(), bob.ID, []blog.UUID{doomed.ID.UUID, post.ID.UUID})
		if want := map[bool]int{false: 1}[erased]; err != nil || len(kept) != want {
			t.Errorf("erased: %t: %d bookmarks, %v; want %d", erased, len(kept), err, want)
		}
	}
}

// A table that can't be filled is waited for as long as an attempt takes. Meanwhile what it lacks is no drift, and what
// can't be read is named.
func TestATableThatCannotBeFilled(t *testing.T) {
	fs := vfs.NewMem()
	s := reopen(t, "data", fs, io.Discard)
	ann, bob, _, _ := keeping(t, s)
	if _, _, err := s.FollowUser(t.Context(), blog.FollowUser{Actor: bob.ID, User: ann.ID}); err != nil {
		t.Fatal(err)
	}
	unreadable := 0
	for _, c := range s.cells(t, tables[blog.BookmarkClaims]) {
		if k, _ := tables[blog.BookmarkClaims].parse(c.key); !k.static {
			if err := s.db.Set(c.key, []byte{0xff, 0xff}, pebble.Sync); err != nil {
				t.Fatal(err)
			}
			unreadable++
		}
	}
	for _, name := range newSince(11) {
		if err := s.empty(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	closeAs(t, s, fs, 11)

	s = reopen(t, "data", fs, io.Discard)
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := audit.Verifying{}.Run(t.Context(), s)
	if err != nil || found.Left() != unreadable || len(s.Upkeep().Unbuilt) == 0 {
		t.Errorf("verify: %v, %+v; not built are %v", err, found, s.Upkeep().Unbuilt)
	}
	for _, r := range found.Tables {
		if r.Drifted > 0 != (r.Table == blog.BookmarkClaims) {
			t.Errorf("%+v", r)
		}
	}
}
