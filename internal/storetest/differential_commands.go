package storetest

import (
	"fmt"
	"slices"
	"time"

	"broadsheet/blog"
)

// randomCommand is a command in numbers instead of ids, and what it touches.
type randomCommand struct {
	on       func(s *side) any
	creates  bool
	keyed    bool // it has an idempotency key
	users    []int
	posts    []int
	comments []int
}

// How often each command comes, in parts of their sum.
var weights = []struct {
	part   int
	random func(d *differential) randomCommand
}{
	{5, (*differential).createUser},
	{10, (*differential).updateUser},
	{10, (*differential).createPost},
	{12, (*differential).updatePost},
	{5, (*differential).deletePost},
	{20, (*differential).createComment},
	{10, (*differential).updateComment},
	{12, (*differential).deleteComment},
	{20, func(d *differential) randomCommand { return d.react(true) }},
	{14, func(d *differential) randomCommand { return d.react(false) }},
	{4, (*differential).createGroup},
	{3, (*differential).updateGroup},
	{1, (*differential).deleteGroup},
	{1, (*differential).suspendUser},
	{4, (*differential).restoreUser},
	{4, (*differential).verifyEmail},
	{2, (*differential).relinkUser},
	{3, (*differential).setModerator},
	{1, (*differential).deleteAccount},
}

// randomCommand is a new command or, now and then, a repetition of one with a key.
func (d *differential) randomCommand() randomCommand {
	if len(d.keyed) > 0 && d.oneIn(15) {
		return d.keyed[d.random.IntN(len(d.keyed))]
	}
	sum := 0
	for _, w := range weights {
		sum += w.part
	}
	n := d.random.IntN(sum)
	for _, w := range weights {
		if n -= w.part; n < 0 {
			return w.random(d)
		}
	}
	panic("unreachable")
}

func (d *differential) createUser() randomCommand {
	c := blog.CreateUser{
		Subject: d.subject(), Username: d.username(),
		Email: d.maybe(d.email), DisplayName: d.maybe(d.line), Bio: d.maybe(d.line), IdempotencyKey: d.key(),
	}
	c.ProvedEmail = d.proof(c.Email)
	return d.creation(c.IdempotencyKey, randomCommand{on: func(*side) any { return c }})
}

func (d *differential) updateUser() randomCommand {
	user := d.user()
	c := blog.UpdateUser{DisplayName: d.edit(d.line), Bio: d.edit(d.line), Email: d.edit(d.email), ExpectedVersion: d.version()}
	c.ProvedEmail = d.proof(c.Email.Value)
	if d.oneIn(3) {
		c.Username, c.RenameInterval = d.edit(d.username), time.Duration(d.random.IntN(3))*time.Second
	}
	return randomCommand{users: []int{user}, on: func(s *side) any {
		c := c
		c.Actor = s.user(user)
		return c
	}}
}

func (d *differential) createPost() randomCommand {
	user, c := d.user(), blog.CreatePost{Title: d.line(), Content: d.content(), IdempotencyKey: d.key()}
	if d.oneIn(3) {
		c.Group = groupNumber(d.random.IntN(groupNumbers))
	}
	posts := []int{len(d.sides[0].posts)}
	return d.creation(c.IdempotencyKey, randomCommand{users: []int{user}, posts: posts, on: func(s *side) any {
		c := c
		c.Author = s.user(user)
		return c
	}})
}

func (d *differential) updatePost() randomCommand {
	post := d.post()
	user := d.authorOr(post, d.user())
	c := blog.UpdatePost{Title: d.edit(d.line), Content: d.edit(d.content), ExpectedVersion: d.version()}
	return randomCommand{posts: []int{post}, on: func(s *side) any {
		c := c
		c.Actor, c.Post = s.user(user), s.post(post)
		return c
	}}
}

func (d *differential) deletePost() randomCommand {
	post := d.post()
	user, role := d.authorOr(post, d.user()), d.role()
	return randomCommand{posts: []int{post}, users: []int{user}, on: func(s *side) any {
		return blog.DeletePost{Actor: s.user(user), Role: role, Post: s.post(post)}
	}}
}

func (d *differential) createComment() randomCommand {
	user, post, parent := d.user(), d.post(), none
	if d.oneIn(2) {
		parent = d.comment()
	}
	if parent != none && !d.oneIn(10) {
		post = slices.Index(d.sides[0].posts, d.sides[0].comment(parent).Post)
	}
	c := blog.CreateComment{Content: d.line(), IdempotencyKey: d.key()}
	comments := []int{len(d.sides[0].comments)}
	return d.creation(c.IdempotencyKey, randomCommand{posts: []int{post}, comments: comments, on: func(s *side) any {
		c := c
		c.Author, c.Post = s.user(user), s.post(post)
		if parent != none {
			c.Parent = s.comment(parent)
		}
		return c
	}})
}

func (d *differential) updateComment() randomCommand {
	comment := d.comment()
	user := d.commenterOr(comment, d.user())
	c := blog.UpdateComment{Content: d.line(), ExpectedVersion: d.version()}
	return randomCommand{comments: []int{comment}, on: func(s *side) any {
		c := c
		c.Actor, c.Key = s.user(user), s.comment(comment)
		return c
	}}
}

func (d *differential) deleteComment() randomCommand {
	comment := d.comment()
	user := d.commenterOr(comment, d.user())
	if d.oneIn(3) {
		user = d.authorAboveOr(comment, user)
	}
	role := d.role()
	return randomCommand{comments: []int{comment}, on: func(s *side) any {
		return blog.DeleteComment{Actor: s.user(user), Role: role, Key: s.comment(comment)}
	}}
}

// reaction is the command that gives a reaction of a kind, or takes it back.
type reaction struct {
	Name  string
	Given bool
	Actor blog.UserID
	To    blog.UUID
	of    *blog.ReactionKind
}

