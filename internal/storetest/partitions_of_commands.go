package storetest

import (
	"slices"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
)

// What commands write: each partition of each table once for a statement, whatever cells of
// it. Stores differ in their statements; which partitions hold copies is the same for all.
var partitionsOfCommands = []leaf{
	{"each command is told by every table that it writes, and its distinct partitions", func(f *fixture) {
		author, reader := f.user(), f.userWithEmail(f.name()+"@example.org")
		post := f.publishing(author)
		p := post()
		lists := with(nil, postTables()...)
		counts := func(more ...blog.Table) map[blog.Table]int { return with(lists, more...) }

		f.writes("createUser", func() { f.userWithEmail(f.name() + "@example.org") },
			with(nil, blog.UsersByID, blog.UsersByUsername, blog.UsersByEmail, blog.UsersBySubject))
		f.writes("updateUser", func() { f.updateUser(blog.UpdateUser{Actor: reader.ID, Bio: blog.SetTo("Thinks.")}) },
			with(nil, blog.UsersByID, blog.UsersByUsername, blog.UsersByEmail, blog.UsersBySubject))
		f.writes("createPost", func() { post() }, lists)
		f.writes("updatePost", func() { f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("Another")}) }, lists)
		var c blog.Comment
		f.writes("createComment", func() { c = f.comment(reader, p) }, counts(commentTables()...))
		f.writes("updateComment", func() {
			c = f.updateComment(blog.UpdateComment{Actor: reader.ID, Key: c.Key(), Content: "Another."})
		}, with(nil, commentTables()...))
		f.writes("deleteComment", func() { f.deleteComment(c) }, counts(commentTables()...))
		below := commentTables()
		for _, k := range blog.ReactionKinds {
			f.kind = k
			f.to(p.ID)
			of, written := []blog.Table{k.ByUser, k.ByUserAndTime}, with(nil, k.ByUser, k.ByUserAndTime)
			if k == blog.Members {
				of = append(of, blog.MembersByGroup)
			}
			if !k.Private() {
				of = append(of, k.ByParent)
				written = with(nil, of...)
				if k.Parent == blog.AboutPost {
					written = counts(of...)
				}
			}
			f.writes(k.GivenBy(), func() { f.react(reader, p) }, written)
			f.writes(k.TakenBackBy(), func() { f.takeBack(reader, p) }, written)
			f.react(reader, p)
			if k.Parent == blog.AboutPost {
				below = append(below, of...)
			}
		}
		f.comment(reader, p)
		f.kind = blog.Likes
		f.writes("deletePost", func() { f.deletePost(p) }, counts(below...))
	}},
	{"a new username is told by every partition that has it", func(f *fixture) {
		u, other := f.user(), f.user()
		p, another := f.post(other), f.post(other)
		f.publishing(u)()
		f.comment(u, p)
		f.comment(u, another)
		f.comment(u, another)
		want := with(nil, append(postTables(), blog.UsersByID, blog.UsersByUsername, blog.UsersBySubject, blog.MembersByGroup, blog.NewestMembersByGroup)...)
		want[blog.UsersByUsername] = 2 // the old name and the new one
		for _, table := range commentTables() {
			if want[table] = 1; table.Declaration().Partition[0].Type == blog.TypePost {
				want[table] = 2
			}
		}
		f.writes("updateUser", func() { f.rename(u, f.name()) }, want)
	}},
	{"the map of commands names the tables that each writes", func(f *fixture) {
		author, reader := f.user(), f.user()
		f.followUser(reader, author)
		post := f.publishing(author)
		p := post()
		var c blog.Comment
		var g blog.Group
		runs := map[string]func(){
			"CreateUser": func() { f.userWithEmail(f.name() + "@example.org") },
			"UpdateUser": func() {
				u := f.userWithEmail(f.name() + "@example.org")
				f.publishing(u)()
				f.comment(u, p)
				f.reactEach(u, p)
				f.settle()
				f.statements.take()
				f.rename(u, f.name())
			},
			"CreatePost":    func() { post() },
			"UpdatePost":    func() { f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("Another")}) },
			"CreateComment": func() { c = f.comment(reader, p) },
			"UpdateComment": func() { c = f.updateComment(blog.UpdateComment{Actor: reader.ID, Key: c.Key(), Content: "Another."}) },
			"DeleteComment": func() { f.deleteComment(c) },
			"SuspendUser":   func() { f.suspend(f.userWithEmail(f.name() + "@example.org")) },
			"RestoreUser": func() {
				u := f.suspend(f.userWithEmail(f.name() + "@example.org"))
				f.settle()
				f.statements.take()
				_, err := f.store.RestoreUser(f.ctx, blog.RestoreUser{Role: blog.Operator, User: u.ID})
				f.ok(err, "restore user")
			},
			"DeleteAccount": func() {
				u := f.userWithEmail(f.name() + "@example.org")
				f.publishing(u)()
				f.comment(u, p)
				f.reactEach(u, p)
				f.settle()
				f.statements.take()
				f.deleteAccount(u)
			},
			"CreateGroup": func() {
				g = f.createGroup(blog.CreateGroup{Owner: reader.ID, Name: f.name(), Title: "A group"})
			},
			"UpdateGroup": func() {
				g = f.updateGroup(blog.UpdateGroup{Actor: reader.ID, Group: g.ID, Title: blog.SetTo("Another")})
			},
			"DeleteGroup": func() {
				f.join(reader, g)
				f.settle()
				f.statements.take()
				f.deleteGroup(g)
			},
			"DeletePost": func() {
				f.comment(reader, p)
				f.reactEach(reader, p)
				f.settle()
				f.statements.take()
				f.kind = blog.Likes
				f.deletePost(p)
			},
		}
		inOrder := append(slices.DeleteFunc(slices.Clone(productmap.Commands), isDeletePost), productmap.Commands[slices.IndexFunc(productmap.Commands, isDeletePost)])
		for _, row := range inOrder {
			run := runs[row.Method]
			if k, given := blog.ReactionTo(row.GraphQL); k != nil {
				f.kind = k
				if to := f.to(p.ID); k.Parent == blog.AboutFollowed {
					_, err := f.store.CreatePost(f.ctx, blog.CreatePost{Author: blog.UserID{UUID: to}, Title: "A title", Content: "Some content."})
					f.ok(err, "create a post")
				}
				run = func() { f.ok(errorOf(f.toggle(reader, p, given)), row.GraphQL) }
			}
			if run == nil {
				f.Fatalf("say here how %s is run", row.Method)
			}
			got := f.written(row.GraphQL, run)
			if got == nil {
				continue // a store that tells of no write, as the model
			}
			want := map[blog.Table]bool{}
			for _, table := range append(slices.Concat(row.Batch, row.Later), row.Truth) {
				if answersQueries(table) {
					want[table] = true
				}
			}
			wrote := map[blog.Table]bool{}
			for table := range got {
				wrote[table] = true
			}
			equal(f, row.GraphQL+" writes what productmap.Commands says", wrote, want)
		}
	}},
}

