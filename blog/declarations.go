package blog

import "slices"

// The tables. What each holds, and its key, its [Declaration] says; of those without a key
// there, which are machinery, the store that has them.
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

	CommentsByPostAndAuthor Table = "comments_by_post_and_author"
	CommentsByThread        Table = "comments_by_thread"
	LikesByUserAndTime      Table = "likes_by_user_and_time"
	LikesByUserAndYear      Table = "likes_by_user_and_year"
	BookmarksByUser         Table = "bookmarks_by_user"
	BookmarksByUserAndTime  Table = "bookmarks_by_user_and_time"
	FollowersByUser         Table = "followers_by_user"
	FollowsByUser           Table = "follows_by_user"
	FollowsByUserAndTime    Table = "follows_by_user_and_time"
	HomeByUser              Table = "home_by_user"
	GroupsByID              Table = "groups_by_id"
	GroupsByOwner           Table = "groups_by_owner"
	PostsByGroup            Table = "posts_by_group"
	MembersByGroup          Table = "members_by_group"
	NewestMembersByGroup    Table = "newest_members_by_group"
	GroupsByUser            Table = "groups_by_user"
	GroupsByUserAndTime     Table = "groups_by_user_and_time"

	FeedBuckets     Table = "feed_buckets"     // the names of the feed's non-empty buckets
	Gaps            Table = "gaps"             // runs of dead rows in lists
	LikeClaims      Table = "like_claims"      // the truth of likes
	BookmarkClaims  Table = "bookmark_claims"  // the truth of bookmarks
	FollowClaims    Table = "follow_claims"    // the truth of follows
	MemberClaims    Table = "member_claims"    // the truth of groups' members
	UsernameClaims  Table = "username_claims"  // who owns a username
	EmailClaims     Table = "email_claims"     // who has verified an e-mail address
	SubjectClaims   Table = "subject_claims"   // which account acts for a subject
	IdempotencyKeys Table = "idempotency_keys" // outcomes of commands that came with a key
	Journal         Table = "journal"          // intents of commands
	Checkpoints     Table = "checkpoints"      // how far work has come that outlives a process
	Leases          Table = "leases"           // which server does a piece of work
	ChangesByLog    Table = "changes_by_log"   // what commands did, in order
	ChangeLogs      Table = "change_logs"      // which logs of that there are
	ChangeLogEnds   Table = "change_log_ends"  // where those end that are written no more
	ChangeClaims    Table = "change_claims"    // which log a command is told to that recovery finished
)

// The columns of keys.
var (
	userID      = Column{Name: "user_id", Type: TypeUser}
	authorID    = Column{Name: "author_id", Type: TypeUser}
	postID      = Column{Name: "post_id", Type: TypePost}
	fixedAuthor = Column{Name: "author_id", Type: TypeUser, Fixed: true}
	commentID   = Column{Name: "comment_id", Type: TypeComment}
	followedID  = Column{Name: "followed_id", Type: TypeFollowed}
	groupID     = Column{Name: "group_id", Type: TypeGroup}
	ownerID     = Column{Name: "owner_id", Type: TypeUser}
	usernameKey = Column{Name: "username_key", Type: TypeText}
	emailKey    = Column{Name: "email_key", Type: TypeText}
	subjectKey  = Column{Name: "subject_key", Type: TypeText}

	// bucket is where a partition that grows too large could be split.
	bucket = Column{Name: "bucket", Type: TypeInt, Constant: true}
)

