package live

import (
	"errors"

	"broadsheet/blog"
)

// Why a stream ends, beside the errors of the store, and io.EOF, by which it is complete.
var (
	ErrSlow    = errors.New("the events were taken too slowly: subscribe again after the last cursor")
	ErrStopped = errors.New("the server is shutting down: subscribe again, after the last cursor")
)

// errHole ends a stream of a post's comments where the feed lacks the number of one.
func errHole() error {
	return blog.Errorf(blog.Expired, "a comment of the post is in no event: fetch the comments anew, and subscribe after their live cursor")
}

// errOutage is the end of a stream of states that could not be read for longer than a passing failure
// takes.
func errOutage(cause error) error {
	return &blog.Error{Kind: blog.Unavailable, Message: "the post can't be read now: subscribe again later", Err: cause}
}

func errCursor() error {
	return blog.FieldErrorf(blog.Invalid, "after", "is no cursor of these events: give one back as it was received")
}
