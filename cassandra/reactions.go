package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// Reactions reads a page of a post's partition, with the count from its static cell, or of a user's.
func (s *Store) Reactions(ctx context.Context, list blog.Table, page blog.PageRequest[blog.ReactionPosition], parent any) (blog.ReactionPage, error) {
	var count blog.Count
	var user func(*blog.Reaction) *blog.Author
	above := s.unlessFound(ctx, parent)
	if post, ofPost := parent.(blog.PostID); ofPost {
		user, above = reactionUser, func(rows int) error {
			if rows > 0 {
				return nil
			}
			p, err := s.postCounts(ctx, post)
			count = *list.Reaction().Count(&p)
			return err
		}
	}
	found, err := readPage(ctx, s, reactionListing(list, parent, &count), reactionSpan(page), page, user, above)
	return blog.ReactionPage{Page: found, Count: count}, err
}

// reactionListing is the list of a post's reactions, above which their count stands, or of a user's.
func reactionListing(list blog.Table, parent any, count *blog.Count) listing[blog.ReactionPosition, blog.Reaction] {
	post, ofPost := parent.(blog.PostID)
	user, _ := parent.(blog.UserID)
	id := post.UUID
	if !ofPost {
		id = user.UUID
	}
	var r blog.Reaction // that each row is read into
	into := []any{&r.At, cql.Into(&r.Post.UUID), &r.Stands}
	if ofPost {
		into = []any{&r.At, cql.Into(&r.User.ID.UUID), &r.Stands, &r.User.Username, cql.IntoText(&r.User.DisplayName), &count.N, &count.Stamp}
	}
	return listing[blog.ReactionPosition, blog.Reaction]{
		pages: tables.Lists[list], partition: []any{cql.ID(id)}, next: afterReaction,
		bind: func(keys span[blog.ReactionPosition]) []any {
			return []any{keys.from.At, cql.ID(keys.from.ID), keys.to.At, cql.ID(keys.to.ID)}
		},
		row: func(row gocql.Scanner) (blog.ReactionPosition, blog.Reaction, bool, error) {
			r = blog.Reaction{Post: post, User: blog.Author{ID: user}}
			err := row.Scan(into...)
			if ofPost {
				return r.Position(), r, r.Stands, err
			}
			return r.OwnPosition(), r, r.Stands, err
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

// ReactionsByUser reads some rows of the user's partition, without the user's name. The posts are bound as one value,
// so one text serves any number of them.
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
