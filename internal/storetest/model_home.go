package storetest

import (
	"context"
	"slices"

	"broadsheet/blog"
)

func (m *Model) bringHome(user blog.UserID, post blog.PostID, author blog.UserID) {
	if m.homes[user] == nil {
		m.homes[user] = map[blog.PostID]blog.UserID{}
	}
	m.homes[user][post] = author
}

// gather brings the newest posts of one who is followed to a home.
func (m *Model) gather(user, author blog.UserID) {
	var posts []blog.PostID
	for id, p := range m.posts {
		if p.Author.ID == author {
			posts = append(posts, id)
		}
	}
	slices.SortFunc(posts, newestPost)
	for _, id := range posts[:min(len(posts), blog.GatheredPosts)] {
		m.bringHome(user, id, author)
	}
}

// HomeByUser is a method of [blog.Queries].
func (m *Model) HomeByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Homed], error) {
	defer m.query(ctx, blog.HomeByUser)()
	if err := m.absent(user); err != nil {
		return blog.Page[blog.Homed]{}, err
	}
	var rows []blog.Homed
	for post, author := range m.homes[user] {
		rows = append(rows, blog.Homed{User: user, Post: post, Author: author})
	}
	return pageOf(rows, homedPost, newestPost, page), nil
}

func homedPost(h blog.Homed) blog.PostID { return h.Post }
