package gap

import (
	"strconv"
	"strings"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// Place is a partition of a list.
type Place struct {
	List blog.Table
	Part string
}

// OfComments is where the gaps of a post's comments are.
func OfComments(post blog.PostID) Place {
	return Place{blog.CommentsByPost, post.String()}
}

// OfFeed is where the gaps of a partition of the feed are.
func OfFeed(place blog.FeedPlace) Place {
	return Place{blog.FeedByBucket, place.Bucket + "/" + strconv.Itoa(place.Shard)}
}

// OfAuthor is where the gaps of a list of an author are.
func OfAuthor(list blog.Table, author blog.UserID) Place {
	return Place{list, author.String()}
}

// Partition returns the arguments that name the partition in a statement on the list.
func (p Place) Partition() []any {
	if p.List != blog.FeedByBucket {
		key, _ := gocql.ParseUUID(p.Part)
		return []any{key}
	}
	at := strings.LastIndexByte(p.Part, '/')
	shard, _ := strconv.Atoi(p.Part[at+1:])
	return []any{p.Part[:max(at, 0)], shard}
}

// Key is the key of a row in a partition of a list.
type Key struct {
	Place
	ID blog.UUID
}

// CommentKey is where a comment's truth stands.
func CommentKey(key blog.CommentKey) Key {
	return Key{OfComments(key.Post), key.Comment.UUID}
}

// Keys returns where copies make, or kill, rows of lists that leave dead ones.
func Keys(copies []blog.Copy, dead bool) (keys []Key) {
	for _, c := range copies {
		if !c.Group.LeavesDead() || c.Deletes() != dead {
			continue
		}
		switch key := c.Key; c.Group {
		case blog.FeedPost:
			keys = append(keys, Key{OfFeed(blog.FeedPlace{Bucket: key[0].(string), Shard: key[1].(int)}), key[2].(blog.PostID).UUID})
		case blog.AuthorPost:
			keys = append(keys, Key{OfAuthor(c.Group.Table, key[0].(blog.UserID)), key[1].(blog.PostID).UUID})
		case blog.AuthorComment:
			keys = append(keys, Key{OfAuthor(c.Group.Table, key[0].(blog.UserID)), key[1].(blog.CommentID).UUID})
		}
	}
	return keys
}
