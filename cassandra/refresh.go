package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

// What follows here writes the copies of one truth anew, from the truth alone: for
// whoever finds that they may lag. A truth is read at the serial consistency, in one
// statement with the stamp that its copies go at, so no copy is newer than its row; and
// copies converge by their stamps, so it does no harm that the truth is changed
// meanwhile, or that another does the same.

var (
	selectLikeName = cql.On(blog.LikesByPost, `SELECT username FROM likes_by_post WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`)
)

// refreshPost writes the rows that list a post, with its author's name and its counts.
func (s *Store) refreshPost(ctx context.Context, p blog.Post) error {
	ref := p.Ref()
	var comments, likes counted.Header
	err := cql.Concurrently(
		func() (err error) { comments, err = s.truths.Comments.HeaderSerial(ctx, p.ID); return err },
		func() (err error) { likes, err = s.truths.Likes.HeaderSerial(ctx, p.ID); return err },
	)
	if err != nil {
		return err
	}
	p.Comments, p.Likes = comments.Count(), likes.Count()
	copies := blog.CopiesOfPost(blog.PostState{Post: p})
	if err := tables.Write(ctx, s.db, copies); err != nil {
		return err
	}
	if err := s.gaps.UncoverLate(ctx, copies); err != nil {
		return err
	}
	_, err = s.follow.writeNamed(ctx, p.Author.ID, func(author blog.Name) []blog.Copy { return blog.NameOfPost(ref, author) }, nil)
	return err
}

// refreshComment writes the post's count and a comment's rows, or where gone says that it
// was there and is no more, takes them down.
func (s *Store) refreshComment(ctx context.Context, ref blog.PostRef, c truth.Comment, above counted.Header, author blog.UserID, gone bool) error {
	state := blog.CommentState{Ref: ref, Count: above.Count()}
	switch {
	case c.Stands():
		state.Comment, state.Stamp = c.Comment, above.Stamp
	case gone:
		name, err := s.truths.Users.Name(ctx, author)
		if err != nil {
			return err
		}
		c.Author.ID = author
		state.Comment, state.Gone = c.Comment, blog.DeletionStamp(s.clock, above.Stamp, name.Stamp)
	}
	copies := blog.CopiesOfComment(state)
	if err := tables.Write(ctx, s.db, copies); err != nil || !c.Stands() {
		return err
	}
	if err := s.gaps.Uncover(ctx, s.gaps.Late(append(gap.Keys(copies, false), gap.CommentKey(c.Key())))); err != nil {
		return err
	}
	_, err := s.follow.writeNamed(ctx, author, func(name blog.Name) []blog.Copy { return blog.NameOfComment(c.Key(), name) }, nil)
	return err
}

// refreshLike writes the post's count, and a like's rows, or those of one that was taken
// back.
func (s *Store) refreshLike(ctx context.Context, ref blog.PostRef, user blog.UserID, like truth.Like, above counted.Header) error {
	key := blog.LikeKey{Post: ref.ID, User: user}
	copies := blog.CopiesOfLike(blog.LikeState{Ref: ref, User: user, LikedAt: like.LikedAt, Stands: like.Liked, Count: above.Count()})
	if err := tables.Write(ctx, s.db, copies); err != nil || !like.Liked {
		return err
	}
	return s.refreshLikeName(ctx, key, like.LikedAt, above.Stamp)
}

// refreshLikeName writes the copy of the username beside a like. Where the like was
// taken back before and given again, the row's deletion may hide the copy: it went at the
// likes' stamp, and the user's may be older. The user's stamp is raised above it then.
func (s *Store) refreshLikeName(ctx context.Context, key blog.LikeKey, likedAt time.Time, floor int64) error {
	copies := func(name blog.Name) []blog.Copy { return blog.NameOfLike(key.Post, likedAt, name) }
	still := func(ctx context.Context) (bool, error) { return s.truths.Likes.Stand(ctx, key) }
	name, err := s.follow.writeNamed(ctx, key.User, copies, still)
	if err != nil {
		return err
	}
	var shown string
	err = cql.AbsentIsZero(s.db.One(ctx, selectLikeName.With(cql.ID(key.Post.UUID), likedAt, cql.ID(key.User.UUID)), &shown))
	if err != nil || shown == name.Username {
		return err
	}
	if _, err = s.truths.Users.RaiseStamp(ctx, key.User, max(floor, name.Stamp)); err != nil {
		return err
	}
	_, err = s.follow.writeNamed(ctx, key.User, copies, still)
	return err
}
