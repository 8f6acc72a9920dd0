package floor

import (
	"time"

	"github.com/gocql/gocql"
)

// What is answered: the fields that the measured documents ask for.

type author struct {
	ID       gocql.UUID `json:"id"`
	Username string     `json:"username"`
}

type user struct {
	author
	DisplayName *string   `json:"displayName"`
	Bio         *string   `json:"bio"`
	CreatedAt   time.Time `json:"createdAt"`
	Version     int       `json:"version"`
}

type post struct {
	ID           gocql.UUID `json:"id"`
	Title        string     `json:"title"`
	Excerpt      string     `json:"excerpt,omitempty"`
	Content      string     `json:"content,omitempty"`
	CreatedAt    time.Time  `json:"createdAt"`
	UpdatedAt    time.Time  `json:"updatedAt"`
	Version      int        `json:"version"`
	CommentCount int        `json:"commentCount"`
	LikeCount    int        `json:"likeCount"`
	Author       any        `json:"author"` // author, or user where more is asked
	Comments     []comment  `json:"comments,omitempty"`
}

type comment struct {
	ID        gocql.UUID `json:"id"`
	Content   string     `json:"content"`
	CreatedAt time.Time  `json:"createdAt"`
	UpdatedAt time.Time  `json:"updatedAt"`
	Version   int        `json:"version"`
	Author    author     `json:"author"`
}

type like struct {
	CreatedAt time.Time `json:"createdAt"`
	User      author    `json:"user"`
}

// page is a list with what leads to the next one.
type page[T any] struct {
	TotalCount *int `json:"totalCount,omitempty"`
	Items      []T  `json:"items"`
	HasNext    bool `json:"hasNextPage"`
}

// paged cuts the row that was read to learn whether more follow.
func paged[T any](items []T, limit int, total *int) page[T] {
	if len(items) > limit {
		return page[T]{total, items[:limit], true}
	}
	return page[T]{total, items, false}
}
