package blog

import (
	"context"
	"sync"
)

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

func (d Declared) PostsByGroup(ctx context.Context, group GroupID, page PageRequest[PostID]) (Page[Post], error) {
	return d.floor.Posts(ctx, PostsByGroup, page, group)
}

func (d Declared) CommentsByAuthor(ctx context.Context, author UserID, page PageRequest[CommentID]) (Page[Comment], error) {
	return d.floor.Comments(ctx, CommentsByAuthor, page, author)
}

func (d Declared) CommentsByPostAndAuthor(ctx context.Context, author UserID, query CommentsQuery) (Page[Comment], error) {
	return d.floor.Comments(ctx, CommentsByPostAndAuthor, query.Page, query.Post, author)
}

func (d Declared) CommentsByThread(ctx context.Context, query ThreadQuery) (Page[ThreadEntry], error) {
	return query.page(func(from, to Path, backward bool, limit int) ([]Comment, error) {
		return d.floor.Threads(ctx, query.Post, from, to, backward, limit)
	})
}

func (d Declared) LikesByPost(ctx context.Context, post PostID, page PageRequest[ReactionPosition]) (ReactionPage, error) {
	return d.floor.Reactions(ctx, LikesByPost, page, post)
}

func (d Declared) LikesByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error) {
	own, err := d.floor.Reactions(ctx, LikesByUserAndTime, page, user)
	return own.Page, err
}

func (d Declared) BookmarksByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error) {
	own, err := d.floor.Reactions(ctx, BookmarksByUserAndTime, page, user)
	return own.Page, err
}

func (d Declared) BookmarkedPosts(ctx context.Context, user UserID, posts []UUID) (map[UUID]Reaction, error) {
	return d.floor.ReactionsByUser(ctx, Bookmarks, user, posts)
}

func (d Declared) LikedPosts(ctx context.Context, user UserID, posts []UUID) (map[UUID]Reaction, error) {
	return d.floor.ReactionsByUser(ctx, Likes, user, posts)
}

func (d Declared) FollowersByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (ReactionPage, error) {
	return d.floor.Reactions(ctx, FollowersByUser, page, FollowedID(user))
}

func (d Declared) FollowsByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error) {
	own, err := d.floor.Reactions(ctx, FollowsByUserAndTime, page, user)
	return own.Page, err
}

func (d Declared) FollowedUsers(ctx context.Context, user UserID, users []UUID) (map[UUID]Reaction, error) {
	return d.floor.ReactionsByUser(ctx, Follows, user, users)
}

func (d Declared) NewestMembersByGroup(ctx context.Context, group GroupID, page PageRequest[ReactionPosition]) (ReactionPage, error) {
	return d.floor.Reactions(ctx, NewestMembersByGroup, page, group)
}

func (d Declared) JoinedGroups(ctx context.Context, user UserID, groups []UUID) (map[UUID]Reaction, error) {
	return d.floor.ReactionsByUser(ctx, Members, user, groups)
}

func (d Declared) GroupsByUser(ctx context.Context, user UserID, page PageRequest[ReactionPosition]) (Page[Reaction], error) {
	own, err := d.floor.Reactions(ctx, GroupsByUserAndTime, page, user)
	return own.Page, err
}

func (d Declared) FollowCount(ctx context.Context, user UserID) (int, error) {
	return d.floor.OwnReactions(ctx, Follows, user)
}

// MembersByGroup is a method of [Queries]. It reads all of the group's partitions at once, and merges their pages.
func (d Declared) MembersByGroup(ctx context.Context, group GroupID, page PageRequest[UserID]) (Page[Reaction], error) {
	var parts [MemberShards]Page[Reaction]
	var errs [MemberShards]error
	var all sync.WaitGroup
	for shard := range parts {
		all.Go(func() {
			errs[shard] = Safely(func() (err error) {
				parts[shard], err = d.floor.Members(ctx, group, shard, page)
				return err
			})
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return Page[Reaction]{}, err
		}
	}
	merged := mergePages(page, parts[:], func(a, b Reaction) int { return b.User.ID.Compare(a.User.ID.UUID) })
	if len(merged.Items) > 0 {
		return merged, nil
	}
	_, err := d.floor.GroupByID(ctx, group)
	return merged, err
}
