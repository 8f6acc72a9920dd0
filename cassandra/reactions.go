package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// Reactions reads a page of a post's partition, or of a user's. The count of a post's is a static cell,
// as that of comments.
func (s *Store) Reactions(ctx context.Context, list blog.Table, page blog.PageRequest[blog.ReactionPosition], parent any) (blog.ReactionPage, error) {
	var count blog.Count
	rows, user, above := ownReactionListing(list, parent), (func(*blog.Reaction) *blog.Author)(nil), s.unlessFound(ctx, parent)
	if post, ofPost := parent.(blog.PostID); ofPost {
		rows, user, above = reactionListing(list, post, &count), reactionUser, func(rows int) error {
			if rows > 0 {
				return nil
			}
			p, err := s.postCounts(ctx, post)
			count = *list.Reaction().Count(&p)
			return err
		}
	}
	found, err := readPage(ctx, s, rows, reactionSpan(page), page, user, above)
	return blog.ReactionPage{Page: found, Count: count}, err
}

func reactionListing(list blog.Table, post blog.PostID, count *blog.Count) listing[blog.ReactionPosition, blog.Reaction] {
	return reactionsOf(list, post.UUID, func(row gocql.Scanner) (blog.ReactionPosition, blog.Reaction, bool, error) {
		r := blog.Reaction{Post: post}
		err := row.Scan(&r.At, cql.Into(&r.User.ID.UUID), &r.Stands, &r.User.Username, cql.IntoText(&r.User.DisplayName), &count.N, &count.Stamp)
		return r.Position(), r, r.Stands, err
	})
}

func ownReactionListing(list blog.Table, parent any) listing[blog.ReactionPosition, blog.Reaction] {
	user, _ := parent.(blog.UserID)
	return reactionsOf(list, user.UUID, func(row gocql.Scanner) (blog.ReactionPosition, blog.Reaction, bool, error) {
		r := blog.Reaction{User: blog.Author{ID: user}}
		err := row.Scan(&r.At, cql.Into(&r.Post.UUID), &r.Stands)
		return r.OwnPosition(), r, r.Stands, err
	})
}

func reactionsOf(list blog.Table, parent blog.UUID, row func(gocql.Scanner) (blog.ReactionPosition, blog.Reaction, bool, error)) listing[blog.ReactionPosition, blog.Reaction] {
	return listing[blog.ReactionPosition, blog.Reaction]{
		pages: tables.Lists[list], partition: []any{cql.ID(parent)}, next: afterReaction, row: row,
		bind: func(keys span[blog.ReactionPosition]) []any {
			return []any{keys.from.At, cql.ID(keys.from.ID), keys.to.At, cql.ID(keys.to.ID)}
		},
	}
}

// The bounds of all places in a list of reactions, far outside any clock.
var (
	firstAt = time.UnixMilli(-1 << 47)
	lastAt  = time.UnixMilli(1 << 48)
)

func reactionSpan(page blog.PageRequest[blog.ReactionPosition]) span[blog.ReactionPosition] {
	all := span[blog.ReactionPosition]{
		from: blog.ReactionPosition{At: firstAt, ID: blog.UUID(cql.FirstID)},
		to:   blog.ReactionPosition{At: lastAt, ID: blog.UUID(cql.LastID)},
	}
	self := func(at blog.ReactionPosition) blog.ReactionPosition { return at }
	return spanOf(page, all, self, afterReaction, blog.ReactionPosition.Compare)
}

func afterReaction(p blog.ReactionPosition) blog.ReactionPosition {
	return blog.ReactionPosition{At: p.At, ID: cql.After(p.ID)}
}

// ReactionsByUser reads some rows of the user's partition. The user's name is not filled
// in: the caller knows it. The whole list of posts is bound as one value, so the statement's text
// is the same whatever their number.
func (s *Store) ReactionsByUser(ctx context.Context, of *blog.ReactionKind, user blog.UserID, posts []blog.PostID) (map[blog.PostID]blog.Reaction, error) {
	found := map[blog.PostID]blog.Reaction{}
	if len(posts) == 0 {
		return found, nil
	}
	return found, s.db.Each(ctx, tables.Reactions[of].Some.With(cql.ID(user.UUID), cql.IDs(posts)), len(posts), func(row gocql.Scanner) error {
		var post blog.PostID
		var at time.Time
		err := row.Scan(cql.Into(&post.UUID), &at)
		if err == nil && !at.IsZero() {
			found[post] = blog.Reaction{Post: post, User: blog.Author{ID: user}, At: at, Stands: true}
		}
		return err
	})
}
