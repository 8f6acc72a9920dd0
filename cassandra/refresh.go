package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/tables"
)

// What follows here writes the copies of one truth anew, from the truth alone: for
// whoever finds that they may lag. A truth is read at the serial consistency, in one
// statement with the stamp that its copies go at, so no copy is newer than its row; and
// copies converge by their stamps, so it does no harm that the truth is changed
// meanwhile, or that another does the same.

var (
	selectWholeComment = cql.On(blog.CommentsByPost, `SELECT author_id, content, updated_at, edits, recent_commands, comment_count, version, stamp, closed, comment_rows, comment_bytes FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id = ?`)
	selectWholeClaim   = cql.On(blog.LikeClaims, `SELECT liked, liked_at, like_count, version, stamp, closed FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id = ?`)
	selectLikeName     = cql.On(blog.LikesByPost, `SELECT username FROM likes_by_post WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`)
)

// writeNamed writes copies of a user's name. A rename may pass meanwhile, without meeting
// rows that are not written yet; so the name is read again after they are.
//
// still, where it is not nil, is asked after the name was read whether the row is wanted:
// whoever takes it back later reads the name after that, and deletes above it.
func (s *Store) writeNamed(ctx context.Context, user blog.UserID, copies func(blog.Name) []blog.Copy, still func(context.Context) (bool, error)) (blog.Name, error) {
	var renames cql.Contest
	name, err := s.userName(ctx, user)
	for err == nil {
		wanted := true
		if still != nil {
			wanted, err = still(ctx)
		}
		if err != nil || !wanted {
			break
		}
		if err = tables.Write(ctx, s.db, copies(name)); err != nil {
			break
		}
		written := name
		if name, err = s.userName(ctx, user); err != nil || name.Stamp == written.Stamp {
			break
		}
		err = renames.Pause(ctx)
	}
	return name, err
}

// refreshPost writes the rows that list a post, with its author's name and its counts.
func (s *Store) refreshPost(ctx context.Context, p blog.Post) error {
	ref := p.Ref()
	var comments, likes counted.Header
	err := cql.Concurrently(
		func() (err error) { comments, err = s.comments.HeaderSerial(ctx, p.ID); return err },
		func() (err error) { likes, err = s.likes.HeaderSerial(ctx, p.ID); return err },
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
	_, err = s.writeNamed(ctx, p.Author.ID, func(author blog.Name) []blog.Copy { return blog.NameOfPost(ref, author) }, nil)
	return err
}

// wholeComment is a comment with the header of its post's comments, as one statement read
// them. A comment that is not there has no content.
type wholeComment struct {
	blog.Comment
	by     history
	header counted.Header
}

func (w wholeComment) stands() bool { return w.Content != "" }

func (s *Store) wholeComment(ctx context.Context, key blog.CommentKey) (wholeComment, error) {
	w := wholeComment{Comment: blog.Comment{Post: key.Post, ID: key.Comment}}
	columns := append([]any{cql.Into(&w.Author.ID.UUID), &w.Content, &w.UpdatedAt, &w.Version, &w.by.recent}, w.header.Columns(true)...)
	err := s.db.OneSerial(ctx, selectWholeComment.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)), columns...)
	if err == cql.ErrAbsent {
		w.header, err = s.comments.HeaderSerial(ctx, key.Post)
	}
	return w, err
}

// refreshComment writes the post's count and a comment's rows, or where gone says that it
// was there and is no more, takes them down.
func (s *Store) refreshComment(ctx context.Context, ref blog.PostRef, w wholeComment, author blog.UserID, gone bool) error {
	state := blog.CommentState{Ref: ref, Count: w.header.Count()}
	switch {
	case w.stands():
		state.Comment, state.Stamp = w.Comment, w.header.Stamp
	case gone:
		name, err := s.userName(ctx, author)
		if err != nil {
			return err
		}
		w.Author.ID = author
		state.Comment, state.Gone = w.Comment, blog.DeletionStamp(s.clock, w.header.Stamp, name.Stamp)
	}
	copies := blog.CopiesOfComment(state)
	if err := tables.Write(ctx, s.db, copies); err != nil || !w.stands() {
		return err
	}
	if err := s.gaps.Uncover(ctx, s.gaps.Late(append(gap.Keys(copies, false), gap.CommentKey(w.Key())))); err != nil {
		return err
	}
	_, err := s.writeNamed(ctx, author, func(name blog.Name) []blog.Copy { return blog.NameOfComment(w.Key(), name) }, nil)
	return err
}

// wholeClaim is a like's claim with the header of its post's likes.
type wholeClaim struct {
	likeClaim
	header counted.Header
}

func (s *Store) wholeClaim(ctx context.Context, key blog.LikeKey) (wholeClaim, error) {
	var w wholeClaim
	err := s.db.OneSerial(ctx, selectWholeClaim.With(cql.ID(key.Post.UUID), cql.ID(key.User.UUID)), &w.liked, &w.likedAt,
		&w.header.Rows, &w.header.Version, &w.header.Stamp, &w.header.Closed)
	w.likedAt = w.likedAt.UTC()
	if err == cql.ErrAbsent {
		w.header, err = s.likes.HeaderSerial(ctx, key.Post)
	}
	return w, err
}

// refreshLike writes the post's count, and a like's rows, or those of one that was taken
// back.
func (s *Store) refreshLike(ctx context.Context, ref blog.PostRef, user blog.UserID, w wholeClaim) error {
	key := blog.LikeKey{Post: ref.ID, User: user}
	copies := blog.CopiesOfLike(blog.LikeState{Ref: ref, User: user, LikedAt: w.likedAt, Stands: w.liked, Count: w.header.Count()})
	if err := tables.Write(ctx, s.db, copies); err != nil || !w.liked {
		return err
	}
	return s.refreshLikeName(ctx, key, w.likedAt, w.header.Stamp)
}

// refreshLikeName writes the copy of the username beside a like. Where the like was
// taken back before and given again, the row's deletion may hide the copy: it went at the
// likes' stamp, and the user's may be older. The user's stamp is raised above it then.
func (s *Store) refreshLikeName(ctx context.Context, key blog.LikeKey, likedAt time.Time, floor int64) error {
	copies := func(name blog.Name) []blog.Copy { return blog.NameOfLike(key.Post, likedAt, name) }
	still := func(ctx context.Context) (bool, error) { return s.likeStands(ctx, key) }
	name, err := s.writeNamed(ctx, key.User, copies, still)
	if err != nil {
		return err
	}
	var shown string
	err = cql.AbsentIsZero(s.db.One(ctx, selectLikeName.With(cql.ID(key.Post.UUID), likedAt, cql.ID(key.User.UUID)), &shown))
	if err != nil || shown == name.Username {
		return err
	}
	if _, err = s.raiseStamp(ctx, key.User, max(floor, name.Stamp)); err != nil {
		return err
	}
	_, err = s.writeNamed(ctx, key.User, copies, still)
	return err
}

func (s *Store) likeStands(ctx context.Context, key blog.LikeKey) (bool, error) {
	w, err := s.wholeClaim(ctx, key)
	return w.liked && !w.header.Closed, err
}
