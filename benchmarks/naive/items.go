package naive

import "broadsheet/blog"

// What both versions write. The columns of copies, where there are any, come after.

func newPost(k *Keyspace, c blog.CreatePost) blog.Post {
	made := k.ids.Post()
	return blog.Post{ID: made, Author: blog.Author{ID: c.Author}, Title: c.Title, Content: c.Content, Excerpt: blog.Excerpt(c.Content), UpdatedAt: made.Time(), Version: 1}
}

func newComment(k *Keyspace, c blog.CreateComment) blog.Comment {
	made := k.ids.Comment()
	return blog.Comment{Post: c.Post, ID: made, Author: blog.Author{ID: c.Author}, Content: c.Content, UpdatedAt: made.Time(), Version: 1}
}

func newLike(k *Keyspace, c blog.LikePost) blog.Reaction {
	return blog.Reaction{Post: c.Post, User: blog.Author{ID: c.Actor}, At: blog.Millisecond(k.clock.Now()), Stands: true}
}

func postArgs(p blog.Post) []any {
	return []any{id(p.ID.UUID), id(p.ID.UUID), id(p.Author.ID.UUID), p.Title, p.Content, p.CreatedAt(), p.UpdatedAt, p.Version}
}

func commentArgs(c blog.Comment) []any {
	return []any{id(c.Post.UUID), id(c.ID.UUID), id(c.Author.ID.UUID), c.Content, c.CreatedAt(), c.UpdatedAt, c.Version}
}

func likeArgs(l blog.Reaction) []any {
	return []any{id(l.Post.UUID), id(l.User.ID.UUID), id(l.User.ID.UUID), l.At}
}
