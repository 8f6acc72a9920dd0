package productmap

import (
	"slices"
	"strings"
	"time"

	"broadsheet/blog"
)

// Command says what a command writes.
type Command struct {
	Command string     // "C1" … as in the guides that the domain follows
	GraphQL string     // the mutation
	Method  string     // the method of [blog.Commands]
	Truth   blog.Table // whose conditional write decides
	Guard   string     // what that write is conditional on
	Batch   []blog.Table
	Later   []blog.Table // that are written after the reply, as far as they grow with the data
	Then    string       // what is done after the reply, in words; empty: nothing
}

// Commands lists every command.
var Commands = func() []Command {
	made := time.UnixMilli(1)
	named, known := blog.FirstUUIDAt(made), blog.Count{N: 1, Stamp: 1}
	author := blog.Name{User: blog.UserID{UUID: named}, Stamp: 1}
	address := "a"
	user := blog.User{ID: author.User, Subject: "subject", Username: "username", Email: &address, Stamp: 1}
	group := blog.Group{ID: blog.GroupOf("name"), Owner: author.User, Stamp: 1}
	post := blog.Post{ID: blog.PostID{UUID: named}, Author: author.Author(), Group: group.ID, Stamp: 1}
	comment := blog.Comment{Post: post.ID, ID: blog.CommentID{UUID: named}, Author: author.Author()}

	card, _ := blog.CopiesOfUser(user)
	lists := blog.CopiesOfPost(post)
	owned := tablesOf(blog.CopiesOfGroup(group))
	postName := blog.NameOfPost(post.Ref(), author)
	commentRow := blog.CopiesOfComment(comment, 1)
	commentName := blog.NameOfComment(comment, author)
	counts := blog.CopiesOfCount(blog.CommentsByPost, post.Ref(), known)
	gone := blog.DeletionsOfComment(comment, 1)
	home := []blog.Table{blog.HomeByUser}
	var reactions []Command
	var given, reactionNames []blog.Copy
	things := "comments"
	for _, k := range blog.ReactionKinds {
		reaction := k.By(author.Author(), named, made, true)
		parent := reaction.Parent()
		if k.Parent == blog.AboutPost {
			parent = post.Ref()
		}
		copies := append(blog.CopiesOfReaction(k, reaction, 1), blog.CopiesOfCount(k.Table, parent, known)...)
		name := blog.NameOfReaction(k, named, made, author)
		guard, of := "the version of the "+k.Parent.Noun+"'s "+k.Them+", the claim", "–"
		if k == blog.Likes {
			of = "C4"
		}
		then, later := "", []blog.Table(nil)
		if k == blog.Follows {
			then, later = "the newest posts of who is followed come home", home
		}
		reactions = append(reactions,
			Command{of, k.GivenBy(), method(k.GivenBy()), k.Table, guard, tablesOf(copies, name), later, then},
			Command{of, k.TakenBackBy(), method(k.TakenBackBy()), k.Table, guard, tablesOf(copies), nil, ""})
		given, reactionNames = append(given, copies...), append(reactionNames, name...)
		if k.Parent == blog.AboutPost {
			gone = append(gone, blog.LostReaction(blog.ReactionKey{Of: k}, made, 1)...)
			things += " and " + k.Them
		}
	}
	belowPosts, belowGroups := below(blog.AboutPost), below(blog.AboutGroup)
	leaving := blog.LostReaction(blog.ReactionKey{Of: blog.Members}, made, 1)
	belowPost := slices.DeleteFunc(append([]blog.Table{blog.CommentsByPost}, tablesOf(gone)...), func(t blog.Table) bool { return slices.Contains(belowPosts, t) })

	const byVersion, byCount = "its version", "the version of the post's comments"
	return slices.Concat([]Command{
		{"C1", "createUser", "CreateUser", blog.UsersByID, "claims on username, e-mail and subject", tablesOf(card), nil, ""},
		{"C1", "updateUser", "UpdateUser", blog.UsersByID, byVersion + ", claims on new names", tablesOf(card),
			tablesOf(postName, commentName, reactionNames), "a new username walks to its copies"},
		{"C2", "createPost", "CreatePost", blog.PostsByID, "that there is none", tablesOf(lists, postName), home, "it comes to the homes of who follows its author"},
		{"C2", "updatePost", "UpdatePost", blog.PostsByID, byVersion, tablesOf(lists), nil, ""},
		{"C2", "deletePost", "DeletePost", blog.PostsByID, byVersion, append(tablesOf(lists), belowPosts...),
			belowPost, "rows of its " + things + " are deleted"},
		{"C3", "createComment", "CreateComment", blog.CommentsByPost, byCount, tablesOf(counts, commentRow, commentName), nil, ""},
		{"C3", "updateComment", "UpdateComment", blog.CommentsByPost, byCount + " and its own", tablesOf(commentRow), nil, ""},
		{"C3", "deleteComment", "DeleteComment", blog.CommentsByPost, byCount + " and its own", tablesOf(counts, commentRow), nil, ""},
		{"–", "createGroup", "CreateGroup", blog.GroupsByID, "that there is none of its name", owned, nil, ""},
		{"–", "updateGroup", "UpdateGroup", blog.GroupsByID, byVersion, owned, nil, ""},
		{"–", "deleteGroup", "DeleteGroup", blog.GroupsByID, byVersion, append(owned, belowGroups...), tablesOf(leaving), "its members leave"},
	}, reactions, []Command{
		{"–", "suspendUser", "SuspendUser", blog.UsersByID, byVersion, tablesOf(card), nil, ""},
		{"–", "restoreUser", "RestoreUser", blog.UsersByID, byVersion, tablesOf(card), nil, ""},
		{"–", "deleteAccount", "DeleteAccount", blog.UsersByID, byVersion, tablesOf(card),
			slices.Concat(tablesOf(lists, postName, commentRow, commentName, counts, given, reactionNames), owned, []blog.Table{blog.GroupsByID}, home),
			"what the account wrote is deleted, then its claims and its row"},
	})
}()

// below returns the tables whose rows go with what they stand below.
func below(parent *blog.Subject) (tables []blog.Table) {
	for _, d := range blog.Declarations {
		if d.BelowParent() && d.About.Parent == parent {
			tables = append(tables, d.Table)
		}
	}
	return tables
}

// method returns the method of [blog.Commands] that a mutation is.
func method(mutation string) string { return strings.ToUpper(mutation[:1]) + mutation[1:] }

// tablesOf returns the tables that copies stand in.
func tablesOf(copies ...[]blog.Copy) (tables []blog.Table) {
	for _, d := range blog.Declarations {
		if slices.ContainsFunc(slices.Concat(copies...), func(c blog.Copy) bool { return slices.Contains(d.Table.Families(), c.Family) }) {
			tables = append(tables, d.Table)
		}
	}
	return tables
}
