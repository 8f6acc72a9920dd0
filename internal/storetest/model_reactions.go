package storetest

import (
	"context"

	"broadsheet/blog"
)

// React is a method of [blog.Floor].
func (m *Model) React(_ context.Context, of *blog.ReactionKind, actor blog.UserID, post blog.PostID, stands bool) (blog.Reaction, blog.Count, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := blog.ReactionKey{Of: of, Post: post, User: actor}
	if err := m.mayReact(key); err != nil {
		return blog.Reaction{}, blog.Count{}, err
	}
	r, known := m.reactions[key]
	if !known {
		r.at = blog.Millisecond(m.clock.Now())
	}
	m.setReaction(key, r, stands, actor)
	return m.fullReaction(key), m.reactionCount(of, post), nil
}

func (m *Model) mayReact(key blog.ReactionKey) error {
	if _, err := m.account(key.User); err != nil {
		return err
	}
	if _, ok := m.posts[key.Post]; !ok {
		return blog.ErrNoPost("postId")
	}
	return nil
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
	c := blog.Change{Kind: kind, Actor: by, Post: key.Post}
	if by != key.User {
		c.User = key.User
	}
	m.tell(c)
	m.reactions[key] = r
	above := blog.ReactionKey{Of: key.Of, Post: key.Post}
	m.reactionStamp[above] = blog.NextStamp(m.clock, m.reactionStamp[above])
}

func (m *Model) fullReaction(key blog.ReactionKey) blog.Reaction {
	return blog.Reaction{Post: key.Post, User: m.author(key.User), At: m.reactions[key].at, Stands: m.reactions[key].stands}
}

func (m *Model) reactionCount(of *blog.ReactionKind, post blog.PostID) blog.Count {
	return blog.Count{N: len(m.reactionsOf(of, post)), Stamp: m.reactionStamp[blog.ReactionKey{Of: of, Post: post}]}
}

func (m *Model) reactionsOf(of *blog.ReactionKind, post blog.PostID) []blog.Reaction {
	return m.listReactions(func(key blog.ReactionKey) bool { return key.Of == of && key.Post == post })
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
	if post, ofPost := parent.(blog.PostID); ofPost {
		return blog.ReactionPage{Page: pageOf(m.reactionsOf(of, post), blog.Reaction.Position, newestReaction, page), Count: m.reactionCount(of, post)}, nil
	}
	own := m.listReactions(func(key blog.ReactionKey) bool { return key.Of == of && key.User == parent })
	return blog.ReactionPage{Page: pageOf(own, blog.Reaction.OwnPosition, newestReaction, page)}, nil
}

// ReactionsByUser is a method of [blog.Floor].
func (m *Model) ReactionsByUser(ctx context.Context, of *blog.ReactionKind, user blog.UserID, posts []blog.PostID) (map[blog.PostID]blog.Reaction, error) {
	defer m.query(ctx, of.ByUser)()
	found := map[blog.PostID]blog.Reaction{}
	for _, post := range posts {
		if key := (blog.ReactionKey{Of: of, Post: post, User: user}); m.reactions[key].stands {
			r := m.fullReaction(key)
			r.User = blog.Author{ID: user} // its row does not name him
			found[post] = r
		}
	}
	return found, nil
}
