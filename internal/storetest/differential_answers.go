package storetest

import (
	"cmp"
	"fmt"

	"broadsheet/blog"
)

// Answers of a side's queries, by numbers.

func (s *side) userByID(i int) string { return s.oneUser(s.store.UserByID(s.ctx, s.user(i))) }

func (s *side) userByUsername(name string) string {
	return s.oneUser(s.store.UserByUsername(s.ctx, name))
}

func (s *side) userByEmail(email string) string { return s.oneUser(s.store.UserByEmail(s.ctx, email)) }

func (s *side) userBySubject(subject string) string {
	return s.oneUser(s.store.UserBySubject(s.ctx, subject))
}

func (s *side) oneUser(u blog.User, err error) string { return s.found(userAnswer(u), err) }

func (s *side) postByID(i int) string {
	p, err := s.store.PostByID(s.ctx, s.post(i))
	return s.found(postAnswer(p), err)
}

func (s *side) commentByKey(i int) string {
	c, err := s.store.CommentByKey(s.ctx, s.comment(i))
	return s.found(commentAnswer(c), err)
}

func (s *side) feed(r numberedPage) string {
	page, err := s.store.Feed(s.ctx, request(r, s.post))
	return listAnswer(s, page, 0, postAnswer, err)
}

// parent returns the parent of a number: a post, a group or a user.
func (s *side) parent(of *blog.Subject, i int) blog.UUID {
	switch of {
	case blog.AboutPost:
		return s.post(i).UUID
	case blog.AboutGroup:
		return groupNumber(i).UUID
	}
	return s.user(i).UUID
}

const groupNumbers = 8 // of the groups of a run

// groupName returns the name of a group by its number, and groupNumber its id.
func groupName(i int) string         { return fmt.Sprintf("group_%d", (i+groupNumbers)%groupNumbers) }
func groupNumber(i int) blog.GroupID { return blog.GroupOf(groupName(i)) }
func (s *side) groupByID(i int) string {
	g, err := s.store.GroupByID(s.ctx, groupNumber(i))
	return s.found(groupAnswer(g), err)
}

func (s *side) groupsByOwner(user int) string {
	groups, err := s.store.GroupsByOwner(s.ctx, s.user(user))
	all := []any{}
	for _, g := range groups {
		all = append(all, groupAnswer(g))
	}
	return s.found(all, err)
}

func groupAnswer(g blog.Group) any {
	g.Stamp = 0
	return g
}

// reacted tells which of the last posts, or users, or of the groups a user reacted to, and since when.
func (s *side) reacted(of *blog.ReactionKind, user int) string {
	all := UUIDs(s.posts...)
	switch of.Parent {
	case blog.AboutFollowed:
		all = UUIDs(s.users...)
	case blog.AboutGroup:
		all = nil
		for i := range groupNumbers {
			all = append(all, groupNumber(i).UUID)
		}
	}
	all = all[max(0, len(all)-blog.MaxPage):]
	given, err := of.Some(s.ctx, s.store, s.user(user), all)
	var found []any
	for _, to := range all {
		if r, ok := given[to]; ok {
			found = append(found, []any{r.Post, r.Followed, r.Group, r.Position()})
		}
	}
	return s.found(found, err)
}

// home tells which posts of those whom a user follows are in its home, once all is settled. Others may stay there, or not.
func (s *side) home(user int) string {
	if err := s.store.Settle(s.ctx); err != nil {
		return s.found(nil, err)
	}
	request, found := blog.FirstPage[blog.PostID](blog.MaxPage), []any{}
	for {
		page, err := s.store.HomeByUser(s.ctx, s.user(user), request)
		for _, h := range page.Items {
			follows, failed := s.store.FollowedUsers(s.ctx, h.User, []blog.UUID{h.Author.UUID})
			_, gone := s.store.PostByID(s.ctx, h.Post)
			if len(follows) > 0 && gone == nil {
				found = append(found, []any{h.Post, h.Author})
			}
			if err = cmp.Or(err, failed); gone != nil && !blog.IsNotFound(gone) {
				err = cmp.Or(err, gone)
			}
		}
		if err != nil || !page.HasNext {
			return s.found(found, err)
		}
		request.After = &page.Items[len(page.Items)-1].Post
	}
}

func listAnswer[T any](s *side, page blog.Page[T], count int, answer func(T) any, err error) string {
	rows := []any{}
	for _, row := range page.Items {
		rows = append(rows, answer(row))
	}
	return s.found([]any{rows, page.HasNext, page.HasPrevious, count}, err)
}

// found is the answer of a query: what it found, or the kind of its error.
func (s *side) found(result any, err error) string {
	if err != nil && blog.KindOf(err) != blog.Internal {
		return blog.KindOf(err).String()
	}
	return s.answer(result, err)
}
