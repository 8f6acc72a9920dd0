package embedded

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// truths reads what commands decide on and what copies follow from. What is not there is zero.
type truths struct {
	of     cellReader
	memory *scratch // for one key after the other; nil: each key has its own
}

// cellReader reads single cells: as they are, or as they were at one moment.
type cellReader interface {
	// read returns the value of a cell, empty where there is none.
	read(ctx context.Context, t *table, key []byte) (value string, err error)
}

var _ audit.Truths = truths{}

// get reads one cell of a row.
func (r truths) get(ctx context.Context, t *table, cell byte, key ...any) (string, error) {
	return r.of.read(ctx, t, r.memory.cellKey(t, cell, key...))
}

// user reads a user, whose erasure may have begun.
func (r truths) user(ctx context.Context, id blog.UserID) (blog.User, error) {
	value, err := r.get(ctx, usersByID, truthCell, id)
	if err == nil && value == "" {
		err = blog.ErrNoUser()
	}
	if err != nil {
		return blog.User{}, err
	}
	return decodeUser(id, value)
}

// Counts is a method of [audit.Truths].
func (r truths) Counts(ctx context.Context, parent blog.UUID, counted ...blog.Table) (counts []blog.Count, err error) {
	for _, table := range counted {
		count, err := r.count(ctx, tables[table], parent)
		if err != nil {
			return nil, err
		}
		counts = append(counts, count)
	}
	return counts, nil
}

// count reads the count above the rows of a partition.
func (r truths) count(ctx context.Context, counted *table, parent blog.UUID) (blog.Count, error) {
	value, err := r.get(ctx, counted, countCell, parent)
	if err != nil {
		return blog.Count{}, err
	}
	return sole[blog.Count](value)
}

// reactionClaim reads the claim of a reaction.
func (r truths) reactionClaim(ctx context.Context, key blog.ReactionKey) (c blog.Reaction, err error) {
	value, err := r.get(ctx, tables[key.Of.Table], truthCell, key.To, key.User)
	if err != nil || value == "" {
		return c, err
	}
	return decodeReaction(key, value)
}

// owner reads which user holds a claim, on a text or to erase an account.
func (r truths) owner(ctx context.Context, claims *table, key any) (blog.UserID, error) {
	value, err := r.get(ctx, claims, truthCell, key)
	if err != nil {
		return blog.UserID{}, err
	}
	return sole[blog.UserID](value)
}

var (
	wholeUser   = readerOf[blog.User](blog.UserTruths)
	postText    = readerOf[blog.Post](blog.PostText)
	postContent = readerOf[blog.Post](blog.PostContent)
	commentText = readerOf[blog.Comment](blog.CommentText)
)

// decodeUser reads the truth of a user, or a copy of it.
func decodeUser(id blog.UserID, value string) (u blog.User, err error) {
	u.ID = id
	u.Stamp, err = wholeUser.read(value, &u)
	return u, err
}

// decodePost reads the truth of a post, without its content where that is empty.
func decodePost(id blog.PostID, text, content string) (p blog.Post, err error) {
	p.ID = id
	if p.Stamp, err = postText.read(text, &p); err == nil {
		_, err = postContent.read(content, &p)
	}
	return p, err
}

func decodeReaction(key blog.ReactionKey, value string) (r blog.Reaction, err error) {
	r = key.Of.By(blog.Author{ID: key.User}, key.To, time.Time{}, false)
	_, err = reactionLists[key.Of.Table].cells[0].read(value, &r)
	return r, err
}

func decodeComment(key blog.CommentKey, value string) (c blog.Comment, err error) {
	c.Post, c.ID = key.Post, key.Comment
	_, err = commentText.read(value, &c)
	return c, err
}
