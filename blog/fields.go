package blog

import (
	"fmt"
	"time"
)

// Fields has, for each column of a type's truth and of its copies, where it stands in a value of the type. A column
// that is declared and has no field here keeps the program from starting.
type Fields[T any] map[string]func(*T) any

// The fields of what rows are about. A count is a *Count.
var (
	UserFields = Fields[User]{
		"user_id":        func(u *User) any { return &u.ID },
		"username":       func(u *User) any { return &u.Username },
		"subject":        func(u *User) any { return &u.Subject },
		"email":          func(u *User) any { return &u.Email },
		"display_name":   func(u *User) any { return &u.DisplayName },
		"bio":            func(u *User) any { return &u.Bio },
		"version":        func(u *User) any { return &u.Version },
		"renamed_at":     func(u *User) any { return &u.RenamedAt },
		"suspended":      func(u *User) any { return &u.Suspended },
		"verified_email": func(u *User) any { return &u.VerifiedEmail },
		"erased_at":      func(u *User) any { return &u.ErasedAt },
		"moderator":      func(u *User) any { return &u.Moderator },
	}
	PostFields = Fields[Post]{
		"post_id":       func(p *Post) any { return &p.ID },
		"author_id":     func(p *Post) any { return &p.Author.ID },
		"username":      func(p *Post) any { return &p.Author.Username },
		"title":         func(p *Post) any { return &p.Title },
		"excerpt":       func(p *Post) any { return &p.Excerpt },
		"content":       func(p *Post) any { return &p.Content },
		"updated_at":    func(p *Post) any { return &p.UpdatedAt },
		"version":       func(p *Post) any { return &p.Version },
		"feed_bucket":   func(p *Post) any { return &p.Feed.Bucket },
		"feed_shard":    func(p *Post) any { return &p.Feed.Shard },
		"comment_count": func(p *Post) any { return &p.Comments },
		"like_count":    func(p *Post) any { return &p.Likes },
	}
	CommentFields = Fields[Comment]{
		"comment_id": func(c *Comment) any { return &c.ID },
		"post_id":    func(c *Comment) any { return &c.Post },
		"author_id":  func(c *Comment) any { return &c.Author.ID },
		"username":   func(c *Comment) any { return &c.Author.Username },
		"content":    func(c *Comment) any { return &c.Content },
		"updated_at": func(c *Comment) any { return &c.UpdatedAt },
		"version":    func(c *Comment) any { return &c.Version },
		"edits":      func(c *Comment) any { return &c.Version },
	}
)

// rowAbout returns the [Row] of some columns in a table whose rows are about a subject; nil where nobody reads such
// rows by their columns.
func rowAbout(s Subject, columns ...string) any {
	switch s {
	case AboutUser:
		return UserFields.Of(columns...)
	case AboutPost:
		return PostFields.Of(columns...)
	case AboutComment:
		return CommentFields.Of(columns...)
	case AboutReaction, AboutClaim:
	}
	return nil
}

// RowOf returns the columns of a group, in a table whose rows are about a T.
func RowOf[T any](groups ...*Group) (row Row[T]) {
	for _, g := range groups {
		row = append(row, g.row.(Row[T])...)
	}
	return row
}

// Row is some columns, each with where it stands in a T.
type Row[T any] []func(*T) any

// Of returns the row of some columns.
func (f Fields[T]) Of(columns ...string) (row Row[T]) {
	for _, name := range columns {
		field := f[name]
		if field == nil {
			var of T
			panic(fmt.Sprintf("blog: the column %s is no field of a %T: give it a line in blog/fields.go", name, of))
		}
		row = append(row, field)
	}
	return row
}

// Values returns what stands in the columns, as a [Copy] has it.
func (r Row[T]) Values(of *T) []any {
	values := make([]any, len(r))
	for i, field := range r {
		values[i] = valueAt(field(of))
	}
	return values
}

// Same reports whether the same stands in the columns of two values.
func (r Row[T]) Same(a, b *T) bool {
	for _, field := range r {
		if !sameAt(field(a), field(b)) {
			return false
		}
	}
	return true
}

func valueAt(at any) any {
	switch v := at.(type) {
	case *UserID:
		return *v
	case *PostID:
		return *v
	case *CommentID:
		return *v
	case *string:
		return *v
	case **string:
		return *v
	case *int:
		return *v
	case *bool:
		return *v
	case *time.Time:
		return *v
	case *Count:
		return v.N
	}
	panic(fmt.Sprintf("blog: a field is a %T", at))
}

func sameAt(a, b any) bool {
	if text, optional := a.(**string); optional {
		return same(*text, *b.(**string))
	}
	return valueAt(a) == valueAt(b)
}
