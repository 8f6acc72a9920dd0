package blog_test

import (
	"strings"
	"testing"

	"broadsheet/blog"
)

func TestValidateNamesAllFaultsInOrder(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"an account": {
			blog.CreateUser{Username: "a", Email: ptr("x"), DisplayName: &long, Bio: ptr(" "), IdempotencyKey: ptr("")}.Validate(),
			"invalid, username invalid, email invalid, displayName too long, bio invalid, idempotencyKey invalid",
		},
		"an edit of an account": {
			blog.UpdateUser{Username: blog.Clear(), Email: blog.SetTo(""), DisplayName: blog.SetTo(""), Bio: blog.SetTo(long)}.Validate(),
			"username invalid, email invalid, displayName invalid, bio too long",
		},
		"a post":              {blog.CreatePost{Title: "\n", Content: long, IdempotencyKey: &long}.Validate(), "title invalid, content too long, idempotencyKey too long"},
		"an edit of a post":   {blog.UpdatePost{Title: blog.Clear(), Content: blog.Clear()}.Validate(), "title invalid, content invalid"},
		"a comment":           {blog.CreateComment{Content: "\x00", IdempotencyKey: ptr("\xff")}.Validate(), "content invalid, idempotencyKey invalid"},
		"an edit of comments": {blog.UpdateComment{Content: long}.Validate(), "content too long"},
	} {
		if got := faultsOf(c.err); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestValidateAcceptsWhatIsAbsent(t *testing.T) {
	for name, err := range map[string]error{
		"an account with a name alone":       blog.CreateUser{Subject: "s", Username: "name"}.Validate(),
		"an edit of nothing":                 blog.UpdateUser{}.Validate(),
		"an edit that clears what may be so": blog.UpdateUser{Email: blog.Clear(), DisplayName: blog.Clear(), Bio: blog.Clear()}.Validate(),
		"an edit of nothing in a post":       blog.UpdatePost{}.Validate(),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestIdempotencyHashTellsInputsApart(t *testing.T) {
	base := blog.CreatePost{Title: "ab", Content: "c", IdempotencyKey: ptr("key")}
	scope, hash, keyed := base.Idempotency()
	if again, same, _ := base.Idempotency(); again != scope || same != hash || !keyed {
		t.Error("the same input has another scope or hash")
	}
	moved := base
	moved.Title, moved.Content = "a", "bc"
	if _, other, _ := moved.Idempotency(); other == hash {
		t.Error("a character that moved from one text to the next is not seen")
	}
	user := blog.CreateUser{Subject: "s", Username: "name", IdempotencyKey: ptr("key")}
	_, absent, _ := user.Idempotency()
	user.Bio = ptr("")
	if _, empty, _ := user.Idempotency(); empty == absent {
		t.Error("an empty text and an absent one are the same")
	}
	if _, _, keyed := (blog.CreateComment{}).Idempotency(); keyed {
		t.Error("a command without a key has one")
	}
}

func TestIdempotencyScopes(t *testing.T) {
	author := blog.NewIDs(blog.SystemClock{}, ones{}).User()
	key := ptr("key")
	user, _, _ := blog.CreateUser{Subject: author.String(), IdempotencyKey: key}.Idempotency()
	post, _, _ := blog.CreatePost{Author: author, IdempotencyKey: key}.Idempotency()
	comment, _, _ := blog.CreateComment{Author: author, IdempotencyKey: key}.Idempotency()
	if user == post || post == comment || comment == user {
		t.Error("two mutations share a scope")
	}
	if user.Owner != author.String() || post.Owner != author.String() || comment.Key != "key" {
		t.Errorf("%+v %+v %+v", user, post, comment)
	}
}

func TestCheckVersion(t *testing.T) {
	for name, c := range map[string]struct {
		expected *int
		want     string
	}{
		"any":      {nil, fine},
		"the same": {ptr(3), fine},
		"an older": {ptr(2), "expectedVersion version conflict"},
		"none":     {ptr(0), "expectedVersion version conflict"},
		"a newer":  {ptr(4), "expectedVersion version conflict"},
	} {
		if got := faultsOf(blog.CheckVersion(c.expected, 3)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
