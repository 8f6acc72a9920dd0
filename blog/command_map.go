package blog

import (
	"slices"
	"strings"
	"time"
)

// CommandTables says what a command writes: the second half of the map of the product,
// mutation ⇄ truth ⇄ copies. The README's table is made from it, and the suite holds each
// store to it.
type CommandTables struct {
	Command string // "C1" … as in the guides that the domain follows
	GraphQL string // the mutation
	Method  string // the method of [Commands]
	Truth   Table  // whose conditional write decides
	Guard   string // what that write is conditional on
	Batch   []Table
	Later   []Table // that are written after the reply, as far as they grow with the data
	Then    string  // what is done after the reply, in words; empty: nothing
}

// CommandMap is that half of the map.
var CommandMap = func() []CommandTables {
	made := time.UnixMilli(1)
	named, known := FirstUUIDAt(made), Count{N: 1, Stamp: 1}
	author := Name{User: UserID{UUID: named}, Stamp: 1}
	address := "a"
	user := User{ID: author.User, Subject: "subject", Username: "username", Email: &address, Stamp: 1}
	post := Post{ID: PostID{UUID: named}, Author: author.Author(), Stamp: 1}
	counted := CommentState{Ref: post.Ref(), Count: known}
	comment := Comment{Post: post.ID, ID: CommentID{UUID: named}, Author: author.Author()}

	card, _ := CopiesOfUser(user)
	lists := CopiesOfPost(PostState{Post: post})
	postName := NameOfPost(post.Ref(), author)
	commentRow := CopiesOfComment(CommentState{Comment: comment, Stamp: 1})
	commentName := NameOfComment(comment.Key(), author)
	counts := CopiesOfComment(counted)
	gone := CopiesOfComment(CommentState{Comment: comment, Gone: 1})
	var reactions []CommandTables
	var given, reactionNames []Copy
	things := "comments"
	for _, k := range ReactionKinds {
		copies := CopiesOfReaction(ReactionState{Of: k, Ref: post.Ref(), User: user.ID, At: made, Stands: true, Count: known})
		name := NameOfReaction(k, post.ID, made, author)
		guard := "the version of the post's " + k.Them + ", the claim"
		reactions = append(reactions,
			CommandTables{"C4", k.GivenBy(), method(k.GivenBy()), k.Claims, guard, tablesOf(copies, name), nil, ""},
			CommandTables{"C4", k.TakenBackBy(), method(k.TakenBackBy()), k.Claims, guard, tablesOf(copies), nil, ""})
		given, reactionNames, gone = append(given, copies...), append(reactionNames, name...), append(gone, LostReaction(ReactionKey{Of: k}, 1)...)
		things += " and " + k.Them
	}
	var belowPosts []Table
	for _, d := range Declarations {
		if d.BelowPost() {
			belowPosts = append(belowPosts, d.Table)
		}
	}
	below := slices.DeleteFunc(append([]Table{CommentsByPost}, tablesOf(gone)...), func(t Table) bool { return slices.Contains(belowPosts, t) })

	const byVersion, byCount = "its version", "the version of the post's comments"
	return slices.Concat([]CommandTables{
		{"C1", "createUser", "CreateUser", UsersByID, "claims on username, e-mail and subject", tablesOf(card), nil, ""},
		{"C1", "updateUser", "UpdateUser", UsersByID, byVersion + ", claims on new names", tablesOf(card),
			tablesOf(postName, commentName, reactionNames), "a new username walks to its copies"},
		{"C2", "createPost", "CreatePost", PostsByID, "that there is none", tablesOf(lists, postName), nil, ""},
		{"C2", "updatePost", "UpdatePost", PostsByID, byVersion, tablesOf(lists), nil, ""},
		{"C2", "deletePost", "DeletePost", PostsByID, byVersion, append(tablesOf(lists), belowPosts...),
			below, "rows of its " + things + " are deleted"},
		{"C3", "createComment", "CreateComment", CommentsByPost, byCount, tablesOf(counts, commentRow, commentName), nil, ""},
		{"C3", "updateComment", "UpdateComment", CommentsByPost, byCount + " and its own", tablesOf(commentRow), nil, ""},
		{"C3", "deleteComment", "DeleteComment", CommentsByPost, byCount + " and its own", tablesOf(counts, commentRow), nil, ""},
	}, reactions, []CommandTables{
		{"–", "suspendUser", "SuspendUser", UsersByID, byVersion, tablesOf(card), nil, ""},
		{"–", "restoreUser", "RestoreUser", UsersByID, byVersion, tablesOf(card), nil, ""},
		{"–", "deleteAccount", "DeleteAccount", UsersByID, byVersion, tablesOf(card),
			tablesOf(lists, postName, commentRow, commentName, counts, given, reactionNames),
			"what the account wrote is deleted, then its claims and its row"},
	})
}()

// method returns the method of [Commands] that a mutation is.
func method(mutation string) string { return strings.ToUpper(mutation[:1]) + mutation[1:] }

// tablesOf returns the tables that copies stand in.
func tablesOf(copies ...[]Copy) (tables []Table) {
	for _, d := range Declarations {
		if slices.ContainsFunc(slices.Concat(copies...), func(c Copy) bool { return slices.Contains(d.Table.Groups(), c.Group) }) {
			tables = append(tables, d.Table)
		}
	}
	return tables
}
