package cascade

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

var (
	walkFollowers = cql.On(blog.FollowClaims, `SELECT user_id, follows FROM follow_claims`+
		` WHERE followed_id = ? AND bucket = 0 AND user_id > ? LIMIT ?`)
	clearHome = cql.On(blog.HomeByUser, `DELETE FROM home_by_user USING TIMESTAMP ? WHERE user_id = ? AND bucket = 0`)
)

// fewFollowers are brought a post without a job.
const fewFollowers = 100

// Publish brings a post to the homes of those who follow its author. It runs after the post is on its author's list, and
// [Gather] after a follow is in its truth: whichever is first, the other one meets it. [cql.ErrHeld]: it is being done.
func Publish(ctx context.Context, db *cql.Session, jobs *job.Runner, post blog.PostRef) error {
	h := blog.Homed{Post: post.ID, Author: post.Author}
	follower := func(row gocql.Scanner) (_ blog.UUID, copies []blog.Copy, _ func(context.Context) error, err error) {
		var follows bool
		if err = row.Scan(cql.Into(&h.User.UUID), &follows); err == nil && follows {
			copies = blog.CopiesOfHomed(h)
		}
		return h.User.UUID, copies, nil, err
	}
	few, err := writeFollowing(ctx, db, walkFollowers.With(cql.ID(post.Author.UUID), cql.FirstID, fewFollowers), fewFollowers, follower)
	if err != nil || few < fewFollowers {
		return err
	}
	return jobs.Run(ctx, job.Job{Kind: blog.HomeJob, Of: post.ID.String(), Account: post.Author, Lists: []job.Walk{
		{Page: walkFollowers, Of: cql.ID(post.Author.UUID), First: cql.FirstID, Row: follower},
	}})
}

// Gather brings the newest posts of one who is followed to a home.
func Gather(ctx context.Context, db *cql.Session, follow blog.Reaction) error {
	author := blog.UserID(follow.Followed)
	newest := walkPosts.With(cql.ID(author.UUID), cql.LastID, blog.GatheredPosts)
	_, err := writeFollowing(ctx, db, newest, blog.GatheredPosts, func(row gocql.Scanner) (_ blog.UUID, copies []blog.Copy, _ func(context.Context) error, err error) {
		id, w, err := readPost(row, author)
		if w != nil {
			copies = blog.CopiesOfHomed(blog.Homed{User: follow.User.ID, Post: blog.PostID{UUID: id}, Author: author})
		}
		return id, copies, nil, err
	})
	return err
}

// writeFollowing writes the copies that follow from the rows of one page, and returns how many rows it has.
func writeFollowing(ctx context.Context, db *cql.Session, page cql.Bound, most int, follow job.Row) (rows int, err error) {
	var copies []blog.Copy
	err = cql.Insist(ctx, func(ctx context.Context) error {
		copies, rows = nil, 0
		return db.Each(ctx, page, most, func(row gocql.Scanner) error {
			_, more, _, err := follow(row)
			copies, rows = append(copies, more...), rows+1
			return err
		})
	})
	if err == nil {
		err = cql.Insist(ctx, func(ctx context.Context) error { return tables.Write(ctx, db, copies) })
	}
	return rows, err
}

// ClearHome deletes a user's home, as of a [blog.DeletionStamp].
func ClearHome(ctx context.Context, db *cql.Session, user blog.UserID, stamp int64) error {
	return db.Write(ctx, clearHome.With(stamp, cql.ID(user.UUID)))
}
