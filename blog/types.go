package blog

import "time"

// User is an account. Its texts are nil where the user gave none.
type User struct {
	ID          UserID
	Subject     string // see [SubjectOf]; of the tokens that act for this account; an operator may change it
	Username    string // as its owner writes it; unique whatever the case
	DisplayName *string
	Bio         *string
	Email       *string // private: shown to its owner alone; where it is verified, unique whatever the case
	Version     int     // 1, then one more with each edit
	Stamp       int64   // the write time of its copies, µs

	RenamedAt time.Time // when its username was changed last, in whole milliseconds; zero: never
	Suspended bool      // it reads, and writes nothing
	ErasedAt  time.Time // when its erasure began, in whole milliseconds; zero: it stands
	Moderator bool      // its commands are a moderator's, whatever role they come with

	// VerifiedEmail is the key of the address that was proved to be the account's: [User.EmailVerified]. Empty:
	// none was. Nil: there is no address, or one that was given to a program which claimed each.
	VerifiedEmail *string
}

func (u User) CreatedAt() time.Time { return u.ID.Time() }

// Name returns what copies of the user hold.
func (u User) Name() Name {
	return Name{User: u.ID, Username: u.Username, DisplayName: u.DisplayName, Stamp: u.Stamp}
}

// Author is what a copy holds of the user who wrote or liked something.
type Author struct {
	ID          UserID
	Username    string
	DisplayName CopiedText // empty: the user has none
}

// CopiedText is a text that copies hold since a release: those of before lack it.
type CopiedText struct {
	Text  string
	Known bool
}

// User returns what the copy tells of the user; displayed: with the display name.
func (a Author) User(displayed bool) User {
	u := User{ID: a.ID, Username: a.Username}
	if displayed && a.DisplayName.Text != "" {
		u.DisplayName = new(a.DisplayName.Text)
	}
	return u
}

// Differs reports whether two copies tell of one user otherwise.
func (a Author) Differs(from Author) bool {
	shown, former := a.DisplayName, from.DisplayName
	return a.Username != from.Username || shown.Known && former.Known && shown != former
}

// Name is a user's names as of a stamp: the higher, the newer.
type Name struct {
	User        UserID
	Username    string
	DisplayName *string
	Stamp       int64
}

// Author returns the names without their stamp.
func (n Name) Author() Author {
	return Author{n.User, n.Username, CopiedText{deref(n.DisplayName), true}}
}

// copied returns what a copy holds, in the order of its columns.
func (n Name) copied() []any { return []any{n.Username, new(deref(n.DisplayName))} }

// Count is a number of rows as of a stamp: the higher, the newer.
type Count struct {
	N     int
	Stamp int64 // µs; 0: nothing was ever counted
}

// Newer returns the newer of two counts.
func (c Count) Newer(other Count) Count {
	if other.Stamp > c.Stamp {
		return other
	}
	return c
}

// FeedPlace is the part of the feed that a post stands in, from its creation for ever.
type FeedPlace struct {
	Bucket string // the time bucket's name; stores that need none use ""
	Shard  int
}

// Post is a post with its author's username and its counts.
type Post struct {
	ID        PostID
	Author    Author
	Title     string
	Excerpt   string // see [Excerpt]
	Content   string // empty in lists: their tables hold the excerpt only; see Queries.PostByID
	UpdatedAt time.Time
	Words     int   // see [WordCount]; 0 where it was last written before words were counted
	Version   int   // 1, then one more with each edit of title or content
	Stamp     int64 // the write time of its copies, µs; 0 in lists
	Feed      FeedPlace
	Group     GroupID // the group that it was published in; zero: none
	Comments  Count
	Likes     Count
	Bookmarks Count // of the truth alone: no copy has it
}

func (p Post) CreatedAt() time.Time { return p.ID.Time() }

// Summary is made as it is asked for, of the excerpt: kept, it would be in three tables, and read by all lists.
func (p Post) Summary() string { return Summary(p.Excerpt) }

