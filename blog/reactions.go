package blog

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"strings"
	"time"
)

// ReactionKind is a kind of reactions of users to posts, to users, or to groups, and all that is said about the kind, once: a user
// reacts to a parent at most once, a parent's reactions are counted exactly and listed, newest first, and a parent tells
// whether a user reacted to it. One that is taken back and given again keeps its first time. Of a private kind none but
// the user itself learns: it has no ByParent, no ID, and no copies of its count.
//
// The reactions to one parent are one truth: the claims of users, in a counted partition. A kind has three tables, and a
// count in each that lists its parents where those are posts. docs/adding.md says how a kind is added.
type ReactionKind struct {
	Subject        // whose table has the claims
	Name    string // "like". Its mutations are likePost and unlikePost
	Back    string // of the mutation that takes one back, "leave"; empty: "un" and the name
	Them    string // several
	ID      byte   // the first of an id's, with clients for ever; 0 of a kind whose reactions have none
	Most    int    // of one parent

	ByParent, ByUserAndTime Table // the parent's list, empty of a private kind, and the user's own, both by time
	ByUser                  Table // the user's by parent

	Given, TakenBack ChangeKind

	// Some is the query of [Queries] that reads some of a user's list.
	Some func(ctx context.Context, q Queries, user UserID, to []UUID) (map[UUID]Reaction, error)
}

// Likes are a post's likes.
var Likes = &ReactionKind{
	Subject: Subject{
		Table: LikeClaims, Truth: LikesTruth, Parent: AboutPost,
		Count:  func(p *Post) *Count { return &p.Likes },
		fields: ReactionFields,
	},
	Name: "like", Them: "likes", ID: 'l', Most: MaxLikesOfPost, ByParent: LikesByPost, ByUser: LikesByUser, ByUserAndTime: LikesByUserAndTime,
	Given: PostLiked, TakenBack: PostUnliked,
	Some: func(ctx context.Context, q Queries, user UserID, posts []UUID) (map[UUID]Reaction, error) {
		return q.LikedPosts(ctx, user, posts)
	},
}

// Bookmarks are posts that a user keeps for itself.
var Bookmarks = &ReactionKind{
	Subject: Subject{
		Table: BookmarkClaims, Truth: BookmarksTruth, Parent: AboutPost,
		Count:  func(p *Post) *Count { return &p.Bookmarks },
		fields: ReactionFields,
	},
	Name: "bookmark", Them: "bookmarks", Most: MaxBookmarksOfPost, ByUser: BookmarksByUser, ByUserAndTime: BookmarksByUserAndTime,
	Given: PostBookmarked, TakenBack: PostUnbookmarked,
	Some: func(ctx context.Context, q Queries, user UserID, posts []UUID) (map[UUID]Reaction, error) {
		return q.BookmarkedPosts(ctx, user, posts)
	},
}

// Follows are users' of users.
var Follows = &ReactionKind{
	Subject: Subject{Table: FollowClaims, Truth: FollowsTruth, Parent: AboutFollowed, fields: ReactionFields},
	Name:    "follow", Them: "followers", Most: MaxFollowersOfUser, ByParent: FollowersByUser, ByUser: FollowsByUser, ByUserAndTime: FollowsByUserAndTime,
	Given: UserFollowed, TakenBack: UserUnfollowed,
	Some: func(ctx context.Context, q Queries, user UserID, users []UUID) (map[UUID]Reaction, error) {
		return q.FollowedUsers(ctx, user, users)
	},
}

// Members are users who have joined a group.
var Members = &ReactionKind{
	Subject: Subject{Table: MemberClaims, Truth: MembersTruth, Parent: AboutGroup, fields: ReactionFields},
	Name:    "join", Back: "leave", Them: "members", Most: MaxMembersOfGroup, ByParent: NewestMembersByGroup, ByUser: GroupsByUser, ByUserAndTime: GroupsByUserAndTime,
	Given: GroupJoined, TakenBack: GroupLeft,
	Some: func(ctx context.Context, q Queries, user UserID, groups []UUID) (map[UUID]Reaction, error) {
		return q.JoinedGroups(ctx, user, groups)
	},
}

