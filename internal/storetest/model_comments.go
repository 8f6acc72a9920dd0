package storetest

import (
	"context"

	"broadsheet/blog"
)

// CreateComment is a method of [blog.Commands].
func (m *Model) CreateComment(_ context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error) {
	if err := c.Validate(); err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.account(c.Author); err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	scope, input, keyed := c.Idempotency()
	id, err := m.once(scope, input, keyed, func() (blog.UUID, error) { return m.createComment(c) })
	if err != nil {
		return blog.Comment{}, blog.Count{}, err
	}
	comment, ok := m.comments[blog.CommentID{UUID: id}]
	if !ok {
		return blog.Comment{}, blog.Count{}, blog.ErrGoneSince("comment")
	}
	return m.fullComment(comment), m.commentCount(c.Post), nil
}

func (m *Model) createComment(c blog.CreateComment) (blog.UUID, error) {
	if _, ok := m.posts[c.Post]; !ok {
		return blog.UUID{}, blog.ErrNoPost("postId")
	}
	var parent blog.Comment
	replies, err := c.Replies()
	if err == nil && replies {
		if parent = m.comments[c.Parent.Comment]; parent.Post != c.Post {
			err = blog.ErrNoParent()
		}
	}
	if err != nil {
		return blog.UUID{}, err
	}
	id := m.ids.Comment()
	m.comments[id] = c.Comment(id, blog.Author{ID: c.Author}, parent)
	m.commentStamp[c.Post] = blog.NextStamp(m.clock, m.commentStamp[c.Post])
	m.made[c.Post]++
	m.tell(blog.Change{Kind: blog.CommentCreated, Actor: c.Author, Post: c.Post, Comment: id, Comments: m.made[c.Post]})
	return id.UUID, nil
}

// UpdateComment is a method of [blog.Commands].
func (m *Model) UpdateComment(_ context.Context, c blog.UpdateComment) (blog.Comment, error) {
	if err := c.Validate(); err != nil {
		return blog.Comment{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, err := m.commentFor(c.Actor, c.Key)
	if err == nil && old.Author.ID != c.Actor {
		err = blog.ErrNotAuthor("comment")
	}
	if err != nil {
		return blog.Comment{}, err
	}
	if err := blog.CheckVersion(c.ExpectedVersion, old.Version); err != nil {
		return blog.Comment{}, err
	}
	comment, changed := c.After(old, m.clock)
	m.comments[comment.ID] = comment
	if changed {
		m.tell(blog.Change{Kind: blog.CommentUpdated, Actor: c.Actor, Post: comment.Post, Comment: comment.ID})
	}
	return m.fullComment(comment), nil
}

// DeleteComment is a method of [blog.Commands].
func (m *Model) DeleteComment(_ context.Context, c blog.DeleteComment) (blog.Count, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	comment, err := m.commentFor(c.Actor, c.Key)
	if err == nil {
		c.Role = c.Role.Of(m.users[c.Actor].Moderator)
		ref := m.posts[c.Key.Post].Ref()
		err = blog.UnlessModerated(c.Allowed(comment, ref), c.Actor, ref, m.group)
	}
	if err != nil {
		return blog.Count{}, err
	}
	m.dropComment(c.Key, c.Actor)
	return m.commentCount(c.Key.Post), nil
}

func (m *Model) dropComment(key blog.CommentKey, by blog.UserID) {
	delete(m.comments, key.Comment)
	m.tell(blog.Change{Kind: blog.CommentDeleted, Actor: by, Post: key.Post, Comment: key.Comment})
	m.commentStamp[key.Post] = blog.NextStamp(m.clock, m.commentStamp[key.Post])
}

// commentFor returns a comment that an actor with an account is about to change.
func (m *Model) commentFor(actor blog.UserID, key blog.CommentKey) (blog.Comment, error) {
	if _, err := m.account(actor); err != nil {
		return blog.Comment{}, err
	}
	comment, ok := m.comments[key.Comment]
	if !ok || comment.Post != key.Post {
		return blog.Comment{}, blog.ErrNoComment()
	}
	return comment, nil
}

func (m *Model) fullComment(c blog.Comment) blog.Comment {
	c.Author = m.author(c.Author.ID)
	return c
}

func (m *Model) commentCount(post blog.PostID) blog.Count {
	n := 0
	for _, c := range m.comments {
		if c.Post == post {
			n++
		}
	}
	return blog.Count{N: n, Stamp: m.commentStamp[post]}
}

// CommentByKey is a method of [blog.Queries].
func (m *Model) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	defer m.query(ctx, blog.CommentsByPost)()
	c, ok := m.comments[key.Comment]
	if !ok || c.Post != key.Post {
		return blog.Comment{}, blog.ErrNoComment()
	}
	return m.fullComment(c), nil
}

func (m *Model) listComments(matches func(blog.Comment) bool) []blog.Comment {
	var list []blog.Comment
	for _, c := range m.comments {
		if matches(c) {
			list = append(list, m.fullComment(c))
		}
	}
	return list
}