// publishing has a user publish in a group of its own.
func (f *fixture) publishing(author blog.User) func() blog.Post {
	f.Helper()
	g := f.createGroup(blog.CreateGroup{Owner: author.ID, Name: f.name(), Title: "A group"})
	f.join(author, g)
	return func() blog.Post {
		return f.createPost(blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some content.", Group: g.ID})
	}
}

// commentTables are the tables that list comments, as the suite has them.
func commentTables() (tables []blog.Table) {
	for _, l := range everyList {
		if d := l.declaration(); d.About == blog.AboutComment {
			tables = append(tables, d.Table)
		}
	}
	return tables
}

// postTables are those whose rows are about posts.
func postTables() (tables []blog.Table) {
	for _, d := range blog.Declarations {
		if d.About == blog.AboutPost {
			tables = append(tables, d.Table)
		}
	}
	return tables
}

func isDeletePost(row productmap.Command) bool { return row.Method == "DeletePost" }

// with returns a partition of each of some tables more.
func with(tables map[blog.Table]int, more ...blog.Table) map[blog.Table]int {
	all := map[blog.Table]int{}
	for table, n := range tables {
		all[table] = n
	}
	for _, table := range more {
		all[table]++
	}
	return all
}

// writes fails unless a command writes these tables of those that answer queries, and of each
// so many partitions at most at once. A store that tells of no write, as the model, passes.
func (f *fixture) writes(command string, run func(), want map[blog.Table]int) {
	f.Helper()
	if got := f.written(command, run); got != nil {
		equal(f, command+" writes", got, want)
	}
}

func answersQueries(table blog.Table) bool {
	return slices.ContainsFunc(productmap.Queries, func(m *blog.Declaration) bool { return m.Table == table })
}

// written returns how many partitions, at most at once, a command writes of each table that
// answers queries; nil where the store tells of no write.
func (f *fixture) written(command string, run func()) map[blog.Table]int {
	f.Helper()
	f.settle()
	f.statements.take()
	run()
	f.settle()
	got, told := map[blog.Table]int{}, false
	for _, s := range f.statements.take() {
		if s.Kind == blog.Read || s.Share {
			continue
		}
		told = true
		sum := blog.TableCost{Table: s.Table}
		for _, of := range s.ByTable() {
			sum.Partitions += of.Partitions
			sum.Rows += of.Rows
			if of.Partitions > of.Rows {
				f.Errorf("%s writes %d partitions of %s and %d rows", command, of.Partitions, of.Table, of.Rows)
			}
			if answersQueries(of.Table) {
				got[of.Table] = max(got[of.Table], of.Partitions)
			}
		}
		equal(f, command+": a statement in all", sum, blog.TableCost{Table: s.Table, Partitions: s.Partitions, Rows: s.Rows})
	}
	if !told {
		return nil
	}
	return got
}
