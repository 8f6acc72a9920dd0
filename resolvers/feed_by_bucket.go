package resolvers

import (
	"context"

	"broadsheet/graph"
	"broadsheet/relay"
)

// Feed reads a page of all posts.
func (q query) Feed(ctx context.Context, first *int, after *string, last *int, before *string) (graph.PostConnection, error) {
	list := relay.Feed()
	request, err := pageOf(list, first, after, last, before)
	if err != nil {
		return graph.PostConnection{}, err
	}
	page, err := q.store.Feed(ctx, request)
	if err != nil {
		return graph.PostConnection{}, err
	}
	return postConnection(ctx, list, page), nil
}