// The columns of copies that several tables have.
var (
	username     = Column{Name: "username", Type: TypeText}
	content      = Column{Name: "content", Type: TypeText}
	updatedAt    = Column{Name: "updated_at", Type: TypeTime}
	liked        = Column{Name: "liked", Type: TypeBool}
	likedAt      = Column{Name: "liked_at", Type: TypeTime}
	bookmarked   = Column{Name: "bookmarked", Type: TypeBool}
	bookmarkedAt = Column{Name: "bookmarked_at", Type: TypeTime}
	follows      = Column{Name: "follows", Type: TypeBool}
	followedAt   = Column{Name: "followed_at", Type: TypeTime}
	member       = Column{Name: "member", Type: TypeBool}
	joinedAt     = Column{Name: "joined_at", Type: TypeTime}
	version      = Column{Name: "version", Type: TypeInt}
	commentCount = Column{Name: "comment_count", Type: TypeCount}
	parentID     = Column{Name: "parent_id", Type: TypeComment, Fixed: true, Since: 16} // zero: none
	reply        = Columns{parentID, {Name: "reply_path", Type: TypePath, Fixed: true, Since: 16}}

	wholeUser = Columns{
		username, {Name: "subject", Type: TypeText}, {Name: "email", Type: TypeOptionalText},
		{Name: "display_name", Type: TypeOptionalText}, {Name: "bio", Type: TypeOptionalText}, version,
		{Name: "renamed_at", Type: TypeOptionalTime, Since: 3}, {Name: "suspended", Type: TypeBool, Since: 4},
		{Name: "verified_email", Type: TypeOptionalText, Since: 5},
		{Name: "erased_at", Type: TypeOptionalTime, Since: 6}, {Name: "moderator", Type: TypeBool, Since: 7},
	}
	listedPost = Columns{{Name: "title", Type: TypeText}, {Name: "excerpt", Type: TypeText}, updatedAt, version}
	counted    = Columns{{Name: "word_count", Type: TypeInt, Since: 10}}
	grouped    = Columns{{Name: "group_id", Type: TypeGroup, Fixed: true, Since: 16}} // the zero id where there is none
	feedPlace  = Columns{{Name: "feed_bucket", Type: TypeText, Fixed: true}, {Name: "feed_shard", Type: TypeInt, Fixed: true}}
)

