package e2e

import (
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

// largestPage is the feed as an app's components ask for it, each by a fragment of its own,
// with __typename at every level, as the caches of Apollo's and Relay's clients need it.
const largestPage = `
query FeedPage($first: Int!, $after: String, $comments: Int!) {
  __typename
  viewer { ...Me __typename }
  feed(first: $first, after: $after) {
    ...FeedList
    __typename
  }
}
fragment Me on User { id username displayName __typename }
fragment FeedList on PostConnection {
  edges {
    cursor
    node { ...PostCard id __typename }
    __typename
  }
  pageInfo { ...PageEnds __typename }
  __typename
}
fragment PageEnds on PageInfo { hasNextPage hasPreviousPage startCursor endCursor __typename }
fragment PostCard on Post {
  id
  title
  excerpt
  createdAt
  updatedAt
  version
  ...PostByline
  ...PostCounts
  ...PostComments
  __typename
}
fragment PostByline on Post { id createdAt author { ...AuthorLink id __typename } __typename }
fragment AuthorLink on User { id username __typename }
fragment PostCounts on Post { id commentCount likeCount viewerHasLiked __typename }
fragment PostComments on Post {
  id
  comments(first: $comments, order: OLDEST_FIRST) {
    totalCount
    edges {
      cursor
      node { ...CommentLine id __typename }
      __typename
    }
    pageInfo { ...PageEnds __typename }
    __typename
  }
  __typename
}
fragment CommentLine on Comment { id content createdAt updatedAt version author { ...AuthorLink id __typename } __typename }
`

// The largest page that an app sensibly shows is within every default limit of a public server.
func TestLargestSensiblePage(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--limit", "work=1000").Ready()
	page := s.Do("POST", "/graphql", `{"query": `+harness.Quote(largestPage)+`, "variables": {"first": 100, "comments": 5}, "extensions": {"cost": true, "budget": true}}`,
		map[string]string{"Content-Type": "application/json", "Authorization": "Bearer alice"}).OK()
	if posts := page.All("data.feed.edges", "node.author.username"); len(posts) != 100 {
		t.Errorf("%d posts", len(posts))
	}
	if !strings.Contains(page.Text, `"content":`) || !strings.Contains(page.Text, `"viewerHasLiked":`) {
		t.Error("no comments, or no likes")
	}
	t.Logf("its cost is %s, its answer %d bytes, its work %s", page.At("extensions.cost"), len(page.Text), page.At("extensions.budget.spent"))
}
