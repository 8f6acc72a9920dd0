package blog

import "context"

// TableReader reads tables as they are declared.
type TableReader interface {
	// Users returns the accounts that a table lists under a unique key, more than one only for a moment.
	Users(ctx context.Context, by *UniqueKey, key string) ([]User, error)

	// Posts returns a page of a table that lists posts. parent is what names the list, as [Declaration.Parent] has
	// it; where the list is empty, its first value is looked for.
	Posts(ctx context.Context, list Table, page PageRequest[PostID], parent ...any) (Page[Post], error)

	// Comments is Posts of a table that lists comments.
	Comments(ctx context.Context, list Table, page PageRequest[CommentID], parent ...any) (Page[Comment], error)

	// Reactions is Posts of a table that lists reactions, of a post or of a user: without its name, then.
	Reactions(ctx context.Context, list Table, page PageRequest[ReactionPosition], parent any) (ReactionPage, error)

	// ReactionsByUser returns a user's reactions of a kind to some of posts, perhaps without the user's name.
	ReactionsByUser(ctx context.Context, of *ReactionKind, user UserID, posts []PostID) (map[PostID]Reaction, error)
}

// UserByUsername is a method of [Queries], as are those that follow.
func (d Declared) UserByUsername(ctx context.Context, username string) (User, error) {
	return d.user(ctx, ByUsername, UsernameKey(username))
}

func (d Declared) UserByEmail(ctx context.Context, email string) (User, error) {
	return d.user(ctx, ByEmail, EmailKey(email))
}

func (d Declared) UserBySubject(ctx context.Context, subject string) (User, error) {
	return d.user(ctx, BySubject, subject)
}

// user reads the account under a unique key. None has an empty one, nor one above its bound, which a database may refuse.
func (d Declared) user(ctx context.Context, by *UniqueKey, key string) (User, error) {
	if key == "" || len(key) > by.Most {
		return User{}, ErrNoUser()
	}
	listed, err := d.floor.Users(ctx, by, key)
	if err != nil {
		return User{}, err
	}
	return by.Owner(key, listed)
}

func (d Declared) PostsByAuthor(ctx context.Context, author UserID, page PageRequest[PostID]) (Page[Post], error) {
	return d.floor.Posts(ctx, PostsByAuthor, page, author)
}

func (d Declared) CommentsByAuthor(ctx context.Context, author UserID, page PageRequest[CommentID]) (Page[Comment], error) {
	return d.floor.Comments(ctx, CommentsByAuthor, page, author)
}

func (d Declared) CommentsByPostAndAuthor(ctx context.Context, author UserID, query CommentsQuery) (Page[Comment], error) {
	return d.floor.Comments(ctx, CommentsByPostAndAuthor, query.Page, query.Post, author)
}

func (d Declared) LikesByPost(ctx context.Context, post PostID, page PageRequest[ReactionPosition]) (ReactionPage, error) {
	return d.floor.Reactions(ctx, LikesByPost, page, post)
}

func (d Declared) LikesByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error) {
	own, err := d.floor.Reactions(ctx, LikesByUserAndTime, page, user)
	return own.Page, err
}

func (d Declared) LikedPosts(ctx context.Context, user UserID, posts []PostID) (map[PostID]Reaction, error) {
	return d.floor.ReactionsByUser(ctx, Likes, user, posts)
}
