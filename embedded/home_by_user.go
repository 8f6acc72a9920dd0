package embedded

import (
	"context"
	"errors"

	"broadsheet/blog"
)

// homeWaits names the posts that are not in the homes of all who follow their authors yet, each with its author and the
// follower to whose home it came last.
//
//	0x5B │ post → author, follower
var homeWaits = newTable(&blog.Declaration{
	Table: "home_waits", Partition: blog.Columns{{Name: "post_id", Type: blog.TypePost}},
	Embedded: blog.Embedded{Prefix: 0x5B},
})

// homesAtOnce is to how many homes one commit brings a post, while other commands wait.
const homesAtOnce = 500

var homed = listReaders[blog.Homed]()[blog.HomeByUser]

// HomeByUser is a method of [blog.Queries].
func (s *Store) HomeByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Homed], error) {
	return list[blog.PostID, blog.Homed]{homed, []any{user}, nil}.read(ctx, s, page)
}

// publish brings a post to the homes of those who follow its author, behind one of them, and notes where it goes on if
// there are more.
func (tx *tx) publish(post blog.PostID, author, after blog.UserID) (more bool, err error) {
	snap, err := tx.snapshot(tx.ctx, tables[blog.FollowClaims], author)
	if err != nil {
		return false, err
	}
	defer snap.close(&err)
	var behind span
	if !after.IsZero() {
		behind.lower = with(snap.at(after), pastCells)
		tx.deleteRow(homeWaits, post)
		if text, err := tx.get(postsByID, truthCell, post); err != nil || text == "" { // it was deleted on its way
			return false, err
		}
	}
	n := 0
	for r := range snap.rows(behind, false) {
		if n == homesAtOnce {
			tx.putNew(tx.cellKey(homeWaits, truthCell, post), tx.encode(0, author, after))
			return true, nil
		}
		n++
		after.UUID = r.id()
		claim, err := decodeReaction(blog.ReactionKey{Of: blog.Follows, To: author.UUID, User: after}, r.cells[truthCell])
		if err != nil {
			return false, err
		}
		if claim.Stands {
			tx.putCopies(blog.CopiesOfHomed(blog.Homed{User: after, Post: post, Author: author}))
		}
	}
	return false, snap.err
}

// publishAside brings a post to the homes that it waits for, in the background.
func (s *Store) publishAside(post blog.PostID) {
	aside(s, &s.homes, post, "what brings a post to homes", s.publishWhole)
}

// publishWhole goes on to the end, as long as the store is open. Other commands come between its commits.
func (s *Store) publishWhole(post blog.PostID) error {
	for more := true; more; s.homes.done.Add(homesAtOnce) {
		err := s.command(context.Background(), func(tx *tx) error {
			value, err := tx.get(homeWaits, truthCell, post)
			if more = value != ""; err != nil || !more {
				return err
			}
			at := decode(value)
			author, after := field[blog.UserID](at), field[blog.UserID](at)
			if err = at.end(); err == nil {
				more, err = tx.publish(post, author, after)
			}
			return err
		})
		switch {
		case errors.Is(err, errClosed):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// gather brings the newest posts of one who is followed to a home.
func (tx *tx) gather(follow blog.Reaction) (err error) {
	author := blog.UserID(follow.Followed)
	snap, err := tx.snapshot(tx.ctx, tables[blog.PostsByAuthor], author)
	if err != nil {
		return err
	}
	defer snap.close(&err)
	n := 0
	for r := range snap.rows(span{}, false) {
		if n++; n > blog.GatheredPosts {
			break
		}
		tx.putCopies(blog.CopiesOfHomed(blog.Homed{User: follow.User.ID, Post: blog.PostID{UUID: r.id()}, Author: author}))
	}
	return snap.err
}

// Unhomed is a method of [audit.Reader].
func (a *auditReader) Unhomed(ctx context.Context, follow blog.Reaction, newest int) (has int, lacking []blog.PostID, err error) {
	posts, home := tables[blog.PostsByAuthor], tables[blog.HomeByUser]
	partition := posts.partitionKey(follow.Followed.UUID)
	err = a.eachRow(ctx, posts, with(partition, rowMark), with(partition, endMark), func(c cells) error {
		if newest--; newest < 0 {
			return errEnough
		}
		post := c.key[1].(blog.PostID)
		value, err := a.get(ctx, home, truthCell, follow.User.ID, post)
		if author, damaged := sole[blog.UserID](value); damaged == nil && author.UUID == follow.Followed.UUID {
			has++
		} else if err == nil && c.values[truthCell] != "" {
			lacking = append(lacking, post)
		}
		return err
	})
	return has, lacking, err
}
