package blog_test

import (
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

func TestUpdateUserAfter(t *testing.T) {
	clock := storetest.NewClock(noon)
	u := blog.User{Username: "ada", Bio: ptr("Writes."), Version: 4, Stamp: noon.UnixMicro() - 1}
	for name, c := range map[string]struct {
		edit    blog.UpdateUser
		want    blog.User
		changed bool
	}{
		"nothing set":           {blog.UpdateUser{}, u, false},
		"the same name":         {blog.UpdateUser{Username: blog.SetTo("ada")}, u, false},
		"the same bio":          {blog.UpdateUser{Bio: blog.SetTo("Writes.")}, u, false},
		"nothing to clear":      {blog.UpdateUser{Email: blog.Clear(), DisplayName: blog.Clear()}, u, false},
		"another case":          {blog.UpdateUser{Username: blog.SetTo("Ada")}, blog.User{Username: "Ada", Bio: u.Bio, RenamedAt: blog.Millisecond(noon)}, true},
		"a bio cleared":         {blog.UpdateUser{Bio: blog.Clear()}, blog.User{Username: "ada"}, true},
		"a text where was none": {blog.UpdateUser{Email: blog.SetTo("a@b.c")}, blog.User{Username: "ada", Bio: u.Bio, Email: ptr("a@b.c"), VerifiedEmail: ptr("")}, true},
		"a proved address": {
			blog.UpdateUser{Email: blog.SetTo("A@b.c"), ProvedEmail: "a@B.c"},
			blog.User{Username: "ada", Bio: u.Bio, Email: ptr("A@b.c"), VerifiedEmail: ptr("a@b.c")}, true,
		},
		"another proved address": {
			blog.UpdateUser{Email: blog.SetTo("a@b.c"), ProvedEmail: "a@b.d"},
			blog.User{Username: "ada", Bio: u.Bio, Email: ptr("a@b.c"), VerifiedEmail: ptr("")}, true,
		},
		"an empty text where was none": {
			blog.UpdateUser{DisplayName: blog.SetTo("")}, blog.User{Username: "ada", Bio: u.Bio, DisplayName: ptr("")}, true,
		},
	} {
		got, changed := c.edit.After(u, clock)
		if c.changed {
			c.want.Version, c.want.Stamp = 5, noon.UnixMicro()
		}
		if text(got) != text(c.want) || changed != c.changed {
			t.Errorf("%s: got %s, %v, want %s, %v", name, text(got), changed, text(c.want), c.changed)
		}
	}
}

// A rename of the future holds the next one up while its clock may have been right.
func TestRenamesOfTheFuture(t *testing.T) {
	clock := storetest.NewClock(noon)
	for ahead, held := range map[time.Duration]bool{
		-time.Hour: false, -time.Hour + time.Millisecond: true, 0: true,
		2 * blog.ClockSkew: true, 2*blog.ClockSkew + time.Millisecond: false, 30 * 24 * time.Hour: false,
	} {
		u := blog.User{Username: "ada", RenamedAt: blog.Millisecond(noon.Add(ahead))}
		edit := blog.UpdateUser{Username: blog.SetTo("eve"), RenameInterval: time.Hour}
		next, _, err := edit.Decide(u, clock)
		if held != (blog.KindOf(err) == blog.Forbidden) || !held && err != nil {
			t.Errorf("one that lies %v ahead: %v", ahead, err)
		}
		if !held && !next.RenamedAt.Equal(blog.Millisecond(noon)) {
			t.Errorf("after one that lies %v ahead it is renamed at %v, want %v", ahead, next.RenamedAt, noon)
		}
	}
}

func TestUpdatePostAfter(t *testing.T) {
	clock := storetest.NewClock(noon)
	p := blog.Post{Title: "old", Content: "Old.", Excerpt: "Old.", Version: 1, Stamp: 7, UpdatedAt: noon.Add(-time.Hour), Likes: blog.Count{N: 3}}
	if got, changed := (blog.UpdatePost{Title: blog.SetTo("old"), Content: blog.SetTo("Old.")}).After(p, clock); changed || text(got) != text(p) {
		t.Errorf("the same texts: got %s, %v", text(got), changed)
	}
	want := p
	want.Content, want.Excerpt, want.Words, want.Version, want.Stamp, want.UpdatedAt = "New.", "New.", 1, 2, noon.UnixMicro(), blog.Millisecond(noon)
	if got, changed := (blog.UpdatePost{Content: blog.SetTo("New.")}).After(p, clock); !changed || text(got) != text(want) {
		t.Errorf("a new content: got %s, %v, want %s", text(got), changed, text(want))
	}
	p.UpdatedAt, p.Stamp = noon.Add(time.Hour), noon.UnixMicro()+5
	got, _ := blog.UpdatePost{Title: blog.SetTo("new")}.After(p, clock)
	if !got.UpdatedAt.Equal(p.UpdatedAt) || got.Stamp != p.Stamp+1 || got.Content != p.Content {
		t.Errorf("with the clock behind: got %s", text(got))
	}
}

func TestUpdateCommentAfter(t *testing.T) {
	clock := storetest.NewClock(noon)
	c := blog.Comment{Content: "old", Version: 1, UpdatedAt: noon.Add(-time.Hour)}
	if got, changed := (blog.UpdateComment{Content: "old"}).After(c, clock); changed || text(got) != text(c) {
		t.Errorf("the same text: got %s, %v", text(got), changed)
	}
	got, changed := blog.UpdateComment{Content: "new"}.After(c, clock)
	if want := (blog.Comment{Content: "new", Version: 2, UpdatedAt: blog.Millisecond(noon)}); !changed || text(got) != text(want) {
		t.Errorf("a new text: got %s, want %s", text(got), text(want))
	}
}

func TestEditOf(t *testing.T) {
	old := ptr("old")
	if got := (blog.Edit{}).Of(old); got != old {
		t.Errorf("not set: %v", got)
	}
	if got := blog.SetTo("new").Of(old); *got != "new" {
		t.Errorf("set: %v", *got)
	}
	if got := blog.Clear().Of(old); got != nil {
		t.Errorf("cleared: %v", *got)
	}
}

func TestNextStamp(t *testing.T) {
	clock := storetest.NewClock(noon)
	for prev, want := range map[int64]int64{
		0:                     noon.UnixMicro(),
		noon.UnixMicro() - 1:  noon.UnixMicro(),
		noon.UnixMicro():      noon.UnixMicro() + 1,
		noon.UnixMicro() + 99: noon.UnixMicro() + 100,
	} {
		if got := blog.NextStamp(clock, prev); got != want {
			t.Errorf("after %d: got %d, want %d", prev, got, want)
		}
	}
	const day = 1 << 36
	if got := blog.DeletionStamp(clock, 5); got != noon.UnixMicro()+day {
		t.Errorf("a deletion now: %d", got)
	}
	if got := blog.DeletionStamp(clock, 5, noon.UnixMicro()+7, 6); got != noon.UnixMicro()+7+day {
		t.Errorf("a deletion of what is newer than now: %d", got)
	}
}

func TestNewerCount(t *testing.T) {
	old, late := blog.Count{N: 9, Stamp: 1}, blog.Count{N: 2, Stamp: 5}
	if old.Newer(late) != late || late.Newer(old) != late || old.Newer(blog.Count{}) != old {
		t.Error("the higher stamp does not win")
	}
}