// MemberShards is how many partitions hold the members of one group: it is in keys for ever.
const MemberShards = 4

// MemberShard returns in which of them a user stands.
func MemberShard(user UserID) int {
	h := fnv.New32a()
	_, _ = h.Write(user.UUID[:])
	return int(h.Sum32() % MemberShards)
}

// FirstYear is that of what was made in any year before, too.
const FirstYear = 2024

// YearOf returns the year in which an id was made, in UTC: it is in keys for ever.
func YearOf(id UUID) int { return max(FirstYear, id.Time().UTC().Year()) }

// ReactionKinds lists every kind.
var ReactionKinds = []*ReactionKind{Likes, Bookmarks, Follows, Members}

// Private reports whether none but the user learns of its reaction.
func (k *ReactionKind) Private() bool { return k.ByParent == "" }

// Private reports whether the change is of a private kind of reactions.
func (c ChangeKind) Private() bool {
	return slices.ContainsFunc(ReactionKinds, func(k *ReactionKind) bool { return k.Private() && (c == k.Given || c == k.TakenBack) })
}

// GivenBy is the mutation that gives a reaction of the kind.
func (k *ReactionKind) GivenBy() string { return k.Name + k.Parent.title() }

// TakenBackBy is the mutation that takes one back.
func (k *ReactionKind) TakenBackBy() string {
	if k.Back != "" {
		return k.Back + k.Parent.title()
	}
	return "un" + k.GivenBy()
}

func (s *Subject) title() string { return strings.ToUpper(s.Noun[:1]) + s.Noun[1:] }

// TruthFamily is that of the claims.
func (k *ReactionKind) TruthFamily() *Family { return k.Table.Declaration().Truth[0] }

// Full is [ErrFull] where a parent would have so many reactions of the kind, else nil.
func (k *ReactionKind) Full(field string, n, _ int) error {
	if n > k.Most {
		return ErrFull(k.Parent, field, k.Them, k.Most)
	}
	return nil
}

// ReactionTo returns the kind that a mutation gives or takes back; nil where it does neither.
func ReactionTo(mutation string) (of *ReactionKind, given bool) {
	for _, k := range ReactionKinds {
		if mutation == k.GivenBy() || mutation == k.TakenBackBy() {
			return k, mutation == k.GivenBy()
		}
	}
	return nil, false
}

// CountAs takes over another's counts.
func (p *Post) CountAs(other Post) {
	for _, table := range AboutPost.Counted() {
		*p.CountOf(table) = *other.CountOf(table)
	}
}

// CountOf returns where the post has the count of a table that counts rows.
func (p *Post) CountOf(counted Table) *Count { return counted.about().Count(p) }

// about returns what rows of the table are about; empty: a store's own.
func (t Table) about() Subject {
	if d := t.Declaration(); d != nil && d.About != nil {
		return *d.About
	}
	return Subject{}
}

// Reaction returns the kind of which the table holds the claims or a list; nil where it holds none.
func (t Table) Reaction() *ReactionKind { return t.about().Reaction }

// CountedTables are the tables of truths that are counted partitions: of comments, and of each kind's claims.
var CountedTables = slices.Concat(AboutPost.Counted(), AboutFollowed.Counted(), AboutGroup.Counted())

// Counted are those of [CountedTables] that count what is below one of the subject.
func (s *Subject) Counted() []Table { return counts[s] }

var counts = func() map[*Subject][]Table {
	all := map[*Subject][]Table{}
	for _, s := range Subjects {
		if s.Parent != nil {
			all[s.Parent] = append(all[s.Parent], s.Table)
		}
	}
	return all
}()

// CountsRows reports whether the table is one of [CountedTables].
func (t Table) CountsRows() bool { return slices.Contains(CountedTables, t) }

// Reaction is one user's reaction to one post, one user, or one group.
type Reaction struct {
	Post PostID    // zero where it is to a user
	User Author    // whose it is
	At   time.Time // when this user first reacted so; UTC, whole milliseconds

	Stands   bool       // it was not taken back
	Followed FollowedID // zero where it is to none
	Group    GroupID    // likewise
}

// Followed is a user as one who is followed.
type Followed struct {
	ID        FollowedID
	Followers Count
}

