package main

import (
	"strings"

	"broadsheet/blog"
)

// item is the type in Go of what rows are about.
type item struct {
	of     string // blog.Post
	name   string // of a variable
	person string // the field of who wrote it, or gave it
	fields map[string]string

	stamped bool // it is read with its stamp
}

// ofUser is a user as its truth and each of its tables have it.
var ofUser = item{of: "User", name: "u", stamped: true}

// itemOf returns the type of a subject. A column that fields leaves out is the field of its name.
func itemOf(s blog.Subject) item {
	switch s {
	case blog.AboutPost:
		fields := map[string]string{
			"post_id": "ID", "author_id": "Author.ID", "username": "Author.Username", "comment_count": "Comments",
			"feed_bucket": "Feed.Bucket", "feed_shard": "Feed.Shard", "bucket": "Feed.Bucket", "shard": "Feed.Shard",
		}
		for _, k := range blog.ReactionKinds {
			fields[k.InPosts.Columns[0].Name] = kindName(k)
		}
		return item{of: "Post", name: "p", person: "Author", fields: fields}
	case blog.AboutComment:
		return item{of: "Comment", name: "c", person: "Author", fields: map[string]string{
			"comment_id": "ID", "post_id": "Post", "author_id": "Author.ID", "username": "Author.Username", "edits": "Version",
		}}
	default:
		fields := map[string]string{"post_id": "Post", "user_id": "User.ID", "username": "User.Username"}
		for _, k := range blog.ReactionKinds {
			fields[k.OfUser.Columns[0].Name] = "At"
		}
		return item{of: "Reaction", name: "r", person: "User", fields: fields}
	}
}

// field returns the field that a column is.
func (i item) field(c blog.Column) string {
	if field, named := i.fields[c.Name]; named {
		return i.name + "." + field
	}
	return i.name + "." + pascal(c.Name)
}

func isID(t blog.ColumnType) bool {
	return t == blog.TypeUser || t == blog.TypePost || t == blog.TypeComment
}

// goType is the type in Go of a column's values.
func goType(t blog.ColumnType) string {
	switch t {
	case blog.TypeUser:
		return "blog.UserID"
	case blog.TypePost:
		return "blog.PostID"
	case blog.TypeComment:
		return "blog.CommentID"
	case blog.TypeText:
		return "string"
	case blog.TypeOptionalText:
		return "*string"
	case blog.TypeBytes:
		return "[]byte"
	case blog.TypeBool:
		return "bool"
	case blog.TypeTime, blog.TypeOptionalTime:
		return "time.Time"
	case blog.TypeStamp:
		return "int64"
	default:
		return "int"
	}
}

// pascal returns the name in Go of a column: UpdatedAt of updated_at.
func pascal(snake string) string {
	var name strings.Builder
	for word := range strings.SplitSeq(snake, "_") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}
