package storetest

import (
	"context"

	"broadsheet/blog"
)

// React is a method of [blog.Floor].
func (m *Model) React(_ context.Context, of *blog.ReactionKind, actor blog.UserID, to blog.UUID, stands bool) (blog.Reaction, blog.Count, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := blog.ReactionKey{Of: of, To: to, User: actor}
	if err := m.mayReact(key); err != nil {
		return blog.Reaction{}, blog.Count{}, err
	}
	r, known := m.reactions[key]
	if !known {
		r.at = blog.Millisecond(m.clock.Now())
	}
	m.setReaction(key, r, stands, actor)
	return m.fullReaction(key), m.reactionCount(of, to), nil
}

func (m *Model) mayReact(key blog.ReactionKey) error {
	if _, err := m.account(key.User); err != nil {
		return err
	}
	if !m.stands(key) {
		return key.Of.Parent.ErrAbsent()
	}
	return nil
}

// stands reports whether there is what a reaction is to.
func (m *Model) stands(key blog.ReactionKey) (stands bool) {
	switch key.Of.Parent {
	case blog.AboutPost:
		_, stands = m.posts[blog.PostID{UUID: key.To}]
	case blog.AboutGroup:
		stands = m.groups[blog.GroupID{UUID: key.To}].Version > 0
	default:
		_, stands = m.users[blog.UserID{UUID: key.To}]
	}
	return stands
}

func (m *Model) setReaction(key blog.ReactionKey, r modelReaction, stands bool, by blog.UserID) {
	if r.stands == stands {
		return
	}
	r.stands = stands
	kind := key.Of.Given
	if !stands {
		kind = key.Of.TakenBack
	}
	to := key.Of.By(blog.Author{}, key.To, r.at, stands)
	c := blog.Change{Kind: kind, Actor: by, Post: to.Post, Followed: to.Followed, Group: to.Group}
	if by != key.User {
		c.User = key.User
	}
	m.tell(c)
	m.reactions[key] = r
	above := blog.ReactionKey{Of: key.Of, To: key.To}
	m.reactionStamp[above] = blog.NextStamp(m.clock, m.reactionStamp[above])
	if stands && key.Of == blog.Follows {
		m.gather(key.User, blog.UserID{UUID: key.To})
	}
}

func (m *Model) fullReaction(key blog.ReactionKey) blog.Reaction {
	return key.Of.By(m.author(key.User), key.To, m.reactions[key].at, m.reactions[key].stands)
}

func (m *Model) reactionCount(of *blog.ReactionKind, to blog.UUID) blog.Count {
	return blog.Count{N: len(m.reactionsOf(of, to)), Stamp: m.reactionStamp[blog.ReactionKey{Of: of, To: to}]}
}

func (m *Model) reactionsOf(of *blog.ReactionKind, to blog.UUID) []blog.Reaction {
	return m.listReactions(func(key blog.ReactionKey) bool { return key.Of == of && key.To == to })
}

func (m *Model) listReactions(in func(blog.ReactionKey) bool) (list []blog.Reaction) {
	for key, r := range m.reactions {
		if r.stands && in(key) {
			list = append(list, m.fullReaction(key))
		}
	}
	return list
}

// Reactions is a method of [blog.Floor].
func (m *Model) Reactions(ctx context.Context, list blog.Table, page blog.PageRequest[blog.ReactionPosition], parent any) (blog.ReactionPage, error) {
	defer m.query(ctx, list)()
	if err := m.absent(parent); err != nil {
		return blog.ReactionPage{}, err
	}
	of := list.Reaction()
	if of.ByParent == list {
		to, _ := blog.IDOf(parent)
		return blog.ReactionPage{Page: pageOf(m.reactionsOf(of, to), blog.Reaction.Position, newestReaction, page), Count: m.reactionCount(of, to)}, nil
	}
	own := m.listReactions(func(key blog.ReactionKey) bool { return key.Of == of && key.User == parent })
	return blog.ReactionPage{Page: pageOf(own, blog.Reaction.OwnPosition, newestReaction, page)}, nil
}

// ReactionsByUser is a method of [blog.Floor].
func (m *Model) ReactionsByUser(ctx context.Context, of *blog.ReactionKind, user blog.UserID, to []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	defer m.query(ctx, of.ByUser)()
	found := map[blog.UUID]blog.Reaction{}
	for _, parent := range to {
		if key := (blog.ReactionKey{Of: of, To: parent, User: user}); m.reactions[key].stands {
			r := m.fullReaction(key)
			r.User = blog.Author{ID: user} // its row does not name him
			found[parent] = r
		}
	}
	return found, nil
}

// OwnReactions is a method of [blog.Floor].
func (m *Model) OwnReactions(ctx context.Context, of *blog.ReactionKind, user blog.UserID) (int, error) {
	defer m.query(ctx, of.ByUser)()
	return len(m.listReactions(func(key blog.ReactionKey) bool { return key.Of == of && key.User == user })), nil
}
