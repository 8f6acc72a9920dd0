package naive

import (
	"context"
	"slices"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// postsOf reads all posts of a user by the index, which knows no order, and returns
// the newest, one more than the page's limit.
func (k *Keyspace) postsOf(ctx context.Context, st statement, author blog.UserID, page blog.PageRequest[blog.PostID], more ...func(*blog.Post) []any) ([]blog.Post, error) {
	if err := first(page); err != nil {
		return nil, err
	}
	var found []blog.Post
	err := k.search(ctx, st, func(row gocql.Scanner) error {
		p := blog.Post{Author: blog.Author{ID: author}}
		var content string
		dest := []any{into(&p.ID.UUID), &p.Title, &content, &p.UpdatedAt, &p.Version}
		for _, columns := range more {
			dest = append(dest, columns(&p)...)
		}
		err := row.Scan(dest...)
		p.Excerpt = blog.Excerpt(content)
		found = append(found, p)
		return err
	}, id(author.UUID))
	slices.SortFunc(found, func(a, b blog.Post) int { return b.ID.Compare(a.ID.UUID) })
	return found[:min(len(found), page.Limit+1)], err
}

// comments reads the newest comments of a post, one more than the page's limit. scan
// reads a row, and the count where it comes with it.
func (k *Keyspace) comments(ctx context.Context, st statement, query blog.CommentsQuery, scan func(gocql.Scanner, *blog.Comment, *int) error) (comments []blog.Comment, count int, err error) {
	if err := first(query.Page); err != nil {
		return nil, 0, err
	}
	err = k.list(ctx, st, func(row gocql.Scanner) error {
		c := blog.Comment{Post: query.Post}
		err := scan(row, &c, &count)
		comments = append(comments, c)
		return err
	}, id(query.Post.UUID), query.Page.Limit+1)
	return comments, count, err
}

// likes reads all likes of a post, whose order is that of their users, and returns the
// page of the newest.
func (k *Keyspace) likes(ctx context.Context, st statement, post blog.PostID, page blog.PageRequest[blog.ReactionPosition], scan func(gocql.Scanner, *blog.Reaction) error) (blog.ReactionPage, error) {
	if err := first(page); err != nil {
		return blog.ReactionPage{}, err
	}
	var found []blog.Reaction
	err := k.list(ctx, st, func(row gocql.Scanner) error {
		l := blog.Reaction{Post: post, Stands: true}
		err := scan(row, &l)
		found = append(found, l)
		return err
	}, id(post.UUID))
	slices.SortFunc(found, func(a, b blog.Reaction) int { return b.Position().Compare(a.Position()) })
	count := blog.Count{N: len(found)}
	return blog.ReactionPage{Page: blog.NewPage(page, found[:min(len(found), page.Limit+1)]), Count: count}, err
}

// feed reads the keys of all posts by the index, and then the newest of the posts.
func (k *Keyspace) feed(ctx context.Context, st statement, page blog.PageRequest[blog.PostID], read func(context.Context, blog.PostID) (blog.Post, error)) (blog.Page[blog.Post], error) {
	if err := first(page); err != nil {
		return blog.Page[blog.Post]{}, err
	}
	var keys []blog.PostID
	err := k.search(ctx, st, func(row gocql.Scanner) error {
		var key blog.PostID
		err := row.Scan(into(&key.UUID))
		keys = append(keys, key)
		return err
	})
	slices.SortFunc(keys, func(a, b blog.PostID) int { return b.Compare(a.UUID) })
	newest := blog.NewPage(page, keys[:min(len(keys), page.Limit+1)])
	found := blog.Page[blog.Post]{HasNext: newest.HasNext}
	for i := 0; err == nil && i < len(newest.Items); i++ {
		var p blog.Post
		p, err = read(ctx, newest.Items[i])
		p.Content = ""
		found.Items = append(found.Items, p)
	}
	return found, err
}
