package blogtest

import "maps"

// copied returns a model's data as it stands now.
func (m *Model) copied() *modelData {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &modelData{
		users: maps.Clone(m.users), posts: maps.Clone(m.posts), comments: maps.Clone(m.comments), likes: maps.Clone(m.likes),
		commentStamp: maps.Clone(m.commentStamp), likeStamp: maps.Clone(m.likeStamp), keys: maps.Clone(m.keys),
		made: maps.Clone(m.made), logs: maps.Clone(m.logs),
	}
}