// The fields of what rows are about. A count is a *Count.
var (
	UserFields = Fields[User]{
		"user_id":        func(u *User) any { return &u.ID },
		"username":       func(u *User) any { return &u.Username },
		"subject":        func(u *User) any { return &u.Subject },
		"email":          func(u *User) any { return &u.Email },
		"display_name":   func(u *User) any { return &u.DisplayName },
		"bio":            func(u *User) any { return &u.Bio },
		"version":        func(u *User) any { return &u.Version },
		"renamed_at":     func(u *User) any { return &u.RenamedAt },
		"suspended":      func(u *User) any { return &u.Suspended },
		"verified_email": func(u *User) any { return &u.VerifiedEmail },
		"erased_at":      func(u *User) any { return &u.ErasedAt },
		"moderator":      func(u *User) any { return &u.Moderator },
	}
	PostFields = Fields[Post]{
		"post_id":       func(p *Post) any { return &p.ID },
		"author_id":     func(p *Post) any { return &p.Author.ID },
		"username":      func(p *Post) any { return &p.Author.Username },
		"display_name":  func(p *Post) any { return &p.Author.DisplayName },
		"title":         func(p *Post) any { return &p.Title },
		"excerpt":       func(p *Post) any { return &p.Excerpt },
		"content":       func(p *Post) any { return &p.Content },
		"updated_at":    func(p *Post) any { return &p.UpdatedAt },
		"version":       func(p *Post) any { return &p.Version },
		"word_count":    func(p *Post) any { return &p.Words },
		"feed_bucket":   func(p *Post) any { return &p.Feed.Bucket },
		"feed_shard":    func(p *Post) any { return &p.Feed.Shard },
		"group_id":      func(p *Post) any { return &p.Group },
		"bucket":        func(p *Post) any { return &p.Feed.Bucket },
		"shard":         func(p *Post) any { return &p.Feed.Shard },
		"comment_count": func(p *Post) any { return &p.Comments },
		"like_count":    func(p *Post) any { return &p.Likes },
	}
	CommentFields = Fields[Comment]{
		"comment_id":   func(c *Comment) any { return &c.ID },
		"post_id":      func(c *Comment) any { return &c.Post },
		"author_id":    func(c *Comment) any { return &c.Author.ID },
		"username":     func(c *Comment) any { return &c.Author.Username },
		"display_name": func(c *Comment) any { return &c.Author.DisplayName },
		"content":      func(c *Comment) any { return &c.Content },
		"updated_at":   func(c *Comment) any { return &c.UpdatedAt },
		"version":      func(c *Comment) any { return &c.Version },
		"edits":        func(c *Comment) any { return &c.Version },
		"parent_id":    func(c *Comment) any { return &c.Parent },
		"reply_path":   func(c *Comment) any { return &c.Path },
		"path":         func(c *Comment) any { return new(c.Place()) }, // of the key alone
	}
	GroupFields = Fields[Group]{
		"group_id":     func(g *Group) any { return &g.ID },
		"name":         func(g *Group) any { return &g.Name },
		"title":        func(g *Group) any { return &g.Title },
		"description":  func(g *Group) any { return &g.Description },
		"owner_id":     func(g *Group) any { return &g.Owner },
		"moderators":   func(g *Group) any { return &g.Moderators },
		"created_at":   func(g *Group) any { return &g.CreatedAt },
		"version":      func(g *Group) any { return &g.Version },
		"member_count": func(g *Group) any { return &g.Members },
	}
	FollowedFields = Fields[Followed]{
		"followed_id":    func(f *Followed) any { return &f.ID },
		"follower_count": func(f *Followed) any { return &f.Followers },
	}
	HomedFields = Fields[Homed]{
		"user_id":   func(h *Homed) any { return &h.User },
		"post_id":   func(h *Homed) any { return &h.Post },
		"author_id": func(h *Homed) any { return &h.Author },
	}
	ReactionFields = Fields[Reaction]{
		"post_id":      func(r *Reaction) any { return &r.Post },
		"user_id":      func(r *Reaction) any { return &r.User.ID },
		"username":     func(r *Reaction) any { return &r.User.Username },
		"display_name": func(r *Reaction) any { return &r.User.DisplayName },
		"liked":        func(r *Reaction) any { return &r.Stands },
		"liked_at":     func(r *Reaction) any { return &r.At },
		"year":         func(r *Reaction) any { return new(YearOf(r.Post.UUID)) }, // of the key alone

		"bookmarked":    func(r *Reaction) any { return &r.Stands },
		"bookmarked_at": func(r *Reaction) any { return &r.At },

		"followed_id": func(r *Reaction) any { return &r.Followed },
		"follows":     func(r *Reaction) any { return &r.Stands },
		"followed_at": func(r *Reaction) any { return &r.At },

		"group_id":  func(r *Reaction) any { return &r.Group },
		"shard":     func(r *Reaction) any { return new(MemberShard(r.User.ID)) }, // of the key alone
		"member":    func(r *Reaction) any { return &r.Stands },
		"joined_at": func(r *Reaction) any { return &r.At },
	}
)

// The subjects. A kind of reactions is one: [ReactionKind].
var (
	AboutUser    = &Subject{Table: UsersByID, fields: UserFields}
	AboutPost    = &Subject{Noun: "post", Table: PostsByID, Truth: PostTruth, fields: PostFields}
	AboutComment = &Subject{
		Table: CommentsByPost, Truth: CommentsTruth, Parent: AboutPost,
		Count:  func(p *Post) *Count { return &p.Comments },
		fields: CommentFields,
	}
	AboutGroup    = &Subject{Noun: "group", Table: GroupsByID, Truth: GroupTruth, fields: GroupFields}
	AboutClaim    = &Subject{}                                                       // of a user, on a text that no other may have
	AboutFollowed = &Subject{Noun: "user", Table: UsersByID, fields: FollowedFields} // a user, as one who is followed
	AboutHomed    = &Subject{fields: HomedFields}                                    // has no truth of its own
)

// Subjects lists those that have truths, each behind its parent.
var Subjects = func() []*Subject {
	all := []*Subject{AboutUser, AboutPost, AboutComment, AboutGroup}
	for _, k := range ReactionKinds {
		k.Reaction = k
		all = append(all, &k.Subject)
	}
	return all
}()

