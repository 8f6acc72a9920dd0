package load

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// expensive are requests just within the limits, all at once.
func (h *hostile) expensive(t *testing.T) {
	contents := `comments(postId: "` + h.long + `", first: 100) {edges {node {content}}}`
	requests := map[string]struct{ query, code string }{
		"500 partitions, in one list":     {"{feed(first: 99) {edges {node {content author {bio} comments {totalCount} likes {edges {cursor}}}}}}", tooComplex},
		"203 partitions":                  {"{feed(first: 100) {edges {node {title content comments(first: 5) {totalCount edges {node {content author {username}}}}}}}}", "OK"},
		"496 partitions, by aliases":      {"{" + repeat(16, "a%d: feed(first: 28) {edges {node {content}}} ") + "}", "OK"},
		"a circle":                        {circle(3, 4, "id title excerpt createdAt"), "OK"},
		"100 pages of 100":                {"{" + repeat(100, "a%d: feed(first: 100) {edges {node {id title excerpt createdAt commentCount author {id username}}}} ") + "}", "OK"},
		"4,995 selections":                {"{" + repeat(97, "a%d: user(username: \"alice_the_author\") {...U} ") + "} fragment U on User {" + strings.Repeat("id username displayName bio createdAt version ", 8) + "}", "OK"},
		"220 times a field":               {"{" + strings.Repeat("__typename ", 220) + "}", "OK"},
		"100 aliases of a text":           {`{comments(postId: "` + h.long + `", first: 100) {edges {node {` + repeat(100, "c%d: content ") + "}}}}", tooComplex},
		"100 lists of long texts":         {"{" + repeat(100, "c%d: "+contents+" ") + "}", tooComplex},
		"the longest texts of one list":   {"{" + contents + "}", "OK"},
		"introspection, as clients do it": {"{__schema {types {name description fields(includeDeprecated: true) {name description args {name description type {name}} type {kind name ofType {kind name ofType {name}}}}}}}", "OK"},
		"1,000 deep in variables":         {"query($v: [ID!]!) {nodes(ids: $v) {id}}", badInput},
	}
	variables := map[string]string{"1,000 deep in variables": `{"v": ` + nested(1000, "[", "1", "]") + `}`}
	var all sync.WaitGroup
	began := time.Now()
	for name, c := range requests {
		all.Go(func() {
			t.Run(name, func(t *testing.T) { inTime(h.operation(t, c.query, variables[name]), c.code) })
		})
	}
	all.Wait()
	t.Logf("%d of them at once took %v", len(requests), time.Since(began).Round(time.Millisecond))
}
