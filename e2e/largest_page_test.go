package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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

// The largest page that an app sensibly shows is within every default limit.
func TestLargestSensiblePage(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir()).ready()
	page := s.do("POST", "/graphql", `{"query": `+quote(largestPage)+`, "variables": {"first": 100, "comments": 5}, "extensions": {"cost": true}}`,
		map[string]string{"Content-Type": "application/json", "Authorization": "Bearer alice"}).ok()
	if posts := page.all("data.feed.edges", "node.author.username"); len(posts) != 100 {
		t.Errorf("%d posts", len(posts))
	}
	if !strings.Contains(page.text, `"content":`) || !strings.Contains(page.text, `"viewerHasLiked":`) {
		t.Error("no comments, or no likes")
	}
	t.Logf("its cost is %s, its answer %d bytes", page.at("extensions.cost"), len(page.text))
}

// The introspection queries that tools send are within the limits: GraphiQL's as our own
// playground sends it; and graphql-js's with all that may be asked for, which GraphQL Code
// Generator, Relay's and Apollo's tools send more or less of.
func TestIntrospectionOfTools(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo").ready()
	for name, options := range map[string]map[string]bool{
		"GraphiQL":   {"descriptions": true},
		"everything": {"descriptions": true, "specifiedByUrl": true, "directiveIsRepeatable": true, "schemaDescription": true, "inputValueDeprecation": true, "oneOf": true},
		"the least":  {},
	} {
		query := introspection(t, options)
		got := s.as("", query, "").ok()
		got.want("data.__schema.queryType.name", "Query")
		t.Logf("%s: %d bytes are answered with %d", name, len(query), len(got.text))
	}
}

var (
	conditional = regexp.MustCompile(`\$\{s\("([^"]*)"\)\}`)
	optional    = regexp.MustCompile(`\$\{(\w)\}`)
)

// introspection returns the introspection query that the playground's GraphiQL has in it,
// which is graphql-js's, with options of its getIntrospectionQuery.
func introspection(t *testing.T, options map[string]bool) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(repository, "httpapi/playground/assets/graphiql.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(script), "return`\\n    query IntrospectionQuery {")
	text, _, ended := strings.Cut(text, "`")
	if !found || !ended {
		t.Fatal("GraphiQL's introspection query is not where it was: read the new one's source")
	}
	chosen := func(option, text string) string {
		if options[option] {
			return text
		}
		return ""
	}
	names := map[string]string{
		"n": chosen("descriptions", "description"), "r": chosen("specifiedByUrl", "specifiedByURL"),
		"i": chosen("directiveIsRepeatable", "isRepeatable"), "o": chosen("schemaDescription", "description"), "a": chosen("oneOf", "isOneOf"),
	}
	text = conditional.ReplaceAllString(text, chosen("inputValueDeprecation", "$1"))
	text = optional.ReplaceAllStringFunc(text, func(name string) string { return names[name[2:3]] })
	if strings.Contains(text, "$") {
		t.Fatalf("something is left to choose: %s", text)
	}
	return "query IntrospectionQuery {" + strings.ReplaceAll(text, `\n`, "\n")
}