// WordCount returns how many words the post has, nil where that is not known.
func (p Post) WordCount() *int {
	if p.Words == 0 {
		return nil
	}
	return &p.Words
}

func (p Post) CommentCount() int { return p.Comments.N }
func (p Post) LikeCount() int    { return p.Likes.N }

// Ref returns what is needed to find every copy of the post.
func (p Post) Ref() PostRef {
	return PostRef{ID: p.ID, Author: p.Author.ID, Feed: p.Feed, Group: p.Group}
}

// PostRef is what is needed to find every copy of a post. It never changes.
type PostRef struct {
	ID     PostID
	Author UserID
	Feed   FeedPlace
	Group  GroupID
}

// Comment is a comment on a post.
type Comment struct {
	Post      PostID
	ID        CommentID
	Author    Author
	Content   string
	UpdatedAt time.Time
	Version   int       // 1, then one more with each edit
	Parent    CommentID // that it is a reply to; zero: it is on the post itself
	Path      Path      // of a reply; else empty: see Place
}

// Place returns where the comment stands in its post's conversations.
func (c Comment) Place() Path {
	if c.Path == "" {
		return PathOf(c.ID)
	}
	return c.Path
}

// At returns the comment with its place, from which its id follows.
func (c Comment) At(place Path) Comment {
	if c.ID, c.Path = place.Comment(), place; place.Depth() == 0 {
		c.Path = ""
	}
	return c
}

// Depth is how many comments stand above it.
func (c Comment) Depth() int { return c.Path.Depth() }

// ParentID returns the name of what it is a reply to, nil where that is the post.
func (c Comment) ParentID() *CommentKey {
	if c.Parent.IsZero() {
		return nil
	}
	return &CommentKey{c.Post, c.Parent}
}

func (c Comment) CreatedAt() time.Time { return c.ID.Time() }

// Key returns the name of the comment.
func (c Comment) Key() CommentKey { return CommentKey{Post: c.Post, Comment: c.ID} }

// ThreadEntry is a comment in a conversation, or in the place of one that is gone, but has living replies below it.
type ThreadEntry struct {
	Post    PostID
	Path    Path
	Comment *Comment // nil: it is gone
}

// Depth is how many comments stand above it.
func (e ThreadEntry) Depth() int { return e.Path.Depth() }

// ParentID returns what it is a reply to, nil where that is the post.
func (e ThreadEntry) ParentID() *CommentKey {
	if e.Comment != nil {
		return e.Comment.ParentID()
	}
	above := e.Path.Above()
	if len(above) == 0 {
		return nil
	}
	return &CommentKey{e.Post, above[len(above)-1].Comment()}
}

// NextStamp returns the stamp of a change made now to a truth with a stamp: the time in µs, but always above that.
func NextStamp(clock Clock, prev int64) int64 { return max(clock.Now().UnixMicro(), prev+1) }

// Millisecond returns t as it is stored and shown: UTC, whole milliseconds.
func Millisecond(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Group is what users join. Its name is unique for ever, whatever the case, and never changes.
type Group struct {
	ID          GroupID
	Name        string // as its owner wrote it
	Title       string
	Description *string
	Owner       UserID  // who made it
	Moderators  *string // ids of users, a space between each: [Group.ModeratorIDs]; nil: none
	CreatedAt   time.Time
	Version     int   // 1, then one more with each edit
	Stamp       int64 // the write time of its truth, µs
	Members     Count // of the truth alone
}

// Homed is a post in the home of a user, that follows its author: a reference, which stays when the post is deleted, or
// its author is followed no more.
//
// It follows from two truths, so no stamp orders it: what is written is always the same, and nothing but the end of its
// user's account deletes it. A home has the posts that are written while their author is followed, and the newest
// [GatheredPosts] of before.
type Homed struct {
	User   UserID
	Post   PostID
	Author UserID
}