// The families of truths.
var (
	UserTruths  = &Family{Cell: 1, Truth: UserTruth, Row: true, Columns: wholeUser}
	PostText    = &Family{Cell: 1, Truth: PostTruth, Row: true, Columns: slices.Concat(Columns{fixedAuthor}, listedPost, feedPlace, counted, grouped)}
	PostContent = &Family{Cell: 2, Truth: PostTruth, Columns: Columns{content}} // apart, so that a like need not read it
	GroupText   = &Family{
		Cell: 1, Truth: GroupTruth, Row: true,
		Columns: Columns{
			{Name: "name", Type: TypeText, Fixed: true}, {Name: "owner_id", Type: TypeUser, Fixed: true}, {Name: "created_at", Type: TypeTime, Fixed: true},
			{Name: "title", Type: TypeText}, {Name: "description", Type: TypeOptionalText}, version,
			{Name: "moderators", Type: TypeOptionalText, Since: 16},
		},
	}
	CommentText = &Family{Cell: 1, Truth: CommentsTruth, Row: true, LeavesDead: true, Columns: slices.Concat(Columns{fixedAuthor, content, updatedAt, {Name: "edits", Type: TypeInt}}, reply)}
)

// The families of copies.
var (
	UsernameCard = &Family{Cell: 1, Truth: UserTruth, Row: true, Columns: wholeUser}
	EmailCard    = &Family{Cell: 1, Truth: UserTruth, Row: true, Columns: wholeUser}
	SubjectCard  = &Family{Cell: 1, Truth: UserTruth, Row: true, Columns: wholeUser}

	AuthorPost      = &Family{Cell: 1, Truth: PostTruth, Row: true, LeavesDead: true, Columns: slices.Concat(listedPost, feedPlace, counted, grouped)}
	AuthorPostsName = named(1)

	FeedPost             = &Family{Cell: 1, Truth: PostTruth, Row: true, LeavesDead: true, Columns: slices.Concat(Columns{authorID}, listedPost, counted, grouped)}
	GroupPost            = &Family{Cell: 1, Truth: PostTruth, Row: true, LeavesDead: true, Columns: slices.Concat(Columns{authorID}, listedPost, counted)}
	FeedPostCommentCount = commented(3)
	FeedPostLikeCount    = likes(4)

	OwnGroup = &Family{
		Cell: 1, Truth: GroupTruth, Row: true,
		Columns: Columns{
			{Name: "name", Type: TypeText}, {Name: "created_at", Type: TypeTime}, {Name: "title", Type: TypeText}, {Name: "description", Type: TypeOptionalText},
			version, {Name: "moderators", Type: TypeOptionalText, Since: 16},
		},
	}

	CommentName   = named(2)
	AuthorComment = &Family{
		Cell: 1, Truth: CommentsTruth, Row: true, LeavesDead: true,
		Columns: slices.Concat(Columns{postID, content, updatedAt, version}, reply),
	}

	PostLike = &Family{Cell: 1, Truth: LikesTruth, Row: true, Columns: Columns{liked}}
	UserLike = &Family{Cell: 1, Truth: LikesTruth, Row: true, Columns: Columns{likedAt}}
)

// The families of copies that stand in many tables, by their cells.
func named(cell byte) *Family {
	return &Family{Cell: cell, Truth: UserTruth, Columns: Columns{username, {Name: "display_name", Type: TypeOptionalText, Since: 11}}}
}
func commented(cell byte) *Family {
	return &Family{Cell: cell, Truth: CommentsTruth, Columns: Columns{commentCount}}
}
func likes(cell byte) *Family {
	return &Family{Cell: cell, Truth: LikesTruth, Columns: Columns{{Name: "like_count", Type: TypeCount}}}
}

