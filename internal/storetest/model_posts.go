package storetest

import (
	"context"
	"slices"

	"broadsheet/blog"
)

// CreatePost is a method of [blog.Commands].
func (m *Model) CreatePost(_ context.Context, c blog.CreatePost) (blog.Post, error) {
	if err := c.Validate(); err != nil {
		return blog.Post{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.account(c.Author); err != nil {
		return blog.Post{}, err
	}
	scope, input, keyed := c.Idempotency()
	id, err := m.once(scope, input, keyed, func() (blog.UUID, error) { return m.createPost(c) })
	if err != nil {
		return blog.Post{}, err
	}
	p, ok := m.posts[blog.PostID{UUID: id}]
	if !ok {
		return blog.Post{}, blog.ErrGoneSince("post")
	}
	return m.full(p), nil
}

func (m *Model) createPost(c blog.CreatePost) (blog.UUID, error) {
	id := m.ids.Post()
	if !c.Group.IsZero() {
		if _, err := m.group(c.Group); err != nil {
			return id.UUID, blog.AboutGroup.ErrAbsent()
		}
		if err := c.Allowed(m.reactions[blog.ReactionKey{Of: blog.Members, To: c.Group.UUID, User: c.Author}].stands); err != nil {
			return id.UUID, err
		}
	}
	m.posts[id] = c.Post(id, blog.Name{User: c.Author}, blog.FeedPlace{}, m.clock)
	m.tell(blog.Change{Kind: blog.PostCreated, Actor: c.Author, Post: id})
	for _, r := range m.reactionsOf(blog.Follows, c.Author.UUID) {
		m.bringHome(r.User.ID, id, c.Author)
	}
	return id.UUID, nil
}

// UpdatePost is a method of [blog.Commands].
func (m *Model) UpdatePost(_ context.Context, c blog.UpdatePost) (blog.Post, error) {
	if err := c.Validate(); err != nil {
		return blog.Post{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, err := m.postOf(c.Actor, c.Post)
	if err != nil {
		return blog.Post{}, err
	}
	if err := blog.CheckVersion(c.ExpectedVersion, old.Version); err != nil {
		return blog.Post{}, err
	}
	p, changed := c.After(old, m.clock)
	m.posts[p.ID] = p
	if changed {
		m.tell(blog.Change{Kind: blog.PostUpdated, Actor: c.Actor, Post: p.ID})
	}
	p = m.full(p)
	p.CountAs(blog.Post{})
	return p, nil
}

// DeletePost is a method of [blog.Commands].
func (m *Model) DeletePost(_ context.Context, c blog.DeletePost) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	actor, err := m.account(c.Actor)
	if err != nil {
		return err
	}
	p, ok := m.posts[c.Post]
	if !ok {
		return blog.ErrNoPost("id")
	}
	c.Role = c.Role.Of(actor.Moderator)
	if err := blog.UnlessModerated(c.Allowed(p.Ref()), c.Actor, p.Ref(), m.group); err != nil {
		return err
	}
	m.dropPost(c.Post, c.Actor)
	return nil
}

func (m *Model) dropPost(post blog.PostID, by blog.UserID) {
	delete(m.posts, post)
	m.tell(blog.Change{Kind: blog.PostDeleted, Actor: by, Post: post})
	for id, comment := range m.comments {
		if comment.Post == post {
			delete(m.comments, id)
		}
	}
	for key := range m.reactions {
		if key.To == post.UUID {
			delete(m.reactions, key)
		}
	}
}

// postOf returns a post that the actor may edit.
func (m *Model) postOf(actor blog.UserID, id blog.PostID) (blog.Post, error) {
	if _, err := m.account(actor); err != nil {
		return blog.Post{}, err
	}
	p, ok := m.posts[id]
	switch {
	case !ok:
		return blog.Post{}, blog.ErrNoPost("id")
	case p.Author.ID != actor:
		return blog.Post{}, blog.ErrNotAuthor("post")
	}
	return p, nil
}

// full fills in what a post shows of other truths.
func (m *Model) full(p blog.Post) blog.Post {
	p.Author = m.author(p.Author.ID)
	p.Comments = m.commentCount(p.ID)
	for _, k := range countedKinds {
		*k.Count(&p) = m.reactionCount(k, p.ID.UUID)
	}
	return p
}

// PostByID is a method of [blog.Queries].
func (m *Model) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	defer m.query(ctx, blog.PostsByID)()
	p, ok := m.posts[id]
	if !ok {
		return blog.Post{}, blog.ErrNoPost("id")
	}
	return m.full(p), nil
}

// Feed is a method of [blog.Queries].
func (m *Model) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return m.Posts(ctx, blog.FeedByBucket, page, "", 0)
}

// Posts is a method of [blog.Floor].
func (m *Model) Posts(ctx context.Context, list blog.Table, page blog.PageRequest[blog.PostID], parent ...any) (blog.Page[blog.Post], error) {
	defer m.query(ctx, list)()
	var rows []blog.Post
	for _, p := range m.posts {
		if inList(blog.PostFields, list, p, parent) {
			p = m.full(p)
			p.Content, p.Stamp = "", 0
			rows = append(rows, p)
		}
	}
	posts := pageOf(rows, postID, newestPost, page)
	if len(posts.Items) > 0 { // those of a group outlive it
		return posts, nil
	}
	return posts, m.absent(parent[0])
}

// inList reports whether a row stands in the list that some values name.
func inList[T any](fields blog.Fields[T], list blog.Table, row T, parent []any) bool {
	return slices.Equal(fields.Of(list.Declaration().Parent().Names()...).Values(&row), parent)
}

// absent returns the error of the list of a user or a post that does not exist.
func (m *Model) absent(parent any) error {
	switch id := parent.(type) {
	case blog.UserID:
		if _, ok := m.users[id]; !ok {
			return blog.ErrNoUser()
		}
	case blog.FollowedID:
		return m.absent(blog.UserID(id))
	case blog.PostID:
		if _, ok := m.posts[id]; !ok {
			return blog.ErrNoPost("id")
		}
	case blog.GroupID:
		_, err := m.group(id)
		return err
	}
	return nil
}
