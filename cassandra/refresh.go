package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/truth"
)

// refreshPost writes the rows that list a post, with its author's name and its counts.
func (s *Store) refreshPost(ctx context.Context, p blog.Post) error {
	var comments, likes counted.Header
	err := cql.Concurrently(
		func() (err error) { comments, err = s.truths.Comments.HeaderSerial(ctx, p.ID); return err },
		func() (err error) { likes, err = s.truths.Likes.HeaderSerial(ctx, p.ID); return err },
	)
	if err != nil {
		return err
	}
	p.Comments, p.Likes = comments.Count(), likes.Count()
	return s.follow.refresh(ctx, ofPost(p, blog.Name{User: p.Author.ID}))
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
	return s.follow.refresh(ctx, ofComment(state, blog.Name{User: author}))
}

// refreshLike writes the post's count, and a like's rows, or those of one that was taken back. The
// name beside a like that was given again is above its row's deletion: the like was given only
// after the user's stamp had been raised there.
func (s *Store) refreshLike(ctx context.Context, ref blog.PostRef, user blog.UserID, like truth.Like, above counted.Header) error {
	state := blog.LikeState{Ref: ref, User: user, LikedAt: like.LikedAt, Stands: like.Liked, Count: above.Count()}
	return s.follow.refresh(ctx, s.follow.ofLike(state, blog.Name{User: user}))
}