// By returns a user's reaction of the kind to a parent.
func (k *ReactionKind) By(user Author, to UUID, at time.Time, stands bool) Reaction {
	r := Reaction{User: user, At: at, Stands: stands}
	switch k.Parent {
	case AboutPost:
		r.Post = PostID{to}
	case AboutFollowed:
		r.Followed = FollowedID{to}
	case AboutGroup:
		r.Group = GroupID{to}
	}
	return r
}

// To returns the id of what it is a reaction to.
func (r Reaction) To() UUID { return cmp.Or(r.Post.UUID, r.Followed.UUID, r.Group.UUID) }

// Parent returns what it is a reaction to, as far as is known by its id alone.
func (r Reaction) Parent() Parent {
	switch {
	case !r.Followed.IsZero():
		return r.Followed
	case !r.Group.IsZero():
		return r.Group
	}
	return PostRef{ID: r.Post}
}

// Position returns the reaction's place in its parent's list.
func (r Reaction) Position() ReactionPosition { return ReactionPosition{r.At, r.User.ID.UUID} }

// OwnPosition returns the reaction's place in its user's list.
func (r Reaction) OwnPosition() ReactionPosition { return ReactionPosition{r.At, r.To()} }

// Key returns the name of the reaction, which is of a kind.
func (r Reaction) Key(of *ReactionKind) ReactionKey {
	return ReactionKey{Of: of, To: r.To(), User: r.User.ID}
}

// Same returns the reaction, of what holds one.
func (r Reaction) Same() Reaction { return r }

// Reacted is a reaction as a type of its kind has it.
type Reacted interface {
	Key() ReactionKey
	Same() Reaction
}

// Like is a reaction of [Likes].
type Like struct{ Reaction }

// Key returns the name of the like.
func (l Like) Key() ReactionKey { return l.Reaction.Key(Likes) }

// ReactionKey names a reaction: one user has one of a kind to one parent at most.
type ReactionKey struct {
	Of   *ReactionKind
	To   UUID // of the parent
	User UserID
}

// ReactionPosition is a reaction's place in its parent's list, or in its user's, which it keeps for ever.
type ReactionPosition struct {
	At time.Time // UTC, whole milliseconds
	ID UUID      // of the user in a parent's list, of the parent in a user's
}

// Compare returns -1, 0 or +1: by time, then by id. The list runs the other way.
func (p ReactionPosition) Compare(q ReactionPosition) int {
	return cmp.Or(p.At.Compare(q.At), p.ID.Compare(q.ID))
}

// ReactionPage is a page of a parent's reactions, or of a user's own.
type ReactionPage struct {
	Page[Reaction]
	Count Count // of all of the kind to the parent; of a user's own there is none
}

// CopiesOfReaction returns the rows of a reaction that stands, or was taken back: their deletions; none, where it was
// never given. stamp is that of the parent's reactions of the kind. The names beside them are [NameOfReaction]'s.
func CopiesOfReaction(of *ReactionKind, r Reaction, stamp int64) []Copy {
	if r.At.IsZero() {
		return nil
	}
	rows := following(of.Truth, &of.Subject, &r, stamp)
	if !r.Stands {
		rows = deletions(rows)
	}
	return rows
}

// LostReaction returns what becomes of a user's own rows of a reaction when its parent is gone for ever. at is when it
// was first given, zero where a damaged truth does not say; stamp a [DeletionStamp].
func LostReaction(key ReactionKey, at time.Time, stamp int64) []Copy {
	r := key.Of.By(Author{ID: key.User}, key.To, at, false)
	return slices.DeleteFunc(deletions(following(key.Of.Truth, &key.Of.Subject, &r, stamp)), func(c Copy) bool {
		return c.Family.Table.Declaration().BelowParent() || at.IsZero() && c.Family.Table == key.Of.ByUserAndTime
	})
}

// NameOfReaction returns the copy of the names beside a reaction that stands.
func NameOfReaction(of *ReactionKind, to UUID, at time.Time, user Name) []Copy {
	r := of.By(user.Author(), to, at, true)
	return following(UserTruth, &of.Subject, &r, user.Stamp, user.copied()...)
}
