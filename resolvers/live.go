package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/live"
	"broadsheet/internal/pace"
)

// resumed returns the cursor behind which a subscription begins, of which the operation says
// that it be after.
func resumed(ctx context.Context, after *string) *string {
	if again := AskerOf(ctx).After; again != "" {
		return &again
	}
	return after
}

// PostCreated follows posts created by all users.
func (s subscription) PostCreated(ctx context.Context, after *string) (<-chan live.PostEvent, error) {
	return s.posts(ctx, blog.PostCreated, after)
}

// PostUpdated follows the edits of all posts.
func (s subscription) PostUpdated(ctx context.Context, after *string) (<-chan live.PostEvent, error) {
	return s.posts(ctx, blog.PostUpdated, after)
}

// PostDeleted follows the deletions of all posts.
func (s subscription) PostDeleted(ctx context.Context, after *string) (<-chan live.PostEvent, error) {
	return s.posts(ctx, blog.PostDeleted, after)
}

func (s subscription) posts(ctx context.Context, kind blog.ChangeKind, after *string) (<-chan live.PostEvent, error) {
	posts, err := s.live.Posts(ctx, kind, resumed(ctx, after))
	if err != nil {
		return nil, err
	}
	return events(ctx, posts.Next, func(e live.PostEvent) string { return e.Cursor }), nil
}

// CommentCreated follows a post's comments.
func (s subscription) CommentCreated(ctx context.Context, postID string, after *string) (<-chan live.CommentCreatedEvent, error) {
	post, err := queryID[blog.PostID]("postId", postID)
	if err != nil {
		return nil, err
	}
	comments, err := s.live.CommentsCreated(ctx, post, resumed(ctx, after))
	if err != nil {
		return nil, err
	}
	return events(ctx, comments.Next, func(e live.CommentCreatedEvent) string { return e.Cursor }), nil
}

// PostChanged follows the states of a post.
func (s subscription) PostChanged(ctx context.Context, id string) (<-chan live.PostChangedEvent, error) {
	post, err := queryID[blog.PostID]("id", id)
	if err != nil {
		return nil, err
	}
	states, err := s.live.PostChanges(ctx, post)
	if err != nil {
		return nil, err
	}
	return events(ctx, states.Next, func(live.PostChangedEvent) string { return "" }), nil
}

// Post is read once for all subscribers.
func (postEvent) Post(ctx context.Context, obj *live.PostEvent) (*blog.Post, error) {
	return obj.ReadPost(ctx)
}

// Comment is read once for all subscribers.
func (e commentCreatedEvent) Comment(ctx context.Context, obj *live.CommentCreatedEvent) (*blog.Comment, error) {
	return obj.ReadComment(ctx)
}

// Post is read once for all subscribers.
func (e commentCreatedEvent) Post(ctx context.Context, obj *live.CommentCreatedEvent) (*blog.Post, error) {
	return obj.ReadPost(ctx)
}

// changesOfAUnit are how many changes of the feed are read for a unit of work.
const changesOfAUnit = 50

// ReadBehind is what a hub asks before one of a client's streams reads the feed by itself: as many of
// them do at a time as reads of its large operations, as long as the client is not in debt, and what they read is paid.
// Where reading is work of this process it is done in turns; else it is nil.
type ReadBehind pace.Places

// Begin is a method of [live.Behind].
func (turns ReadBehind) Begin(ctx context.Context) (done func(changes int), err error) {
	asker := AskerOf(ctx)
	leave := asker.Work.Client.Reads.Enter(ctx.Done())
	if err := asker.Work.Wait(ctx); err != nil {
		leave()
		return nil, err
	}
	end := pace.Places(turns).Enter(ctx.Done())
	return func(changes int) {
		asker.Work.Pay(1 + changes/changesOfAUnit)
		end()
		leave()
	}, nil
}

// position returns where live updates stand, where a connection is asked for that; else nil. It
// is called before the page is read.
func (r *Resolver) position(ctx context.Context) (*live.Position, error) {
	if !asks(ctx, "liveCursor") {
		return nil, nil
	}
	at, err := r.live.Position(ctx)
	if err != nil {
		return nil, ending(err)
	}
	return &at, nil
}
