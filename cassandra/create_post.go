package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/journal"
)

// CreatePost writes the post and lists it. The content goes into the truth only, never into the batch over several
// partitions.
func (s *Store) CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error) {
	ctx, end, err := s.startCommand(ctx, c.Validate)
	if err != nil {
		return blog.Post{}, err
	}
	defer end()
	author, err := s.truths.Users.Actor(ctx, c.Author)
	if err != nil {
		return blog.Post{}, err
	}
	return once(ctx, s, &postCreation{CreatePost: c, store: s, author: author})
}

type postCreation struct {
	blog.CreatePost
	store  *Store
	ids    attemptIDs
	author blog.Name
	bucket feed.Bucket
	post   blog.Post // as it stands, once it does
	first  bool      // to write it
}

func (c *postCreation) draw() blog.UUID { return c.store.ids.Post().UUID }

func (c *postCreation) create(ctx context.Context, ids attemptIDs) (blog.Post, error) {
	id := blog.PostID{UUID: ids.object}
	c.ids, c.bucket = ids, c.store.feed.Place(id)
	c.post = c.Post(id, c.author, c.bucket.FeedPlace, c.store.clock)
	if err := c.store.run(ctx, ids, c); err != nil {
		return blog.Post{}, err
	}
	if !c.first && ids.key != nil {
		return c.again(ctx, ids.object) // another has shown it, so it may have comments and likes
	}
	return c.post, nil
}

func (c *postCreation) again(ctx context.Context, object blog.UUID) (blog.Post, error) {
	p, err := c.store.PostByID(ctx, blog.PostID{UUID: object})
	p.Author = c.author.Author()
	return p, goneSince("post", err)
}

func (c *postCreation) intent() journal.Intent {
	return journal.Intent{Command: c.ids.command, Kind: journal.CreatePost, Actor: c.author.User, About: journal.About{Post: &c.post.ID}}
}

func (c *postCreation) reads(ctx context.Context) []func() error {
	reads := []func() error{func() error { return c.store.feed.Ensure(ctx, c.bucket) }}
	if c.Group.IsZero() {
		return reads
	}
	if stood := c.store.truths.Groups.Stood(ctx, c.Group); stood != nil {
		reads = append(reads, func() error { return c.unlessMade(ctx, stood()) })
	}
	return append(reads, func() error {
		joined, err := c.store.JoinedGroups(ctx, c.CreatePost.Author, []blog.UUID{c.Group.UUID})
		if err == nil {
			err = c.Allowed(joined[c.Group.UUID].Stands)
		}
		return c.unlessMade(ctx, err)
	})
}

// unlessMade returns why the group does not let the post be published, unless another attempt has published it while
// that was allowed.
func (c *postCreation) unlessMade(ctx context.Context, refused error) error {
	if !c.ids.again || !refuses(refused) {
		return refused
	}
	if made, err := c.store.truths.Posts.Read(ctx, c.post.ID, c.store.db.OneSerial); err == nil || made.Deleted {
		return nil
	} else if !blog.IsNotFound(err) {
		return err
	}
	return refused
}

func (c *postCreation) apply(ctx context.Context, note *journal.Note) (err error) {
	if !c.Group.IsZero() { // another attempt may have been refused since this one was not
		if err := c.store.unlessConcluded(ctx, c.ids); err != nil {
			return err
		}
	}
	c.post, c.first, err = c.store.truths.Posts.Insert(ctx, c.post, c.ids.command, note.Keep)
	return goneSince("post", err)
}

func (c *postCreation) follow() effects {
	v := ofPost(c.post, c.author)
	v.afterReply = func(ctx context.Context) error { return cascade.Publish(ctx, c.store.db, c.store.jobs, c.post.Ref()) }
	return v
}
