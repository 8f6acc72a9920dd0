package blog

import (
	"slices"
	"strings"
)

// Table is the name of a table, the same in every store.
type Table string

// The tables. What each holds, and its keys, is in [Map] for those that answer a
// query; the claims and the machinery are the stores' own.
const (
	UsersByID        Table = "users_by_id"
	UsersByUsername  Table = "users_by_username"
	UsersByEmail     Table = "users_by_email"
	UsersBySubject   Table = "users_by_subject"
	PostsByID        Table = "posts_by_id"
	PostsByAuthor    Table = "posts_by_author"
	CommentsByPost   Table = "comments_by_post"
	CommentsByAuthor Table = "comments_by_author"
	LikesByPost      Table = "likes_by_post"
	LikesByUser      Table = "likes_by_user"
	FeedByBucket     Table = "feed_by_bucket"

	FeedBuckets     Table = "feed_buckets"     // the names of the feed's non-empty buckets
	Gaps            Table = "gaps"             // runs of dead rows in lists
	LikeClaims      Table = "like_claims"      // the truth of likes
	UsernameClaims  Table = "username_claims"  // who owns a username
	EmailClaims     Table = "email_claims"     // who owns an e-mail address
	SubjectClaims   Table = "subject_claims"   // which account acts for a subject
	IdempotencyKeys Table = "idempotency_keys" // outcomes of commands that came with a key
	Journal         Table = "journal"          // intents of commands
	Checkpoints     Table = "checkpoints"      // how far work has come that outlives a process
	Leases          Table = "leases"           // which server does a piece of work
)

// Tables lists every table.
func Tables() []Table {
	return []Table{
		UsersByID, UsersByUsername, UsersByEmail, UsersBySubject,
		PostsByID, PostsByAuthor, CommentsByPost, CommentsByAuthor,
		LikesByPost, LikesByUser, FeedByBucket, FeedBuckets, Gaps, LikeClaims,
		UsernameClaims, EmailClaims, SubjectClaims, IdempotencyKeys, Journal,
		Checkpoints, Leases,
	}
}

// QueryTable says which table answers a query, by which key.
type QueryTable struct {
	Query      string // "Q1" … as in the guides that the domain follows
	GraphQL    string // the fields that it answers
	Method     string // the method of [Queries]
	Table      Table  // also the base name of its file in each store, in the schema and in the suite
	PrimaryKey string // partition key in inner parentheses, then clustering keys; ↓: descending
	Holds      string // what stands in it: a truth, or copies
}

// Map is the map of the product: query ⇄ table ⇄ file. The README's table and
// the tests of the repository's layout are made from it.
var Map = []QueryTable{
	{"Q1", "viewer's account, author's other fields, node", "UserByID", UsersByID, "((user_id))", "the truth of users"},
	{"Q1", "user(username), userPosts(username)", "UserByUsername", UsersByUsername, "((username_key), user_id)", "copy of the whole user"},
	{"Q1", "`broadsheet user --email`", "UserByEmail", UsersByEmail, "((email_key), user_id)", "copy of the whole user"},
	{"Q1", "viewer", "UserBySubject", UsersBySubject, "((subject_key), user_id)", "copy of the whole user"},
	{"Q2", "post, a list's content", "PostByID", PostsByID, "((post_id))", "the truth of posts; copies of username and counts"},
	{"Q3", "userPosts, User.posts", "PostsByAuthor", PostsByAuthor, "((author_id, bucket), post_id ↓)", "copies; the username is static"},
	{"Q4", "comments, Post.comments", "CommentsByPost", CommentsByPost, "((post_id, bucket), comment_id ↓)", "the truth of comments, their count static; copies of usernames"},
	{"Q4", "User.comments", "CommentsByAuthor", CommentsByAuthor, "((author_id, bucket), comment_id ↓)", "copies; the username is static"},
	{"Q5", "likes, Post.likes", "LikesByPost", LikesByPost, "((post_id, bucket), liked_at ↓, user_id ↓)", "copies; the count is static"},
	{"Q5", "viewerHasLiked", "LikedPosts", LikesByUser, "((user_id, bucket), post_id)", "copies"},
	{"Q6", "feed", "Feed", FeedByBucket, "((bucket, shard), post_id ↓)", "copies"},
}

// Truth is a kind of what copies follow from. Each has a stamp of its own.
type Truth string

// The truths. The comments of one post are one truth, and so are its likes.
const (
	UserTruth     Truth = "user"
	PostTruth     Truth = "post"
	CommentsTruth Truth = "comments"
	LikesTruth    Truth = "likes"
)

// Group is a set of cells of one table that follow from one truth and are
// written together at that truth's stamp. No cell belongs to two groups.
//
// The order of Columns is how the embedded store has a group on disk: a column is added
// at the end, and none is moved, renamed or taken away. docs/adding-a-field.md says how.
type Group struct {
	Table   Table
	Key     []string // the primary key; a static cell's is the partition key
	Columns []string // a new one goes to the end
	Row     bool     // the group makes the row: readers skip a row without it
	Truth   Truth    // at whose stamp the group is written
}

// LeavesDead reports whether a deleted row of the group stays, as a dead one without its
// texts: so it is where the row's key never comes back. A row that is deleted leaves a
// tombstone, which costs a reader as much and a database that counts them its answer; a
// dead row is a value like others, and those that stand next to each other are passed in
// one step. What comes back, a like or a name, takes its old key again and leaves few.
func (g *Group) LeavesDead() bool {
	return g == AuthorPost || g == FeedPost || g == AuthorComment
}