func (d *differential) react(given bool) randomCommand {
	user, to, of := d.user(), d.post(), pick(d, blog.ReactionKinds...)
	c := randomCommand{posts: []int{to}, users: []int{user}}
	switch of.Parent {
	case blog.AboutFollowed:
		to = d.user()
		c.posts, c.users = nil, append(c.users, to)
	case blog.AboutGroup:
		to, c.posts = d.random.IntN(groupNumbers), nil
	}
	c.on = func(s *side) any { return reaction{of.Name, given, s.user(user), s.parent(of.Parent, to), of} }
	return c
}

func (d *differential) createGroup() randomCommand {
	user, c := d.user(), blog.CreateGroup{Name: groupName(d.random.IntN(groupNumbers)), Title: d.line(), Description: d.maybe(d.line), IdempotencyKey: d.key()}
	return d.creation(c.IdempotencyKey, randomCommand{users: []int{user}, on: func(s *side) any {
		c := c
		c.Owner = s.user(user)
		return c
	}})
}

func (d *differential) updateGroup() randomCommand {
	group := groupNumber(d.random.IntN(groupNumbers))
	user := d.ownerOr(group, d.user())
	c := blog.UpdateGroup{Group: group, Title: d.edit(d.line), Description: d.edit(d.line), ExpectedVersion: d.version()}
	return randomCommand{users: []int{user}, on: func(s *side) any {
		c := c
		c.Actor = s.user(user)
		return c
	}}
}

func (d *differential) deleteGroup() randomCommand {
	group := groupNumber(d.random.IntN(groupNumbers))
	user, role := d.ownerOr(group, d.user()), d.role()
	return randomCommand{users: []int{user}, on: func(s *side) any {
		return blog.DeleteGroup{Actor: s.user(user), Role: role, Group: group}
	}}
}

func (d *differential) suspendUser() randomCommand {
	actor, user, role := d.user(), d.user(), d.role()
	return randomCommand{users: []int{user}, on: func(s *side) any {
		return blog.SuspendUser{Actor: s.user(actor), Role: role, User: s.user(user)}
	}}
}

// restoreUser is an operator's, mostly: there is one while all moderators are suspended.
func (d *differential) restoreUser() randomCommand {
	actor, user, role := d.user(), d.user(), blog.Operator
	if d.oneIn(4) {
		role = d.role()
	}
	return randomCommand{users: []int{user}, on: func(s *side) any {
		return blog.RestoreUser{Actor: s.user(actor), Role: role, User: s.user(user)}
	}}
}

func (d *differential) verifyEmail() randomCommand {
	user, verified := d.user(), !d.oneIn(3)
	email := d.emailOf(user)
	return randomCommand{users: []int{user}, on: func(s *side) any {
		return blog.VerifyEmail{User: s.user(user), Email: email, Verified: verified}
	}}
}

func (d *differential) relinkUser() randomCommand {
	user, subject := d.user(), d.subject()
	return randomCommand{users: []int{user}, on: func(s *side) any {
		return blog.RelinkUser{User: s.user(user), Subject: subject}
	}}
}

func (d *differential) setModerator() randomCommand {
	user, moderator := d.user(), d.oneIn(2)
	return randomCommand{users: []int{user}, on: func(s *side) any {
		return blog.SetModerator{User: s.user(user), Moderator: moderator}
	}}
}

func (d *differential) deleteAccount() randomCommand {
	actor, user, role, name := d.user(), d.user(), d.role(), d.username()
	if d.oneIn(2) {
		actor, role = nobodysNumber, blog.Operator
	}
	return randomCommand{users: []int{user}, on: func(s *side) any {
		return blog.DeleteAccount{Actor: s.user(actor), Role: role, User: s.user(user), Username: name}
	}}
}

// creation remembers a command that has a key, to be repeated.
func (d *differential) creation(key *string, c randomCommand) randomCommand {
	c.creates = true
	if c.keyed = key != nil; c.keyed {
		d.keyed = append(d.keyed, c)
		d.keyed = d.keyed[max(0, len(d.keyed)-10):]
	}
	return c
}

// undoing returns a command that takes back what c did, or is another edit of the same.
func undoing(d *differential, c randomCommand) randomCommand {
	did, line, name := c.on, d.edit(d.line), blog.SetTo(fmt.Sprintf("undone_%d", d.step))
	c.keyed, c.creates = false, false
	c.on = func(s *side) any {
		switch made := did(s).(type) {
		case blog.CreateUser:
			u, _ := s.store.UserBySubject(s.ctx, made.Subject) // none: nobody's rename
			return blog.UpdateUser{Actor: u.ID, Username: name}
		case blog.UpdateUser:
			return blog.UpdateUser{Actor: made.Actor, Username: name, Email: line}
		case blog.CreatePost:
			return blog.DeletePost{Actor: made.Author, Post: s.post(c.posts[0])}
		case blog.UpdatePost:
			return blog.UpdatePost{Actor: made.Actor, Post: made.Post, Title: line}
		case blog.CreateComment:
			return blog.DeleteComment{Actor: made.Author, Key: s.comment(c.comments[0])}
		case blog.UpdateComment:
			return blog.DeleteComment{Actor: made.Actor, Key: made.Key}
		case reaction:
			made.Given = !made.Given
			return made
		case blog.SuspendUser:
			return blog.RestoreUser(made)
		case blog.RestoreUser:
			return blog.SuspendUser(made)
		case blog.VerifyEmail:
			made.Verified = !made.Verified
			return made
		case blog.SetModerator:
			made.Moderator = !made.Moderator
			return made
		default:
			return made // a deletion, which is not taken back, comes once more
		}
	}
	return c
}
