package cascade

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"

	"github.com/gocql/gocql"
)

var (
	walkPosts = cql.On(blog.PostsByAuthor,
		`SELECT post_id, version, feed_bucket, feed_shard FROM posts_by_author`+
			` WHERE author_id = ? AND bucket = 0 AND post_id < ? ORDER BY post_id DESC LIMIT ?`)
	walkComments = cql.On(blog.CommentsByAuthor, `SELECT comment_id, version, post_id FROM comments_by_author`+
		` WHERE author_id = ? AND bucket = 0 AND comment_id < ? ORDER BY comment_id DESC LIMIT ?`)
)

// Renames spread the names of users. The walks of one user take turns.
type Renames struct {
	jobs  *job.Runner
	users *truth.Users
	turns turns
}

// NewRenames returns renames of which none is under way.
func NewRenames(jobs *job.Runner, users *truth.Users) *Renames {
	return &Renames{jobs: jobs, users: users, turns: newTurns()}
}

// Waiting is how many renames wait for their turn.
func (r *Renames) Waiting() int { return r.turns.inWait() }

// Spread writes a user's name to every row that holds a copy of it, on behalf of a
// command after which the user had a version, or a later one. It runs after the truth was
// changed: a row that is written meanwhile is either met here or is its writer's to
// correct, for that one looks at the truth once more.
//
// The walks of this process for one user take turns, for one that begins after several
// renames serves them all. [cql.ErrHeld]: the same command's walk is under way, or another's
// is and the caller does not wait, or too many run.
func (r *Renames) Spread(ctx context.Context, command blog.CommandID, user blog.UserID, version int, how Meanwhile) error {
	for {
		turn, err := r.turns.begin(user, command, version, how)
		switch {
		case err != nil:
			return err
		case turn.served:
			// The walk of this command that another one's made needless may have left this.
			return cql.Insist(ctx, func(ctx context.Context) error { return r.jobs.Forget(ctx, blog.RenameJob, command.String()) })
		case turn.mine:
			err := r.walk(ctx, command, user, turn.version)
			r.turns.end(user, err == nil)
			return err
		}
		select {
		case <-turn.ended:
			r.turns.stopWaiting()
		case <-ctx.Done():
			r.turns.stopWaiting()
			return cql.Convert(ctx, ctx.Err())
		}
	}
}

// walk is the job of a rename. The name is read again for each page: what a later
// rename has made of it is right at any time, and the later rename has every row gone
// through again.
func (r *Renames) walk(ctx context.Context, command blog.CommandID, user blog.UserID, version int) error {
	n := &nameWalk{users: r.users, name: blog.Name{User: user}}
	author := cql.ID(user.UUID)
	lists := []job.Walk{
		{Page: walkPosts, Of: author, First: cql.LastID, Row: n.post},
		{Page: walkComments, Of: author, First: cql.LastID, Row: n.comment},
	}
	for _, k := range blog.ReactionKinds {
		lists = append(lists, job.Walk{Page: tables.Reactions[k].Walk, Of: author, First: cql.FirstID, Row: n.reaction(k)})
	}
	return r.jobs.Run(ctx, job.Job{
		Kind:    blog.RenameJob,
		Of:      command.String(),
		Account: user,
		Version: version,
		Above:   n.above,
		Lists:   lists,
	})
}

// nameWalk makes the copies of a username. Dead rows, whose version is 0, have none.
type nameWalk struct {
	users *truth.Users
	name  blog.Name
}

func (n *nameWalk) above(ctx context.Context) (copies []blog.Copy, err error) {
	n.name, err = n.users.Name(ctx, n.name.User)
	return blog.NamesAboveLists(n.name), err
}

func (n *nameWalk) post(row gocql.Scanner) (blog.UUID, []blog.Copy, error) {
	ref := blog.PostRef{Author: n.name.User}
	var version int
	err := row.Scan(cql.Into(&ref.ID.UUID), &version, &ref.Feed.Bucket, &ref.Feed.Shard)
	if err != nil || version == 0 {
		return ref.ID.UUID, nil, err
	}
	return ref.ID.UUID, besideRow(blog.NameOfPost(ref, n.name)), nil
}

func (n *nameWalk) comment(row gocql.Scanner) (blog.UUID, []blog.Copy, error) {
	var key blog.CommentKey
	var version int
	err := row.Scan(cql.Into(&key.Comment.UUID), &version, cql.Into(&key.Post.UUID))
	if err != nil || version == 0 {
		return key.Comment.UUID, nil, err
	}
	return key.Comment.UUID, besideRow(blog.NameOfComment(key, n.name)), nil
}

func (n *nameWalk) reaction(of *blog.ReactionKind) func(gocql.Scanner) (blog.UUID, []blog.Copy, error) {
	return func(row gocql.Scanner) (blog.UUID, []blog.Copy, error) {
		var post blog.PostID
		var at time.Time
		err := row.Scan(cql.Into(&post.UUID), &at)
		if err != nil || at.IsZero() {
			return post.UUID, nil, err
		}
		return post.UUID, blog.NameOfReaction(of, post, at, n.name), nil
	}
}

// besideRow leaves out the copies that stand once above a list: those are written with
// each page, not with each row.
func besideRow(copies []blog.Copy) []blog.Copy {
	return slices.DeleteFunc(copies, func(c blog.Copy) bool { return c.Group.Static() })
}