// Mandatory is the column without which readers skip a row. In a dead one it is empty.
func (g *Group) Mandatory() string {
	for _, column := range []string{"title", "content"} {
		if slices.Contains(g.Columns, column) {
			return column
		}
	}
	return g.Columns[0]
}

// Static reports whether the group stands once above the rows of its partition.
func (g *Group) Static() bool { return len(g.Key) < len(g.Table.RowKey()) }

// Groups returns the table's groups of copies; none where it has no copies.
func (t Table) Groups() []*Group {
	return slices.DeleteFunc(Groups(), func(g *Group) bool { return g.Table != t })
}

// RowKey returns the names of the columns that the key of a table with copies has.
func (t Table) RowKey() (key []string) {
	for _, g := range Groups() {
		if g.Table == t && len(g.Key) > len(key) {
			key = g.Key
		}
	}
	return key
}

// PartitionKey returns those columns of the row key that are the partition's. What else
// [Map] names there is constant.
func (t Table) PartitionKey() []string {
	key := t.RowKey()
	for _, m := range Map {
		if m.Table == t {
			partition, _, _ := strings.Cut(strings.TrimPrefix(m.PrimaryKey, "(("), ")")
			columns := strings.Split(partition, ", ")
			return slices.DeleteFunc(slices.Clone(key), func(column string) bool { return !slices.Contains(columns, column) })
		}
	}
	return key
}

// Rebuildable lists the tables that hold nothing but copies, so that they can be
// built from truths at any time.
func Rebuildable() []Table {
	var tables []Table
	for _, g := range Groups() {
		if g.Row && !slices.Contains(tables, g.Table) {
			tables = append(tables, g.Table)
		}
	}
	return append(tables, FeedBuckets)
}

// The groups of every table that holds copies. A group with Row is deleted with
// its whole row, or leaves it dead; the others are never deleted by themselves.
var (
	cardColumns = []string{"username", "subject", "email", "display_name", "bio", "version"}
	postColumns = []string{"title", "excerpt", "updated_at", "version"}

	UsernameCard = &Group{UsersByUsername, []string{"username_key", "user_id"}, cardColumns, true, UserTruth}
	EmailCard    = &Group{UsersByEmail, []string{"email_key", "user_id"}, cardColumns, true, UserTruth}
	SubjectCard  = &Group{UsersBySubject, []string{"subject_key", "user_id"}, cardColumns, true, UserTruth}

	PostName         = &Group{PostsByID, []string{"post_id"}, []string{"username"}, false, UserTruth}
	PostCommentCount = &Group{PostsByID, []string{"post_id"}, []string{"comment_count"}, false, CommentsTruth}
	PostLikeCount    = &Group{PostsByID, []string{"post_id"}, []string{"like_count"}, false, LikesTruth}

	AuthorPost             = &Group{PostsByAuthor, []string{"author_id", "post_id"}, append(postColumns, "feed_bucket", "feed_shard"), true, PostTruth}
	AuthorPostCommentCount = &Group{PostsByAuthor, []string{"author_id", "post_id"}, []string{"comment_count"}, false, CommentsTruth}
	AuthorPostLikeCount    = &Group{PostsByAuthor, []string{"author_id", "post_id"}, []string{"like_count"}, false, LikesTruth}
	AuthorPostsName        = &Group{PostsByAuthor, []string{"author_id"}, []string{"username"}, false, UserTruth}

	FeedPost             = &Group{FeedByBucket, []string{"bucket", "shard", "post_id"}, append([]string{"author_id"}, postColumns...), true, PostTruth}
	FeedPostName         = &Group{FeedByBucket, []string{"bucket", "shard", "post_id"}, []string{"username"}, false, UserTruth}
	FeedPostCommentCount = &Group{FeedByBucket, []string{"bucket", "shard", "post_id"}, []string{"comment_count"}, false, CommentsTruth}
	FeedPostLikeCount    = &Group{FeedByBucket, []string{"bucket", "shard", "post_id"}, []string{"like_count"}, false, LikesTruth}

	CommentName        = &Group{CommentsByPost, []string{"post_id", "comment_id"}, []string{"username"}, false, UserTruth}
	AuthorComment      = &Group{CommentsByAuthor, []string{"author_id", "comment_id"}, []string{"post_id", "content", "updated_at", "version"}, true, CommentsTruth}
	AuthorCommentsName = &Group{CommentsByAuthor, []string{"author_id"}, []string{"username"}, false, UserTruth}

	PostLike      = &Group{LikesByPost, []string{"post_id", "liked_at", "user_id"}, []string{"liked"}, true, LikesTruth}
	PostLikeName  = &Group{LikesByPost, []string{"post_id", "liked_at", "user_id"}, []string{"username"}, false, UserTruth}
	PostLikesHead = &Group{LikesByPost, []string{"post_id"}, []string{"like_count"}, false, LikesTruth}
	UserLike      = &Group{LikesByUser, []string{"user_id", "post_id"}, []string{"liked_at"}, true, LikesTruth}
)

// Groups lists every group: all that a store must be able to write, and all that
// verify compares.
func Groups() []*Group {
	return []*Group{
		UsernameCard, EmailCard, SubjectCard,
		PostName, PostCommentCount, PostLikeCount,
		AuthorPost, AuthorPostCommentCount, AuthorPostLikeCount, AuthorPostsName,
		FeedPost, FeedPostName, FeedPostCommentCount, FeedPostLikeCount,
		CommentName, AuthorComment, AuthorCommentsName,
		PostLike, PostLikeName, PostLikesHead, UserLike,
	}
}
