package blog

// Copy is a write that follows from a truth: the cells of one [Family] of one row, or that row's deletion. Copies
// give the same table in whatever order and however often they are applied: the higher stamp of a cell wins.
//
// Key and Values stand in the order of the family's Key and Columns. Their Go types are UserID, PostID, CommentID,
// string, *string, int, bool, time.Time and Path.
type Copy struct {
	Family *Family
	Key    []any
	Values []any // nil: the row is deleted, or dead, as of Stamp
	Stamp  int64 // µs
}

// Deletes reports whether the copy is a row's deletion; what becomes of the row, [Family.LeavesDead] says.
func (c Copy) Deletes() bool { return c.Values == nil }

// GoneForEver is how far ahead of every clock the deletion of a row whose key never comes back is stamped, so that no
// late write outlives it: 2^36 µs, 19 hours.
const GoneForEver = 1 << 36

// DeletionStamp returns the stamp of such a deletion, made now.
func DeletionStamp(clock Clock, known ...int64) int64 {
	latest := clock.Now().UnixMicro()
	for _, stamp := range known {
		latest = max(latest, stamp)
	}
	return latest + GoneForEver
}

// CopiesOfUser returns all that follows from a user, after each of its edits: one row for each unique key, and the
// deletions of those that any of its former states had. Those keys may come back, so they go at the user's own
// stamp. Of one whose erasure has begun all are deleted.
//
// renamed tells that the name beside posts, comments and likes may be another, for a former one was shown otherwise,
// if only in another case, or is not known: it has to be written to each ([NameOfPost], [NameOfComment],
// [NameOfReaction]). The names that stand once above whole lists are among the copies then.
func CopiesOfUser(now User, former ...FormerNames) (copies []Copy, renamed bool) {
	for _, k := range UniqueKeys {
		if text := k.Of(now); text != "" {
			copied := Copy{k.Card, []any{text, now.ID}, nil, now.Stamp}
			if !now.IsErased() {
				copied.Values = k.Card.row.of(&now)
			}
			copies = append(copies, copied)
		}
	}
	for _, old := range former {
		renamed = renamed || old.Username != now.Username || old.DisplayName != deref(now.DisplayName)
	}
	copies = append(copies, RetiredKeys(now, former...)...)
	if renamed {
		copies = append(copies, NamesAboveLists(now.Name())...)
	}
	return copies, renamed
}

// RetiredKeys returns the deletions of a user's rows under those keys of its former states that it has no more.
func RetiredKeys(now User, former ...FormerNames) (copies []Copy) {
	for _, old := range former {
		for i, text := range old.RetiredBy(now) {
			if text != "" {
				copies = append(copies, Copy{UniqueKeys[i].Card, []any{text, now.ID}, nil, now.Stamp})
			}
		}
	}
	return copies
}

// CopiesOfPost returns the rows that list a post that stands, with the counts that are known: their stamp is not 0. The
// names beside them are [NameOfPost]'s.
func CopiesOfPost(p Post) []Copy {
	copies := following(PostTruth, AboutPost, &p, p.Stamp)
	for _, table := range AboutPost.Counted() {
		copies = append(copies, CopiesOfCount(table, p.Ref(), *p.CountOf(table))...)
	}
	return copies
}

// DeletionsOfPost returns the deletions of the rows that list a post, at a [DeletionStamp].
func DeletionsOfPost(p Post, stamp int64) []Copy {
	return deletions(following(PostTruth, AboutPost, &p, stamp))
}

// CopiesOfComment returns the rows that list a comment that stands; none, where it has no author. stamp is that of its
// post's comments as of its last change. The names beside them are [NameOfComment]'s.
func CopiesOfComment(c Comment, stamp int64) []Copy {
	if c.Author.ID.IsZero() {
		return nil
	}
	return following(CommentsTruth, AboutComment, &c, stamp)
}

// DeletionsOfComment returns the deletions of the rows that list a comment, at a [DeletionStamp].
func DeletionsOfComment(c Comment, stamp int64) []Copy { return deletions(CopiesOfComment(c, stamp)) }

// CopiesOfGroup returns the rows that list a group that stands.
func CopiesOfGroup(g Group) []Copy { return following(GroupTruth, AboutGroup, &g, g.Stamp) }

// DeletionsOfGroup returns the deletions of the rows that list a group, at a [DeletionStamp].
func DeletionsOfGroup(g Group, stamp int64) []Copy {
	return deletions(following(GroupTruth, AboutGroup, &g, stamp))
}

// NameOfPost returns the copies of a post's author's names.
func NameOfPost(ref PostRef, author Name) []Copy {
	return following(UserTruth, AboutPost, ref.post(), author.Stamp, author.copied()...)
}

// NameOfComment returns the copies of a comment's author's names. Of the comment its key and its path are needed.
func NameOfComment(c Comment, author Name) []Copy {
	c.Author = author.Author()
	return following(UserTruth, AboutComment, &c, author.Stamp, author.copied()...)
}

// EmptyNameOfComment returns the empty text in place of the name in a dead comment's row, as of its deletion's stamp.
func EmptyNameOfComment(key CommentKey, gone int64) Copy {
	return Copy{CommentName, []any{key.Post, key.Comment}, Name{}.copied(), gone}
}

// NamesAboveLists returns the copies of names that stand once above each of its user's lists.
func NamesAboveLists(author Name) (copies []Copy) {
	for _, g := range allFamilies {
		if g.Names() && g.Static() {
			copies = append(copies, Copy{g, []any{author.User}, author.copied(), author.Stamp})
		}
	}
	return copies
}

// ErasedNames returns the deletions of those, once the user is erased. stamp is a [DeletionStamp].
func ErasedNames(user UserID, stamp int64) []Copy {
	return deletions(NamesAboveLists(Name{User: user, Stamp: stamp}))
}

// CopiesOfHomed returns the row of a post in a home.
func CopiesOfHomed(h Homed) []Copy { return following(HomeTruth, AboutHomed, &h, h.Post.Stamp()) }

// Parent is where the copies of what is counted below a post, a user or a group stand.
type Parent interface{ subject() any }

func (r PostRef) subject() any     { return r.post() }
func (id FollowedID) subject() any { return &Followed{ID: id} }
func (id GroupID) subject() any    { return &Group{ID: id} }

// CopiesOfCount returns the copies of a parent's count, of a table that counts rows; none where it is not known.
func CopiesOfCount(counted Table, of Parent, count Count) []Copy {
	if count.Stamp == 0 {
		return nil
	}
	about := counted.about()
	return following(about.Truth, about.Parent, of.subject(), count.Stamp, count.N)
}

// following returns the copies of a truth about of: its rows, with its values, or what is given beside and above them.
func following(truth Truth, about *Subject, of any, stamp int64, given ...any) []Copy {
	copies := make([]Copy, 0, 4)
	for _, g := range allFamilies {
		if g.Truth == truth && g.about == about && g.Row == (given == nil) {
			copied := Copy{g, g.key.of(of), given, stamp}
			if group, grouped := copied.Key[0].(GroupID); grouped && group.IsZero() {
				continue // a post that is in none
			}
			if given == nil {
				copied.Values = g.row.of(of)
			}
			copies = append(copies, copied)
		}
	}
	return copies
}

// deletions makes copies the deletions of their rows.
func deletions(copies []Copy) []Copy {
	for i := range copies {
		copies[i].Values = nil
	}
	return copies
}

var allFamilies = Families()

// post returns the post as far as the keys of its rows need it.
func (r PostRef) post() *Post {
	return &Post{ID: r.ID, Author: Author{ID: r.Author}, Feed: r.Feed, Group: r.Group}
}
