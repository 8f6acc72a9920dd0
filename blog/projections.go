package blog

// Copy is a write that follows from a truth: the cells of one [Group] of one row,
// or that row's deletion. Applying copies in any order, any number of times, gives
// the same table, for of two writes of a cell the higher stamp wins.
//
// Key and Values stand in the order of the group's Key and Columns. Their Go types
// are UserID, PostID, CommentID, string, *string, int, bool and time.Time.
type Copy struct {
	Group  *Group
	Key    []any
	Values []any // nil: the row is deleted, or dead, as of Stamp
	Stamp  int64 // µs
}

// Deletes reports whether the copy is a row's deletion; what becomes of the row,
// [Group.LeavesDead] says.
func (c Copy) Deletes() bool { return c.Values == nil }

// values returns what a group holds of its truth.
func values[T any](g *Group, of *T) []any { return g.row.(Row[T]).Values(of) }

// GoneForEver is how far ahead of every clock the deletion of a row whose key
// never comes back is stamped, so that no late write outlives it: 2^36 µs, 19 hours.
const GoneForEver = 1 << 36

// DeletionStamp returns the stamp of such a deletion, made now.
func DeletionStamp(clock Clock, known ...int64) int64 {
	latest := clock.Now().UnixMicro()
	for _, stamp := range known {
		latest = max(latest, stamp)
	}
	return latest + GoneForEver
}

// CopiesOfUser returns all that follows from a user, after each of its edits: one row for
// each unique key, and the deletions of those that any of its former states had. Those keys
// may come back, so they go at the user's own stamp. Of one whose erasure has begun they are all
// deleted.
//
// renamed tells that the name beside posts, comments and likes may be another than the
// user's, and has to be written to each ([NameOfPost], [NameOfComment], [NameOfReaction]): so it
// is where a former name was shown otherwise, if only in another case, or is not known. The
// names that stand once above whole lists are among the copies then.
func CopiesOfUser(now User, former ...FormerNames) (copies []Copy, renamed bool) {
	for _, k := range UniqueKeys {
		if text := k.Of(now); text != "" {
			copied := Copy{k.Card, []any{text, now.ID}, nil, now.Stamp}
			if !now.IsErased() {
				copied.Values = values(k.Card, &now)
			}
			copies = append(copies, copied)
		}
	}
	for _, old := range former {
		renamed = renamed || old.Username != now.Username
	}
	copies = append(copies, RetiredKeys(now, former...)...)
	if renamed {
		copies = append(copies, NamesAboveLists(now.Name())...)
	}
	return copies, renamed
}

// RetiredKeys returns the deletions of a user's rows under those keys of its former states that it has
// no more; of one that was erased, that is all of them.
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

// PostState is what is known of a post when its copies are written.
type PostState struct {
	Post       // counts whose stamp is 0 are not known, or nothing was ever counted
	Gone int64 // the stamp of its deletion, a [DeletionStamp]; 0: it stands
}

// CopiesOfPost returns the rows that list a post, with the counts that are known, or where
// it is gone their deletions. The username beside them is [NameOfPost]'s.
func CopiesOfPost(s PostState) []Copy {
	ref := s.Ref()
	if s.Gone != 0 {
		return []Copy{{AuthorPost, ref.authorKey(), nil, s.Gone}, {FeedPost, ref.feedKey(), nil, s.Gone}}
	}
	copies := []Copy{
		{AuthorPost, ref.authorKey(), values(AuthorPost, &s.Post), s.Stamp},
		{FeedPost, ref.feedKey(), values(FeedPost, &s.Post), s.Stamp},
	}
	copies = append(copies, commentCounts(ref, s.Comments)...)
	for _, k := range ReactionKinds {
		copies = append(copies, k.counts(ref, *k.Count(&s.Post))...)
	}
	return copies
}

// commentCounts returns the copies of a post's number of comments; none where it is not
// known.
func commentCounts(ref PostRef, count Count) []Copy {
	if count.Stamp == 0 {
		return nil
	}
	return []Copy{
		{PostCommentCount, []any{ref.ID}, []any{count.N}, count.Stamp},
		{AuthorPostCommentCount, ref.authorKey(), []any{count.N}, count.Stamp},
		{FeedPostCommentCount, ref.feedKey(), []any{count.N}, count.Stamp},
	}
}

// CommentState is what is known of a comment when its copies are written.
type CommentState struct {
	Ref     PostRef // of its post; used with the count alone
	Comment Comment // without an author's id: there is none
	Stamp   int64   // of the post's comments, as of the comment's last change
	Count   Count   // of the post's comments; stamp 0: not known, or unchanged
	Gone    int64   // the stamp of its deletion, a [DeletionStamp]; 0: it stands
}

// CopiesOfComment returns the row that lists a comment among its author's, or its deletion,
// and the count that it changed. The username beside it is [NameOfComment]'s.
func CopiesOfComment(s CommentState) []Copy {
	counts := commentCounts(s.Ref, s.Count)
	c := s.Comment
	switch ofAuthor, onPost := []any{c.Author.ID, c.ID}, []any{c.Post, c.Author.ID, c.ID}; {
	case c.Author.ID.IsZero():
		return counts
	case s.Gone != 0:
		return append([]Copy{{AuthorComment, ofAuthor, nil, s.Gone}, {PostAuthorComment, onPost, nil, s.Gone}}, counts...)
	default:
		return append(counts,
			Copy{AuthorComment, ofAuthor, values(AuthorComment, &c), s.Stamp},
			Copy{PostAuthorComment, onPost, values(PostAuthorComment, &c), s.Stamp})
	}
}

// NameOfPost returns the copies of a post's author's username.
func NameOfPost(ref PostRef, author Name) []Copy {
	return []Copy{
		{PostName, []any{ref.ID}, []any{author.Username}, author.Stamp},
		{AuthorPostsName, []any{ref.Author}, []any{author.Username}, author.Stamp},
		{FeedPostName, ref.feedKey(), []any{author.Username}, author.Stamp},
	}
}

// NameOfComment returns the copies of a comment's author's username.
func NameOfComment(key CommentKey, author Name) []Copy {
	return []Copy{
		{CommentName, []any{key.Post, key.Comment}, []any{author.Username}, author.Stamp},
		{AuthorCommentsName, []any{author.User}, []any{author.Username}, author.Stamp},
		{PostAuthorCommentName, []any{key.Post, author.User, key.Comment}, []any{author.Username}, author.Stamp},
	}
}

// EmptyNameOfComment returns the empty text in place of the name in a dead comment's row, as of its
// deletion's stamp.
func EmptyNameOfComment(key CommentKey, gone int64) Copy {
	return Copy{CommentName, []any{key.Post, key.Comment}, []any{""}, gone}
}

// NamesAboveLists returns the copies of a username that stand once above a whole list of
// its user's.
func NamesAboveLists(author Name) []Copy {
	return []Copy{
		{AuthorPostsName, []any{author.User}, []any{author.Username}, author.Stamp},
		{AuthorCommentsName, []any{author.User}, []any{author.Username}, author.Stamp},
	}
}

// ErasedNames returns the deletions of the names above a user's lists, once the user is erased. stamp
// is a [DeletionStamp].
func ErasedNames(user UserID, stamp int64) []Copy {
	return []Copy{{AuthorPostsName, []any{user}, nil, stamp}, {AuthorCommentsName, []any{user}, nil, stamp}}
}

func (r PostRef) authorKey() []any { return []any{r.Author, r.ID} }

func (r PostRef) feedKey() []any { return []any{r.Feed.Bucket, r.Feed.Shard, r.ID} }
