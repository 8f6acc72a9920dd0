package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/journal"
)

// CreatePost writes the post and lists it. The content goes into the truth only,
// which is one partition, never into the batch over several.
func (s *Store) CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error) {
	ctx, end, err := s.startValid(ctx, c.Validate)
	if err != nil {
		return blog.Post{}, err
	}
	defer end()
	author, err := s.truths.Users.Actor(ctx, c.Author)
	if err != nil {
		return blog.Post{}, err
	}
	return once(ctx, s, keyed[blog.Post]{
		idempotency: c.Idempotency,
		object:      func() blog.UUID { return s.ids.Post().UUID },
		run:         func(ctx context.Context, ids attemptIDs) (blog.Post, error) { return s.createPost(ctx, c, author, ids) },
		again: func(ctx context.Context, object blog.UUID) (blog.Post, error) {
			return s.postAgain(ctx, blog.PostID{UUID: object}, author)
		},
	})
}

// postAgain reads the result of its author's command that ran before.
func (s *Store) postAgain(ctx context.Context, post blog.PostID, author blog.Name) (blog.Post, error) {
	p, err := s.PostByID(ctx, post)
	p.Author = author.Author()
	return p, goneSince("post", err)
}

func (s *Store) createPost(ctx context.Context, c blog.CreatePost, author blog.Name, ids attemptIDs) (blog.Post, error) {
	creation := postCreation{store: s, ids: ids, author: author, bucket: s.feed.Place(blog.PostID{UUID: ids.object})}
	creation.post = blog.Post{
		ID: blog.PostID{UUID: ids.object}, Author: author.Author(), Title: c.Title, Excerpt: blog.Excerpt(c.Content),
		Content: c.Content, UpdatedAt: ids.object.Time(), Version: 1, Stamp: blog.NextStamp(s.clock, 0), Feed: creation.bucket.FeedPlace,
	}
	if err := s.run(ctx, ids, &creation); err != nil {
		return blog.Post{}, err
	}
	if !creation.first && ids.unlessConcluded != nil {
		return s.postAgain(ctx, creation.post.ID, author) // another has shown it, so it may have comments and likes
	}
	return creation.post, nil
}

// postCreation is one CreatePost under way.
type postCreation struct {
	store  *Store
	ids    attemptIDs
	author blog.Name
	bucket feed.Bucket
	post   blog.Post // as it stands, once it does
	first  bool      // to write it
}

func (c *postCreation) intent() journal.Intent {
	return journal.Intent{Command: c.ids.command, Kind: journal.CreatePost, Actor: c.author.User, Post: &c.post.ID}
}

func (c *postCreation) reads(ctx context.Context) []func() error {
	return []func() error{func() error { return c.store.feed.Ensure(ctx, c.bucket) }}
}

func (c *postCreation) apply(ctx context.Context, note *journal.Note) (err error) {
	c.post, c.first, err = c.store.truths.Posts.Insert(ctx, c.post, c.ids.command, note.Keep)
	return goneSince("post", err)
}

func (c *postCreation) follow() effects { return c.store.follow.ofPost(c.post, c.author) }
