// Package blogclient is a client of Broadsheet, typed by genqlient: go tool genqlient writes generated.go.
package blogclient

import (
	"context"
	"errors"
	"net/http"

	"github.com/Khan/genqlient/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// New returns a client of the API at url, which sends a token.
func New(url, token string) graphql.Client {
	return graphql.NewClient(url, &http.Client{Transport: bearer(token)})
}

type bearer string

func (token bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// Titles reads the titles of the feed, page by page.
func Titles(ctx context.Context, c graphql.Client, pages int) ([]string, error) {
	var titles []string
	var after *string
	for range pages {
		page, err := Feed(ctx, c, 5, after)
		if err != nil {
			return titles, err
		}
		for _, edge := range page.Feed.Edges {
			titles = append(titles, edge.Node.Title)
		}
		if after = page.Feed.PageInfo.EndCursor; !page.Feed.PageInfo.HasNextPage {
			break
		}
	}
	return titles, nil
}

// Code returns the code of the first GraphQL error in err, empty where there is none.
func Code(err error) string {
	var list gqlerror.List
	if !errors.As(err, &list) || len(list) == 0 {
		return ""
	}
	code, _ := list[0].Extensions["code"].(string)
	return code
}
