package blogtest

import "broadsheet/blog"

func (f *fixture) keyedPost(author blog.User) blog.CreatePost {
	return blog.CreatePost{Author: author.ID, Title: "Once", Content: "Only once.", IdempotencyKey: ptr("key")}
}