// Declarations lists every table.
var Declarations = []*Declaration{
	{
		Table: UsersByID, Answer: Answer{"Q1", "viewer's account, author's other fields, node", "UserByID"},
		Holds:     "the truth of users",
		Partition: Columns{userID}, About: AboutUser,
		Truth:    []*Family{UserTruths},
		Embedded: Embedded{Prefix: 0x10},
	},
	userBy(UsersByUsername, usernameKey, UsernameCard, 0x11, "copy of the whole user",
		Answer{"Q1", "user(username), userPosts(username)", "UserByUsername"}),
	userBy(UsersByEmail, emailKey, EmailCard, 0x12, "copy of the whole user, of a verified address",
		Answer{"Q1", "`broadsheet user --email`", "UserByEmail"}),
	userBy(UsersBySubject, subjectKey, SubjectCard, 0x13, "copy of the whole user",
		Answer{"Q1", "viewer", "UserBySubject"}),
	{
		Table: PostsByID, Answer: Answer{"Q2", "post, a list's content", "PostByID"},
		Holds:     "the truth of posts; copies of names and counts",
		Partition: Columns{postID}, About: AboutPost,
		Truth:    []*Family{PostText, PostContent},
		Rows:     []*Family{named(3), commented(4), likes(5)},
		Embedded: Embedded{Prefix: 0x20},
		Gone:     Column{Name: "deleted_at", Type: TypeTime},
	},
	{
		Table: PostsByAuthor, Answer: Answer{"Q3", "userPosts, User.posts", "PostsByAuthor"},
		Holds:     "copies; the names are static",
		Partition: Columns{authorID, bucket}, Clustering: Columns{postID.newestFirst()}, About: AboutPost,
		Rows:     []*Family{AuthorPost, commented(2), likes(3)},
		Above:    []*Family{AuthorPostsName},
		List:     List{Cursors: "PS"},
		Embedded: Embedded{Prefix: 0x21},
	},
	{
		Table: CommentsByPost, Answer: Answer{"Q4", "comments, Post.comments", "CommentsByPost"},
		Holds:     "the truth of comments, their count static; copies of names",
		Partition: Columns{postID, bucket}, Clustering: Columns{commentID.newestFirst()}, About: AboutComment,
		Truth: []*Family{CommentText},
		Rows:  []*Family{CommentName},
		List: List{
			Cursors: "CO",
			Above:   Columns{commentCount, {Name: "stamp", Type: TypeStamp}, {Name: "closed", Type: TypeBool}, {Name: "comment_rows", Type: TypeInt}},
		},
		Embedded: Embedded{Prefix: 0x30},
		Gone:     Column{Name: "closed", Type: TypeBool},
	},
	{
		Table: CommentsByAuthor, Answer: Answer{"Q4", "User.comments", "CommentsByAuthor"},
		Holds:     "copies; the names are static",
		Partition: Columns{authorID, bucket}, Clustering: Columns{commentID.newestFirst()}, About: AboutComment,
		Rows:     []*Family{AuthorComment},
		Above:    []*Family{named(1)},
		List:     List{Cursors: "AE"},
		Embedded: Embedded{Prefix: 0x31},
	},
	{
		Table: CommentsByPostAndAuthor, Answer: Answer{"Q4", "comments(authorId), Post.comments(authorId)", "CommentsByPostAndAuthor"},
		Holds:     "copies",
		Partition: Columns{postID, bucket}, Clustering: Columns{authorID, commentID.newestFirst()}, About: AboutComment,
		Rows: []*Family{
			{Cell: 1, Truth: CommentsTruth, Row: true, LeavesDead: true, Columns: slices.Concat(Columns{content, updatedAt, version}, reply)}, named(2),
		},
		List:     List{Cursors: "BD", Under: 1},
		Embedded: Embedded{Prefix: 0x32, Since: 2},
	},
	{
		Table: CommentsByThread, Answer: Answer{"–", "threads, thread", "CommentsByThread"},
		Holds:     "copies",
		Partition: Columns{postID, bucket}, Clustering: Columns{{Name: "path", Type: TypePath}}, About: AboutComment,
		Rows: []*Family{
			{Cell: 1, Truth: CommentsTruth, Row: true, LeavesDead: true, Columns: Columns{authorID, {Name: "parent_id", Type: TypeComment, Fixed: true}, content, updatedAt, version}}, named(2),
		},
		List:     List{Cursors: "cd"},
		Embedded: Embedded{Prefix: 0x33, Since: 16},
	},
	{
		Table: LikesByPost, Answer: Answer{"Q5", "likes, Post.likes", "LikesByPost"},
		Holds:     "copies; the count is static",
		Partition: Columns{postID, bucket}, Clustering: Columns{likedAt.newestFirst(), userID.newestFirst()}, About: &Likes.Subject,
		Rows:     []*Family{PostLike, named(2)},
		Above:    []*Family{likes(1)},
		List:     List{Cursors: "LM"},
		Embedded: Embedded{Prefix: 0x40},
	},
	{
		Table: LikesByUser, Answer: Answer{"Q5", "viewerHasLiked", "LikedPosts"},
		Holds:     "copies; on Cassandra their key may [change](docs/adr/0080-a-live-table-changes-its-key.md)",
		Partition: Columns{userID, bucket}, Clustering: Columns{postID}, About: &Likes.Subject,
		Rows:     []*Family{UserLike},
		Embedded: Embedded{Prefix: 0x41, Descending: true},
	},
	{
		Table: LikesByUserAndYear, Holds: "copies", Replaces: LikesByUser,
		Partition: Columns{userID, {Name: "year", Type: TypeInt}}, Clustering: Columns{postID}, About: &Likes.Subject,
		Rows: []*Family{{Cell: 1, Truth: LikesTruth, Row: true, Columns: Columns{likedAt}}},
	},
	{
		Table: LikesByUserAndTime, Answer: Answer{"Q5", "User.likes", "LikesByUser"},
		Holds:     "copies",
		Partition: Columns{userID, bucket}, Clustering: Columns{likedAt.newestFirst(), postID.newestFirst()}, About: &Likes.Subject,
		Rows:     []*Family{{Cell: 1, Truth: LikesTruth, Row: true, Columns: Columns{liked}}},
		List:     List{Cursors: "UV"},
		Embedded: Embedded{Prefix: 0x42, Since: 9},
	},
	{
		Table: BookmarksByUser, Answer: Answer{"–", "viewerHasBookmarked", "BookmarkedPosts"},
		Holds:     "copies",
		Partition: Columns{userID, bucket}, Clustering: Columns{postID}, About: &Bookmarks.Subject,
		Rows:     []*Family{{Cell: 1, Truth: BookmarksTruth, Row: true, Columns: Columns{bookmarkedAt}}},
		Embedded: Embedded{Prefix: 0x43, Since: 12},
	},
	{
		Table: BookmarksByUserAndTime, Answer: Answer{"–", "User.bookmarks", "BookmarksByUser"},
		Holds:     "copies",
		Partition: Columns{userID, bucket}, Clustering: Columns{bookmarkedAt.newestFirst(), postID.newestFirst()}, About: &Bookmarks.Subject,
		Rows:     []*Family{{Cell: 1, Truth: BookmarksTruth, Row: true, Columns: Columns{bookmarked}}},
		List:     List{Cursors: "KW"},
		Embedded: Embedded{Prefix: 0x44, Since: 12},
	},
	{
		Table: FollowersByUser, Answer: Answer{"–", "User.followers, User.followerCount", "FollowersByUser"},
		Holds:     "copies; the count is static",
		Partition: Columns{followedID, bucket}, Clustering: Columns{followedAt.newestFirst(), userID.newestFirst()}, About: &Follows.Subject,
		Rows:     []*Family{{Cell: 1, Truth: FollowsTruth, Row: true, Columns: Columns{follows}}, named(2)},
		Above:    []*Family{{Cell: 1, Truth: FollowsTruth, Columns: Columns{{Name: "follower_count", Type: TypeCount}}}},
		List:     List{Cursors: "HN"},
		Embedded: Embedded{Prefix: 0x45, Since: 13},
	},
	{
		Table: FollowsByUser, Answer: Answer{"–", "viewerFollows", "FollowedUsers"},
		Holds:     "copies",
		Partition: Columns{userID, bucket}, Clustering: Columns{followedID}, About: &Follows.Subject,
		Rows:     []*Family{{Cell: 1, Truth: FollowsTruth, Row: true, Columns: Columns{followedAt}}},
		Embedded: Embedded{Prefix: 0x46, Since: 13},
	},
	{
		Table: FollowsByUserAndTime, Answer: Answer{"–", "User.following", "FollowsByUser"},
		Holds:     "copies",
		Partition: Columns{userID, bucket}, Clustering: Columns{followedAt.newestFirst(), followedID.newestFirst()}, About: &Follows.Subject,
		Rows:     []*Family{{Cell: 1, Truth: FollowsTruth, Row: true, Columns: Columns{follows}}},
		List:     List{Cursors: "IQ"},
		Embedded: Embedded{Prefix: 0x47, Since: 13},
	},
	{
		Table: HomeByUser, Answer: Answer{"–", "home", "HomeByUser"},
		Holds:     "references to posts",
		Partition: Columns{userID, bucket}, Clustering: Columns{postID.newestFirst()}, About: AboutHomed,
		Rows:     []*Family{{Cell: 1, Truth: HomeTruth, Row: true, Columns: Columns{fixedAuthor}}},
		List:     List{Cursors: "RT"},
		Embedded: Embedded{Prefix: 0x48, Since: 14},
	},
	{
		Table: FeedByBucket, Answer: Answer{"Q6", "feed", "Feed"},
		Holds:      "copies",
		Partition:  Columns{{Name: "bucket", Type: TypeText}, {Name: "shard", Type: TypeInt}},
		Clustering: Columns{postID.newestFirst()}, About: AboutPost,
		Rows:     []*Family{FeedPost, named(2), FeedPostCommentCount, FeedPostLikeCount},
		List:     List{Cursors: "FG"},
		Embedded: Embedded{Prefix: 0x22},
	},

	{
		Table: GroupsByID, Answer: Answer{"–", "group, node", "GroupByID"},
		Holds:     "the truth of groups",
		Partition: Columns{groupID}, About: AboutGroup,
		Truth:    []*Family{GroupText},
		Embedded: Embedded{Prefix: 0x60, Since: 15},
	},
	{
		Table: GroupsByOwner, Answer: Answer{"–", "User.ownGroups", "GroupsByOwner"},
		Holds:     "copies",
		Partition: Columns{ownerID, bucket}, Clustering: Columns{groupID}, About: AboutGroup,
		Rows:     []*Family{OwnGroup},
		Embedded: Embedded{Prefix: 0x64, Since: 15},
	},
	{
		Table: PostsByGroup, Answer: Answer{"–", "Group.posts", "PostsByGroup"},
		Holds:     "copies",
		Partition: Columns{groupID, bucket}, Clustering: Columns{postID.newestFirst()}, About: AboutPost,
		Rows:     []*Family{GroupPost, named(2), commented(3), likes(4)},
		List:     List{Cursors: "ef"},
		Embedded: Embedded{Prefix: 0x67, Since: 16},
	},
	{
		Table: MembersByGroup, Answer: Answer{"–", "Group.members", "MembersByGroup"},
		Holds:     "copies",
		Partition: Columns{groupID, {Name: "shard", Type: TypeInt}}, Clustering: Columns{userID.newestFirst()}, About: &Members.Subject,
		Rows:     []*Family{{Cell: 1, Truth: MembersTruth, Row: true, Columns: Columns{joinedAt}}, named(2)},
		List:     List{Cursors: "ab"},
		Embedded: Embedded{Prefix: 0x66, Since: 15},
	},
	{
		Table: NewestMembersByGroup, Answer: Answer{"–", "Group.newestMembers, Group.memberCount", "NewestMembersByGroup"},
		Holds:     "copies; the count is static",
		Partition: Columns{groupID, bucket}, Clustering: Columns{joinedAt.newestFirst(), userID.newestFirst()}, About: &Members.Subject,
		Rows:     []*Family{{Cell: 1, Truth: MembersTruth, Row: true, Columns: Columns{member}}, named(2)},
		Above:    []*Family{{Cell: 1, Truth: MembersTruth, Columns: Columns{{Name: "member_count", Type: TypeCount}}}},
		List:     List{Cursors: "JX"},
		Embedded: Embedded{Prefix: 0x61, Since: 15},
	},
	{
		Table: GroupsByUser, Answer: Answer{"–", "viewerIsMember", "JoinedGroups"},
		Holds:     "copies",
		Partition: Columns{userID, bucket}, Clustering: Columns{groupID}, About: &Members.Subject,
		Rows:     []*Family{{Cell: 1, Truth: MembersTruth, Row: true, Columns: Columns{joinedAt}}},
		Embedded: Embedded{Prefix: 0x62, Since: 15},
	},
	{
		Table: GroupsByUserAndTime, Answer: Answer{"–", "User.groups", "GroupsByUser"},
		Holds:     "copies",
		Partition: Columns{userID, bucket}, Clustering: Columns{joinedAt.newestFirst(), groupID.newestFirst()}, About: &Members.Subject,
		Rows:     []*Family{{Cell: 1, Truth: MembersTruth, Row: true, Columns: Columns{member}}},
		List:     List{Cursors: "YZ"},
		Embedded: Embedded{Prefix: 0x63, Since: 15},
	},

	{Table: FeedBuckets},
	{Table: Gaps},
	{
		Table: LikeClaims, Holds: "the truth of likes, their count static",
		Partition: Columns{postID, bucket}, Clustering: Columns{userID}, About: &Likes.Subject,
		Truth:    []*Family{{Cell: 1, Truth: LikesTruth, Row: true, Columns: Columns{liked, likedAt}}}, // of one that was taken back, too
		Embedded: Embedded{Prefix: 0x50, Descending: true},
	},
	{
		Table: BookmarkClaims, Holds: "the truth of bookmarks, their count static",
		Partition: Columns{postID, bucket}, Clustering: Columns{userID}, About: &Bookmarks.Subject,
		Truth:    []*Family{{Cell: 1, Truth: BookmarksTruth, Row: true, Columns: Columns{bookmarked, bookmarkedAt}}},
		Embedded: Embedded{Prefix: 0x59, Since: 12},
	},
	{
		Table: FollowClaims, Holds: "the truth of follows, their count static",
		Partition: Columns{followedID, bucket}, Clustering: Columns{userID}, About: &Follows.Subject,
		Truth:    []*Family{{Cell: 1, Truth: FollowsTruth, Row: true, Columns: Columns{follows, followedAt}}},
		Embedded: Embedded{Prefix: 0x5A, Since: 13},
	},
	{
		Table: MemberClaims, Holds: "the truth of groups' members, their count static",
		Partition: Columns{groupID, bucket}, Clustering: Columns{userID}, About: &Members.Subject,
		Truth:    []*Family{{Cell: 1, Truth: MembersTruth, Row: true, Columns: Columns{member, joinedAt}}},
		Embedded: Embedded{Prefix: 0x65, Since: 15},
	},
	claims(UsernameClaims, usernameKey, 0x51, "who owns a username"),
	claims(EmailClaims, emailKey, 0x52, "who has verified an e-mail address"),
	claims(SubjectClaims, subjectKey, 0x53, "which account acts for a subject"),
	{Table: IdempotencyKeys},
	{Table: Journal},
	{Table: Checkpoints},
	{Table: ChangesByLog},
	{Table: ChangeLogs},
	{Table: ChangeLogEnds},
	{Table: ChangeClaims},
	{Table: Leases},
}

// userBy declares a table that finds a user by a unique key.
func userBy(table Table, key Column, card *Family, prefix byte, holds string, answer Answer) *Declaration {
	return &Declaration{
		Table: table, Answer: answer, Holds: holds,
		Partition: Columns{key}, Clustering: Columns{userID}, KeyMoves: true, About: AboutUser,
		Rows:     []*Family{card},
		Embedded: Embedded{Prefix: prefix, Descending: true},
	}
}

// claims declares a table of the claims on a unique key.
func claims(table Table, key Column, prefix byte, holds string) *Declaration {
	return &Declaration{
		Table: table, Holds: holds, Partition: Columns{key}, About: AboutClaim, Embedded: Embedded{Prefix: prefix},
	}
}
