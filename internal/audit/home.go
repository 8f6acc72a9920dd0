package audit

import (
	"context"

	"broadsheet/blog"
)

// homes looks for posts that homes lack, and for homes of erased accounts. Another row too many is none: it stays when
// its post is deleted, or its author is followed no more.
func (v *verification) homes(ctx context.Context) error {
	if !v.wants(blog.HomeByUser) {
		return nil
	}
	s := v.reading(nil, false)
	err := s.inParts(ctx, []func(context.Context, int) error{
		func(ctx context.Context, part int) error {
			return v.eachUnhomed(ctx, part, blog.HomedPosts, func(h blog.Homed) error {
				return v.suspect(ctx, suspect{Drift: Drift{Table: blog.HomeByUser, Key: []any{h.User, h.Post}}, asked: true})
			})
		},
		v.homesOfErased,
	})
	if err == nil {
		err = v.flush(ctx)
	}
	v.report([]blog.Table{blog.HomeByUser}, err != nil)
	return err
}

// eachUnhomed visits what homes lack of the newest posts of each whom their users follow.
func (v *verification) eachUnhomed(ctx context.Context, part, newest int, visit func(blog.Homed) error) error {
	return v.reader.EachTruth(ctx, blog.FollowClaims, part, false, func(r TruthRow) error {
		if err := v.step(ctx); err != nil || !r.whole() {
			return err
		}
		has, lacking, err := v.reader.Unhomed(ctx, r.Reaction, newest)
		if err == nil {
			err = v.pace.Wait(ctx, struct{}{}, has+len(lacking))
		}
		for _, post := range lacking {
			if err == nil {
				err = visit(blog.Homed{User: r.Reaction.User.ID, Post: post, Author: blog.UserID(r.Reaction.Followed)})
			}
		}
		return err
	})
}

// homesOfErased looks at the rows, and whether the account of each home was erased: by a program that knew no homes.
func (v *verification) homesOfErased(ctx context.Context, part int) error {
	var user blog.UserID
	erased := false
	return v.reader.EachRow(ctx, blog.HomeByUser, part, func(r Row) error {
		v.read(blog.HomeByUser, 1)
		if err := v.step(ctx); err != nil {
			return err
		}
		if of := inKey[blog.UserID](r.Key); of != user {
			fate, err := FateOf(ctx, v.reader, blog.UsersByID, of)
			if err != nil {
				return err
			}
			user, erased = of, fate == Erased
		}
		if !erased {
			return nil
		}
		return v.suspect(ctx, suspect{Drift: Drift{Table: blog.HomeByUser, Key: r.Key}})
	})
}

// gather adds what homes lack of what a follow brings there.
func (s *streams) gather(ctx context.Context, part int, add expecting) error {
	return s.eachUnhomed(ctx, part, blog.GatheredPosts, func(h blog.Homed) error {
		return add(ctx, blog.AboutHomed, blog.CopiesOfHomed(h))
	})
}

// atHome compares a row of a home with what is to be there.
func (s *suspect) atHome(ctx context.Context, a Reader, truths Truths) (err error) {
	if s.expected, err = homed(ctx, truths, s.Key); err != nil {
		return err
	}
	if s.row, err = a.Row(ctx, s.Table, s.Key); err != nil {
		return err
	}
	s.Kind, s.Problem = "", ""
	if len(s.expected) > 0 {
		s.Kind, s.Problem = compare(s.Table, s.expected, s.row)
		return nil
	}
	fate, err := FateOf(ctx, truths, blog.UsersByID, inKey[blog.UserID](s.Key))
	if fate == Erased && len(s.row.Cells) > 0 {
		s.Kind, s.Problem, s.Deletes = RowTooMany, "its user's account was erased", 1
	}
	return err
}

// homed returns the row that a home may have: none, where the post is gone, or its author is not followed.
func homed(ctx context.Context, t Truths, key []any) ([]blog.Copy, error) {
	user, post := inKey[blog.UserID](key), inKey[blog.PostID](key)
	p, err := trueRow(ctx, t, blog.PostsByID, post)
	if err != nil || !p.whole() {
		return nil, err
	}
	author := p.Post.Author.ID
	r, err := trueRow(ctx, t, blog.FollowClaims, blog.FollowedID(author), user)
	if err != nil || !r.whole() {
		return nil, err
	}
	return blog.CopiesOfHomed(blog.Homed{User: user, Post: post, Author: author}), nil
}
