package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"broadsheet/blog"
)

// side is one store of a differential run, and its ids by the order of creation.
// Its answers are texts in which ids are replaced by their numbers.
type side struct {
	name     string
	ctx      context.Context
	store    blog.Store
	users    []blog.UserID
	posts    []blog.PostID
	comments []blog.CommentKey
	paths    []blog.Path          // of the comments
	names    map[blog.UUID]string // as in "post 3"
}

// nobodysNumber stands for an id that nothing has, as does a number yet to come.
const nobodysNumber = -1

func (s *side) user(i int) blog.UserID {
	if i >= 0 && i < len(s.users) {
		return s.users[i]
	}
	return blog.UserID{UUID: unusedID}
}

func (s *side) post(i int) blog.PostID {
	if i >= 0 && i < len(s.posts) {
		return s.posts[i]
	}
	return blog.PostID{UUID: unusedID}
}

func (s *side) comment(i int) blog.CommentKey {
	if i >= 0 && i < len(s.comments) {
		return s.comments[i]
	}
	return blog.CommentKey{Post: s.post(len(s.posts) - 1), Comment: blog.CommentID{UUID: unusedID}}
}

func (s *side) path(i int) blog.Path {
	if i >= 0 && i < len(s.paths) {
		return s.paths[i]
	}
	return blog.PathOf(blog.CommentID{UUID: unusedID})
}

var unusedID = blog.FirstUUIDAt(time.Date(2001, time.January, 1, 0, 0, 0, 0, time.UTC))

// do runs a command and returns its answer.
func (s *side) do(command any) string {
	switch c := command.(type) {
	case blog.CreateUser:
		u, err := s.store.CreateUser(s.ctx, c)
		if err == nil && s.learn("user", u.ID.UUID) {
			s.users = append(s.users, u.ID)
		}
		return s.created(c.IdempotencyKey, u.ID, userAnswer(u), err)
	case blog.UpdateUser:
		u, err := s.store.UpdateUser(s.ctx, c)
		return s.answer(userAnswer(u), err)
	case blog.CreatePost:
		p, err := s.store.CreatePost(s.ctx, c)
		if err == nil && s.learn("post", p.ID.UUID) {
			s.posts = append(s.posts, p.ID)
		}
		return s.created(c.IdempotencyKey, p.ID, postAnswer(p), err)
	case blog.UpdatePost:
		p, err := s.store.UpdatePost(s.ctx, c)
		return s.answer(postAnswer(p), err)
	case blog.DeletePost:
		return s.answer(nil, s.store.DeletePost(s.ctx, c))
	case blog.CreateComment:
		comment, count, err := s.store.CreateComment(s.ctx, c)
		if err == nil && s.learn("comment", comment.ID.UUID) {
			s.comments, s.paths = append(s.comments, comment.Key()), append(s.paths, comment.Place())
		}
		return s.created(c.IdempotencyKey, comment.ID, []any{commentAnswer(comment), count.N}, err)
	case blog.UpdateComment:
		comment, err := s.store.UpdateComment(s.ctx, c)
		return s.answer(commentAnswer(comment), err)
	case blog.DeleteComment:
		count, err := s.store.DeleteComment(s.ctx, c)
		return s.answer(count.N, err)
	case reaction:
		if !c.Given {
			count, err := reacting[c.of].takeBack(s.ctx, s.store, c.Actor, c.To)
			return s.answer(count.N, err)
		}
		given, count, err := reacting[c.of].give(s.ctx, s.store, c.Actor, c.To)
		return s.answer([]any{given, count.N}, err)
	case blog.CreateGroup:
		g, err := s.store.CreateGroup(s.ctx, c)
		return s.created(c.IdempotencyKey, g.ID, groupAnswer(g), err)
	case blog.UpdateGroup:
		g, err := s.store.UpdateGroup(s.ctx, c)
		return s.answer(groupAnswer(g), err)
	case blog.DeleteGroup:
		return s.answer(nil, s.store.DeleteGroup(s.ctx, c))
	case blog.DeleteAccount:
		return s.answer(nil, s.store.DeleteAccount(s.ctx, c))
	case blog.SuspendUser:
		u, err := s.store.SuspendUser(s.ctx, c)
		return s.answer(userAnswer(u), err)
	case blog.RestoreUser:
		u, err := s.store.RestoreUser(s.ctx, c)
		return s.answer(userAnswer(u), err)
	case blog.SetModerator:
		u, err := s.store.SetModerator(s.ctx, c)
		return s.answer(userAnswer(u), err)
	case blog.RelinkUser:
		u, err := s.store.RelinkUser(s.ctx, c)
		return s.answer(userAnswer(u), err)
	case blog.VerifyEmail:
		u, err := s.store.VerifyEmail(s.ctx, c)
		return s.answer(userAnswer(u), err)
	}
	panic(fmt.Sprintf("no such command: %T", command))
}

// unknown reports whether an answer leaves open what became of the command.
func (s *side) unknown(answer string) bool {
	for _, kind := range []blog.Kind{blog.Timeout, blog.Unavailable} {
		if strings.HasPrefix(answer, s.answer(nil, blog.Errorf(kind, ""))) {
			return true
		}
	}
	return false
}

// copied returns the side with lists of its own.
func (s *side) copied() side {
	c := *s
	c.users, c.posts, c.comments = slices.Clone(s.users), slices.Clone(s.posts), slices.Clone(s.comments)
	c.paths = slices.Clone(s.paths)
	c.names = maps.Clone(s.names)
	return c
}

// learn names an id that is new.
func (s *side) learn(kind string, id blog.UUID) bool {
	if _, known := s.names[id]; known {
		return false
	}
	n := map[string]int{"user": len(s.users), "post": len(s.posts), "comment": len(s.comments)}[kind]
	s.names[id] = fmt.Sprintf("%s %d", kind, n)
	return true
}

// created is the answer of a command that may be a repetition: then it tells the
// object and leaves open as of when it is shown.
func (s *side) created(key *string, id, made any, err error) string {
	if key != nil {
		made = id
	}
	return s.answer(made, err)
}
