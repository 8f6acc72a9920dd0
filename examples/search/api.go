package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"
)

// atOnce is how many posts are fetched together. Texts have at most 64 KiB, which JSON's escapes may
// make six times as long: so many always fit into an answer of 16 MiB, the server's limit.
const atOnce = 40

// A server that is away, or busy, is asked again.
const (
	tries = 30
	pause = time.Second
)

// api is Broadsheet's GraphQL API.
type api struct{ url string }

type post struct{ ID, Title, Content string }

// posts fetches posts by their ids, in the order asked; nil: it is gone.
func (a api) posts(ctx context.Context, ids []string) ([]*post, error) {
	var data struct{ Nodes []*post }
	err := a.ask(ctx, `query($ids: [ID!]!) { nodes(ids: $ids) { ... on Post { id title content } } }`,
		map[string]any{"ids": ids}, &data)
	return data.Nodes, err
}

// feed fetches the ids of a page of all posts. next is the cursor for the page after it; nil: there is
// none. A page may be short where more follows.
func (a api) feed(ctx context.Context, after *string) (ids []string, next *string, err error) {
	var data struct {
		Feed struct {
			Edges    []struct{ Node struct{ ID string } }
			PageInfo struct {
				HasNextPage bool
				EndCursor   *string
			}
		}
	}
	err = a.ask(ctx, `query($first: Int!, $after: String) {
		feed(first: $first, after: $after) { edges { node { id } } pageInfo { hasNextPage endCursor } }
	}`, map[string]any{"first": atOnce, "after": after}, &data)
	for _, edge := range data.Feed.Edges {
		ids = append(ids, edge.Node.ID)
	}
	if page := data.Feed.PageInfo; page.HasNextPage {
		if next = page.EndCursor; next == nil {
			err = errors.Join(err, errors.New("a page of the feed has no cursor, and more follows"))
		}
	}
	return ids, next, err
}

// ask executes a query. An answer with errors is none: what is null in it need not be gone.
func (a api) ask(ctx context.Context, query string, variables, data any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		if err = a.once(ctx, body, data); err == nil || try == tries {
			return err
		}
		log.Printf("%v; asking again in %v", err, pause)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (a api) once(ctx context.Context, body []byte, data any) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Data   json.RawMessage
		Errors []struct{ Message string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s answers %s: %w", a.url, response.Status, err)
	}
	if len(answer.Errors) > 0 || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %v", a.url, response.Status, answer.Errors)
	}
	return json.Unmarshal(answer.Data, data)
}
