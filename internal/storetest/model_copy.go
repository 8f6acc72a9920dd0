package storetest

import (
	"maps"

	"broadsheet/blog"
)

// copied returns a model's data as it stands now.
func (m *Model) copied() *modelData {
	m.mu.Lock()
	defer m.mu.Unlock()
	homes := map[blog.UserID]map[blog.PostID]blog.UserID{}
	for user, home := range m.homes {
		homes[user] = maps.Clone(home)
	}
	return &modelData{
		users: maps.Clone(m.users), posts: maps.Clone(m.posts), comments: maps.Clone(m.comments), reactions: maps.Clone(m.reactions), groups: maps.Clone(m.groups),
		commentStamp: maps.Clone(m.commentStamp), reactionStamp: maps.Clone(m.reactionStamp), keys: maps.Clone(m.keys),
		made: maps.Clone(m.made), logs: maps.Clone(m.logs), homes: homes,
	}
}
