package blog_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
)

// The hashes that released programs keep for a day under a key: the same input has the
// same one in every later program, so that a retry across an upgrade finds its outcome.
func TestIdempotencyHashOfReleases(t *testing.T) {
	author, post := blog.UserID{UUID: blog.UUID{1, 6: 0x70, 8: 0x80}}, blog.PostID{UUID: blog.UUID{2, 6: 0x70, 8: 0x80}}
	text, key := ptr("Ünïcode <&> \u2028\n"), ptr("a key")
	for _, c := range []struct {
		command interface {
			Idempotency() (blog.IdempotencyScope, blog.InputHash, bool)
		}
		want string
	}{
		{blog.CreateUser{Subject: "s", Username: "name", IdempotencyKey: key}, "9a2a76efc3aa165df9d2e40c22c308e9809c8c932e54019f57b483d00294f121"},
		{blog.CreateUser{Subject: "s", Username: "name", Email: ptr("a@b.example"), DisplayName: text, Bio: text, IdempotencyKey: key}, "3cc7cdc3c1164cb09d524463656deb9c56e33b97509770cad8d825d4ab2afb0f"},
		{blog.CreatePost{Author: author, Title: "A title", Content: *text, IdempotencyKey: key}, "217652ba839da575c63fc329efeafff68a9437fb575a7d6b6d7346ca2420e8c4"},
		{blog.CreateComment{Author: author, Post: post, Content: *text, IdempotencyKey: key}, "9f52f199cc996cacdf787bef5347cb4023141b4978eb6ad5b0b6886659feae58"},
	} {
		if _, hash, _ := c.command.Idempotency(); fmt.Sprintf("%x", hash) != c.want {
			t.Errorf("%+v: %x, want %s", c.command, hash, c.want)
		}
	}
}

// A field that a command has got since then is no part of the hash while it is zero, or
// a retry across that upgrade would be told that its key had another input.
func TestAddedInputsAreHashedWhereTheyAreSet(t *testing.T) {
	for _, c := range []struct {
		command any
		first   []string // the fields of the first release
	}{
		{blog.CreateUser{}, []string{"Subject", "Username", "Email", "DisplayName", "Bio", "IdempotencyKey"}},
		{blog.CreatePost{}, []string{"Author", "Title", "Content", "IdempotencyKey"}},
		{blog.CreateComment{}, []string{"Author", "Post", "Content", "IdempotencyKey"}},
	} {
		for f := range reflect.TypeOf(c.command).Fields() {
			tag := f.Tag.Get("json")
			if !slices.Contains(c.first, f.Name) && !strings.HasSuffix(tag, ",omitzero") && tag != "-" {
				t.Errorf("%T.%s changes the hash of every input: give it the tag `json:\",omitzero\"`, or where it is no input `json:\"-\"`", c.command, f.Name)
			}
		}
	}
	type commandOfLater struct {
		blog.CreatePost
		Tags []string `json:",omitzero"`
		Mood *string  `json:",omitzero"`
	}
	post := blog.CreatePost{Title: "A title", Content: "c", IdempotencyKey: ptr("a key")}
	_, before, _ := post.Idempotency()
	if now := blog.HashInput(commandOfLater{CreatePost: post}); now != before {
		t.Error("a field that is not set is hashed")
	}
	if now := blog.HashInput(commandOfLater{CreatePost: post, Mood: ptr("")}); now == before {
		t.Error("a field that is set is not hashed")
	}
}
