package live

import "broadsheet/blog"

// Held returns what the hub holds for streams: its uses, lists, states, authors, and what was
// read for events.
func (h *Hub) Held() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tail == nil {
		return []int{0, 0, 0, 0, 0}
	}
	h.tail.mu.Lock()
	defer h.tail.mu.Unlock()
	read := &h.tail.held
	return []int{h.tail.uses, len(h.tail.lists), len(h.tail.states), len(h.tail.authors), len(read.posts.of) + len(read.comments.of) + len(read.made)}
}

// PostID names the post of an event.
func (a about) PostID() blog.PostID { return a.event.Post }

// CommentID names the comment of an event.
func (e CommentCreatedEvent) CommentID() blog.CommentID { return e.event.Comment }

// Number returns which of its post's comments the event's one is.
func (e CommentCreatedEvent) Number() int { return e.event.Comments }
