package cassandra

import (
	"context"
	"maps"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// Reactions reads a page of a parent's partition, with the count from its static cell, or of a user's own.
func (s *Store) Reactions(ctx context.Context, list blog.Table, page blog.PageRequest[blog.ReactionPosition], parent any) (blog.ReactionPage, error) {
	var count blog.Count
	var user func(*blog.Reaction) *blog.Author
	above := s.unlessFound(ctx, parent)
	if of := list.Reaction(); of.ByParent == list {
		user, above = reactionUser, func(rows int) (err error) {
			if rows == 0 {
				count, err = s.countOfNone(ctx, of, parent)
			}
			return err
		}
	}
	found, err := readPage(ctx, s, reactionListing(list, parent, &count), reactionSpan(page), page, user, above)
	return blog.ReactionPage{Page: found, Count: count}, err
}

// countOfNone reads a parent's count for a list that has no row to hold it. NotFound.
func (s *Store) countOfNone(ctx context.Context, of *blog.ReactionKind, parent any) (blog.Count, error) {
	if post, ofPost := parent.(blog.PostID); ofPost {
		p, err := s.postCounts(ctx, post)
		return *of.Count(&p), err
	}
	if group, ofGroup := parent.(blog.GroupID); ofGroup {
		if _, err := s.GroupByID(ctx, group); err != nil {
			return blog.Count{}, err
		}
		header, err := s.truths.Reactions[of].Header(ctx, group.UUID)
		return header.Count(), err
	}
	followed := parent.(blog.FollowedID)
	if err := s.userStands(ctx, blog.UserID(followed)); err != nil {
		return blog.Count{}, err
	}
	header, err := s.truths.Reactions[of].Header(ctx, followed.UUID)
	return header.Count(), err
}

// reactionListing is the list of a parent's reactions, above which their count stands, or of a user's own.
func reactionListing(list blog.Table, parent any, count *blog.Count) listing[blog.ReactionPosition, blog.Reaction] {
	of := list.Reaction()
	ofParent := of.ByParent == list
	id, _ := blog.IDOf(parent)
	var r blog.Reaction // that each row is read into
	var other blog.UUID
	into := []any{&r.At, cql.Into(&other), &r.Stands}
	if ofParent {
		into = append(into, &r.User.Username, cql.IntoText(&r.User.DisplayName), &count.N, &count.Stamp)
	}
	return listing[blog.ReactionPosition, blog.Reaction]{
		pages: tables.Lists[list], partition: []any{cql.ID(id)}, next: afterReaction,
		bind: func(keys span[blog.ReactionPosition]) []any {
			return []any{keys.from.At, cql.ID(keys.from.ID), keys.to.At, cql.ID(keys.to.ID)}
		},
		row: func(row gocql.Scanner) (blog.ReactionPosition, blog.Reaction, bool, error) {
			r = blog.Reaction{}
			err := row.Scan(into...)
			r.User.ID.UUID = id
			to := other
			if ofParent {
				r.User.ID.UUID, to = other, id
			}
			return blog.ReactionPosition{At: r.At, ID: other}, of.By(r.User, to, r.At, r.Stands), r.Stands, err
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

// ReactionsByUser reads some rows of the user's partition, without the user's name. The parents are bound as one value,
// so one text serves any number of them.
func (s *Store) ReactionsByUser(ctx context.Context, of *blog.ReactionKind, user blog.UserID, to []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	found := map[blog.UUID]blog.Reaction{}
	if len(to) == 0 {
		return found, nil
	}
	reads, err := s.readsOfSome(ctx, of, user, to)
	if err != nil {
		return nil, err
	}
	parts := make([][]blog.Reaction, len(reads)) // they are read at once
	var all []func() error
	for i, read := range reads {
		all = append(all, func() error {
			return s.db.Each(ctx, read, len(to), func(row gocql.Scanner) error {
				var parent blog.UUID
				var at time.Time
				err := row.Scan(cql.Into(&parent), &at)
				if err == nil && !at.IsZero() {
					parts[i] = append(parts[i], of.By(blog.Author{ID: user}, parent, at, true))
				}
				return err
			})
		})
	}
	err = cql.Concurrently(all...)
	for _, r := range slices.Concat(parts...) {
		found[r.To()] = r
	}
	return found, err
}

// readsOfSome returns the reads of some of a user's rows: one, or where the key has a year one for each year of the parents.
func (s *Store) readsOfSome(ctx context.Context, of *blog.ReactionKind, user blog.UserID, to []blog.UUID) (reads []cql.Bound, err error) {
	st := tables.Reactions[of]
	if table, err := s.db.Reads(ctx, of.ByUser); err != nil || table == of.ByUser {
		return []cql.Bound{st.Some.With(cql.ID(user.UUID), cql.IDs(to))}, err
	}
	years := map[int][]blog.UUID{}
	for _, parent := range to {
		years[blog.YearOf(parent)] = append(years[blog.YearOf(parent)], parent)
	}
	for _, year := range slices.Sorted(maps.Keys(years)) {
		reads = append(reads, st.SomeOfYear.With(cql.ID(user.UUID), year, cql.IDs(years[year])))
	}
	return reads, nil
}

// OwnReactions is a method of [blog.Floor].
func (s *Store) OwnReactions(ctx context.Context, of *blog.ReactionKind, user blog.UserID) (n int, err error) {
	err = s.db.One(ctx, tables.Reactions[of].Own.With(cql.ID(user.UUID)), &n)
	return n, err
}
