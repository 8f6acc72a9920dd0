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
	err := cql.Concurrently(s.truths.Counts(&p, func(of truth.Counted, post blog.PostID) (counted.Header, error) { return of.HeaderSerial(ctx, post) })...)
	if err != nil {
		return err
	}
	return s.follow.refresh(ctx, s.follow.ofPost(p, blog.Name{User: p.Author.ID}))
}

// refreshComment writes the post's count and a comment's rows, or where gone says that it
// was there and is no more, takes them down.
func (s *Store) refreshComment(ctx context.Context, ref blog.PostRef, c truth.Comment, above counted.Header, author blog.UserID, gone bool) error {
	state := blog.CommentState{Ref: ref, Count: above.Count()}
	switch {
	case c.Stands():
		state.Comment, state.Stamp = c.Comment, above.Stamp
	case gone:
		account, err := s.truths.Users.Account(ctx, author)
		if err != nil {
			return err
		}
		c.Author.ID = author
		state.Comment, state.Gone = c.Comment, blog.DeletionStamp(s.clock, above.Stamp, account.Stamp)
	}
	return s.follow.refresh(ctx, s.follow.ofComment(state, blog.Name{User: author}))
}

// refreshReaction writes the post's count, and a reaction's rows, or those of one that was taken
// back. The name beside one that was given again is above its row's deletion: it was given only
// after the user's stamp had been raised there.
func (s *Store) refreshReaction(ctx context.Context, ref blog.PostRef, key blog.ReactionKey, claim truth.Reaction, above counted.Header) error {
	state := blog.ReactionState{Of: key.Of, Ref: ref, User: key.User, At: claim.At, Stands: claim.Stands, Count: above.Count()}
	return s.follow.refresh(ctx, s.follow.ofReaction(state, blog.Name{User: key.User}))
}
