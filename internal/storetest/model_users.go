package storetest

import (
	"context"

	"broadsheet/blog"
)

// CreateUser is a method of [blog.Commands].
func (m *Model) CreateUser(_ context.Context, c blog.CreateUser) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	scope, input, keyed := c.Idempotency()
	id, err := m.once(scope, input, keyed, func() (blog.UUID, error) { return m.createUser(c) })
	if err != nil {
		return blog.User{}, err
	}
	u, ok := m.users[blog.UserID{UUID: id}]
	if !ok {
		return u, blog.ErrGoneSince("account")
	}
	return c.Repeated(u, nil)
}

func (m *Model) createUser(c blog.CreateUser) (blog.UUID, error) {
	u := c.User(m.ids.User(), m.clock)
	if err := m.unique(u); err != nil {
		return blog.UUID{}, err
	}
	m.users[u.ID] = u
	m.tell(blog.Change{Kind: blog.UserCreated, Actor: u.ID})
	return u.ID.UUID, nil
}

// UpdateUser is a method of [blog.Commands].
func (m *Model) UpdateUser(_ context.Context, c blog.UpdateUser) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, err := m.account(c.Actor)
	if err != nil {
		return blog.User{}, err
	}
	u, changed, err := c.Decide(old, m.clock)
	if err != nil || !changed {
		return u, err
	}
	return m.edited(u, blog.Change{Kind: blog.UserUpdated, Actor: u.ID})
}

// edit edits another's account.
func (m *Model) edit(id blog.UserID, change blog.Change, decide blog.Decide) (blog.User, error) {
	old, ok := m.users[id]
	if !ok {
		return blog.User{}, blog.ErrNoSuchUser()
	}
	u, changed, err := decide(old, m.clock)
	if err != nil || !changed {
		return u, err
	}
	return m.edited(u, change)
}

// edited keeps a user after an edit, unless another has what it has.
func (m *Model) edited(u blog.User, change blog.Change) (blog.User, error) {
	if err := m.unique(u); err != nil {
		return blog.User{}, err
	}
	m.users[u.ID] = u
	m.tell(change)
	return u, nil
}

// EditAccount is a method of [blog.Floor].
func (m *Model) EditAccount(_ context.Context, c blog.SuspendUser, kind blog.ChangeKind, decide blog.Decide) (blog.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.Role != blog.Operator {
		actor, err := m.account(c.Actor)
		if err != nil {
			return blog.User{}, err
		}
		c.Role = c.Role.Of(actor.Moderator)
	}
	if err := c.Allowed(); err != nil {
		return blog.User{}, err
	}
	return m.edit(c.User, blog.Change{Kind: kind, Actor: c.Actor, User: c.User}, decide)
}

// unique returns an error where another user has u's subject or name, or has verified the address that u has, too.
func (m *Model) unique(u blog.User) error {
	if m.userWhere(func(o blog.User) bool { return o.ID != u.ID && o.Subject == u.Subject }) != nil {
		return blog.ErrSubjectTaken()
	}
	name := blog.UsernameKey(u.Username)
	if m.userWhere(func(o blog.User) bool { return o.ID != u.ID && blog.UsernameKey(o.Username) == name }) != nil {
		return blog.ErrTaken("username")
	}
	if !u.EmailVerified() {
		return nil
	}
	email := blog.EmailKey(*u.Email)
	if m.userWhere(func(o blog.User) bool { return o.ID != u.ID && o.EmailVerified() && blog.EmailKey(*o.Email) == email }) != nil {
		return blog.ErrTaken("email")
	}
	return nil
}

func (m *Model) userWhere(matches func(blog.User) bool) *blog.User {
	for _, u := range m.users {
		if matches(u) {
			return &u
		}
	}
	return nil
}

func (m *Model) findUser(ctx context.Context, table blog.Table, matches func(blog.User) bool) (blog.User, error) {
	defer m.query(ctx, table)()
	if u := m.userWhere(matches); u != nil {
		return *u, nil
	}
	return blog.User{}, blog.ErrNoUser()
}

// UserByID is a method of [blog.Queries].
func (m *Model) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	return m.findUser(ctx, blog.UsersByID, func(u blog.User) bool { return u.ID == id })
}

// Users is a method of [blog.Floor].
func (m *Model) Users(ctx context.Context, by *blog.UniqueKey, key string) ([]blog.User, error) {
	u, err := m.findUser(ctx, by.Card.Table, func(u blog.User) bool { return by.Owned(u) == key })
	return []blog.User{u}, err
}

// DeleteAccount is a method of [blog.Commands]. A model leaves nothing for later.
func (m *Model) DeleteAccount(_ context.Context, c blog.DeleteAccount) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.Role != blog.Operator {
		if _, err := m.account(c.Actor); err != nil {
			return err
		}
	}
	if err := c.Allowed(); err != nil {
		return err
	}
	u, ok := m.users[c.User]
	if !ok {
		return blog.ErrNoSuchUser()
	}
	if err := c.Confirmed(u); err != nil {
		return err
	}
	m.tell(blog.Change{Kind: blog.UserErased, Actor: c.Actor, User: u.ID})
	for id, p := range m.posts {
		if p.Author.ID == u.ID {
			m.dropPost(id, c.Actor)
		}
	}
	for _, comment := range m.comments {
		if comment.Author.ID == u.ID {
			m.dropComment(comment.Key(), c.Actor)
		}
	}
	for _, g := range m.groups {
		if g.Owner == u.ID && g.Version > 0 {
			m.dropGroup(g, c.Actor)
		}
	}
	for key, r := range m.reactions {
		if key.User == u.ID {
			m.setReaction(key, r, false, c.Actor)
		}
	}
	for key := range m.reactions {
		if key.To == u.ID.UUID {
			delete(m.reactions, key)
		}
	}
	delete(m.homes, u.ID)
	delete(m.users, u.ID)
	return nil
}
