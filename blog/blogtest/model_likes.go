package blogtest

import (
	"context"

	"broadsheet/blog"
)

// LikePost is a method of [blog.Commands].
func (m *Model) LikePost(_ context.Context, c blog.LikePost) (blog.Like, blog.Count, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := blog.LikeKey{Post: c.Post, User: c.Actor}
	if err := m.likeable(key); err != nil {
		return blog.Like{}, blog.Count{}, err
	}
	like, known := m.likes[key]
	if !known {
		like.at = blog.Millisecond(m.clock.Now())
	}
	m.setLike(key, like, true)
	return m.fullLike(key), m.likeCount(c.Post), nil
}

// UnlikePost is a method of [blog.Commands].
func (m *Model) UnlikePost(_ context.Context, c blog.UnlikePost) (blog.Count, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := blog.LikeKey{Post: c.Post, User: c.Actor}
	if err := m.likeable(key); err != nil {
		return blog.Count{}, err
	}
	if like, known := m.likes[key]; known {
		m.setLike(key, like, false)
	}
	return m.likeCount(c.Post), nil
}

func (m *Model) likeable(key blog.LikeKey) error {
	if _, err := m.account(key.User); err != nil {
		return err
	}
	if _, ok := m.posts[key.Post]; !ok {
		return blog.ErrNoPost("postId")
	}
	return nil
}

func (m *Model) setLike(key blog.LikeKey, like modelLike, stands bool) {
	if like.stands == stands {
		return
	}
	like.stands = stands
	kind := blog.PostLiked
	if !stands {
		kind = blog.PostUnliked
	}
	m.tell(blog.Change{Kind: kind, Actor: key.User, Post: key.Post})
	m.likes[key] = like
	m.likeStamp[key.Post] = blog.NextStamp(m.clock, m.likeStamp[key.Post])
}

func (m *Model) fullLike(key blog.LikeKey) blog.Like {
	return blog.Like{Post: key.Post, User: m.author(key.User), LikedAt: m.likes[key].at}
}

func (m *Model) likeCount(post blog.PostID) blog.Count {
	return blog.Count{N: len(m.likesOf(post)), Stamp: m.likeStamp[post]}
}

func (m *Model) likesOf(post blog.PostID) []blog.Like {
	var list []blog.Like
	for key, like := range m.likes {
		if key.Post == post && like.stands {
			list = append(list, m.fullLike(key))
		}
	}
	return list
}

// LikesByPost is a method of [blog.Queries].
func (m *Model) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.LikePosition]) (blog.LikePage, error) {
	defer m.query(ctx, blog.LikesByPost)()
	if _, ok := m.posts[post]; !ok {
		return blog.LikePage{}, blog.ErrNoPost("id")
	}
	list := m.likesOf(post)
	return blog.LikePage{Page: pageOf(list, blog.Like.Position, newestLike, page), Count: m.likeCount(post)}, nil
}

// LikedPosts is a method of [blog.Queries].
func (m *Model) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.PostID) (map[blog.PostID]blog.Like, error) {
	defer m.query(ctx, blog.LikesByUser)()
	liked := map[blog.PostID]blog.Like{}
	for _, post := range posts {
		key := blog.LikeKey{Post: post, User: user}
		if m.likes[key].stands {
			liked[post] = m.fullLike(key)
		}
	}
	return liked, nil
}
