package resolvers_test

import (
	"encoding/json"
	"testing"

	"broadsheet/blog"
	"broadsheet/resolvers"
)

// What the API says that a viewer can do is what the viewer's mutations are answered with.
func TestViewerCanDoWhatIsDone(t *testing.T) {
	for name, viewer := range map[string]struct {
		subject              string
		role                 blog.Role
		moderator, suspended bool
	}{
		"the post's author":               {subject: "c"},
		"the comment's author":            {subject: "a"},
		"another":                         {subject: "b"},
		"a moderator":                     {subject: "b", moderator: true},
		"a moderator by its token":        {subject: "b", role: blog.Moderator},
		"a suspended author":              {subject: "c", suspended: true},
		"a suspended moderator":           {subject: "b", moderator: true, suspended: true},
		"a suspended one with a token":    {subject: "b", role: blog.Moderator, suspended: true},
		"an author, who is not moderated": {subject: "a", role: blog.Moderator},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.user(blog.CreateUser{Subject: "d", Username: "dora"})
			account, err := s.store.UserBySubject(t.Context(), viewer.subject)
			s.must(err)
			if viewer.moderator {
				_, err = s.store.SetModerator(t.Context(), blog.SetModerator{User: account.ID, Moderator: true})
				s.must(err)
			}
			if viewer.suspended {
				_, err = s.store.SuspendUser(t.Context(), blog.SuspendUser{Role: blog.Operator, User: account.ID})
				s.must(err)
			}
			ctx := resolvers.WithAsker(t.Context(), &resolvers.Asker{Bearer: blog.Bearer{Subject: viewer.subject, Role: viewer.role}})

			var told struct {
				Post struct{ ViewerCanEdit, ViewerCanDelete *bool }
				Node struct{ ViewerCanEdit, ViewerCanDelete *bool }
				User struct{ ViewerCanModerate *bool }
			}
			decode(t, s.ask(ctx, `{
				post(id: "<post:p03>") { viewerCanEdit viewerCanDelete }
				node(id: "<comment:c01>") { ... on Comment { viewerCanEdit viewerCanDelete } }
				user(id: "<user:dora>") { viewerCanModerate }
			}`).Data, &told)
			for _, m := range []struct {
				told     *bool
				mutation string
			}{
				{told.Node.ViewerCanEdit, `updateComment(input: {id: "<comment:c01>", content: "Edited."})`},
				{told.Node.ViewerCanDelete, `deleteComment(input: {id: "<comment:c01>"})`},
				{told.Post.ViewerCanEdit, `updatePost(input: {id: "<post:p03>", title: "Edited"})`},
				{told.Post.ViewerCanDelete, `deletePost(input: {id: "<post:p03>"})`},
				{told.User.ViewerCanModerate, `suspendUser(input: {id: "<user:dora>"})`},
			} {
				var done struct {
					M struct{ UserErrors []json.RawMessage }
				}
				decode(t, s.ask(ctx, `mutation { m: `+m.mutation+` { userErrors { code message } } }`).Data, &done)
				if can := len(done.M.UserErrors) == 0; m.told == nil || *m.told != can {
					t.Errorf("told %v, but %s was answered with %s", m.told, m.mutation, done.M.UserErrors)
				}
			}
		})
	}
}

// Nobody can do anything; what an account may is its own affair and moderators'.
func TestWhoIsToldOfModerators(t *testing.T) {
	s := newStub(t)
	_, err := s.store.SetModerator(t.Context(), blog.SetModerator{User: s.users["bob"].ID, Moderator: true})
	s.must(err)
	const query = `{ user(username: "bob") { moderator viewerCanModerate } post(id: "<post:p03>") { viewerCanEdit viewerCanDelete comments(first: 1) { edges { node { viewerCanEdit viewerCanDelete } } } } }`
	const nothing = `"post":{"viewerCanEdit":null,"viewerCanDelete":null,"comments":{"edges":[{"node":{"viewerCanEdit":null,"viewerCanDelete":null}}]}}}`
	s.want(s.ask(t.Context(), query), `{"user":{"moderator":null,"viewerCanModerate":null},`+nothing)
	s.want(s.ask(as(t, "nobody"), query), `{"user":{"moderator":null,"viewerCanModerate":null},`+nothing)
	const own = `{ user(username: "bob") { moderator viewerCanModerate } viewer { moderator } }`
	s.want(s.ask(as(t, "a"), own), `{"user":{"moderator":null,"viewerCanModerate":false},"viewer":{"moderator":false}}`)
	s.want(s.ask(as(t, "b"), own), `{"user":{"moderator":true,"viewerCanModerate":false},"viewer":{"moderator":true}}`)
	byToken := resolvers.WithAsker(t.Context(), &resolvers.Asker{Bearer: blog.Bearer{Subject: "a", Role: blog.Moderator}})
	s.want(s.ask(byToken, own), `{"user":{"moderator":true,"viewerCanModerate":true},"viewer":{"moderator":true}}`)
}
