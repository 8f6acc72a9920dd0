package load

import (
	"fmt"
	"strings"
	"testing"
)

// hostileValues are JSON that a variable may hold. What each scalar and input takes of
// them is in the table below; all else is refused.
var hostileValues = map[string]string{
	"null": "null", "true": "true", "a text": `"text"`, "no text": `""`, "a number in a text": `"5"`,
	"5": "5", "0": "0", "-1": "-1", "2^31": "2147483648", "-2^31-1": "-2147483649", "2^53": "9007199254740993", "2^64": "18446744073709551616",
	"1.5": "1.5", "5.0": "5.0", "5e0": "5e0", "1e400": "1e400", "1e-400": "1e-400", "1,000 digits": strings.Repeat("9", 1000),
	"NaN in a text": `"NaN"`, "Infinity in a text": `"Infinity"`,
	"a list": "[]", "a list of 5": "[5]", "lists in lists": nested(900, "[", "1", "]"),
	"an object": "{}", "an object of an object": `{"__proto__": {"a": 1}}`, "objects in objects": nested(900, `{"a": `, "1", "}"),
	"NUL": `"a\u0000b"`, "half a surrogate pair": `"\ud800"`, "a million characters": `"` + strings.Repeat("x", 900_000) + `"`,
}

// values are of wrong types, for each scalar and input.
func (h *hostile) values(t *testing.T) {
	const list, feed = `[`, "{edges {cursor}}"
	ids := []string{"a text", "no text", "a number in a text", "5", "0", "-1", "2^31", "-2^31-1", "2^53", "2^64", "5.0", "5e0", "1e-400", "NaN in a text", "Infinity in a text", "NUL", "half a surrogate pair", "a million characters"}
	for name, c := range map[string]struct {
		query string
		wrap  string   // the variables, %s is the value
		takes []string // values that are as good as any
	}{
		"Int":              {"query($v: Int) {feed(first: $v) " + feed + "}", `{"v": %s}`, []string{"null", "5", "5.0", "5e0"}},
		"String":           {"query($v: String) {feed(after: $v) " + feed + "}", `{"v": %s}`, []string{"null"}},
		"ID":               {"query($v: ID!) {node(id: $v) {id}}", `{"v": %s}`, ids},
		"an id of a post":  {"query($v: ID!) {post(id: $v) {id}}", `{"v": %s}`, nil},
		"ids":              {"query($v: [ID!]!) {nodes(ids: $v) {id}}", `{"v": %s}`, append([]string{"a list", "a list of 5"}, ids...)},
		"an id in a list":  {"query($v: [ID!]!) {nodes(ids: $v) {id}}", `{"v": [%s]}`, ids},
		"Boolean":          {"query($v: Boolean!) {__typename @include(if: $v) viewer {id}}", `{"v": %s}`, []string{"true"}},
		"DateTime":         {`query($v: DateTime) {comments(postId: "` + h.post + `", createdFrom: $v) {totalCount}}`, `{"v": %s}`, []string{"null"}},
		"SortOrder":        {`query($v: SortOrder!) {comments(postId: "` + h.post + `", order: $v) {totalCount}}`, `{"v": %s}`, nil},
		"an input":         {"mutation($v: CreatePostInput!) {createPost(input: $v) {post {id} userErrors {code}}}", `{"v": %s}`, nil},
		"a text in one":    {"mutation($v: CreatePostInput!) {createPost(input: $v) {userErrors {code}}}", `{"v": {"title": "T", "content": "C", "idempotencyKey": 7, "title": %s}}`, nil},
		"a version in one": {"mutation($v: UpdateUserInput!) {updateUser(input: $v) {user {id} userErrors {code}}}", `{"v": {"expectedVersion": %s, "bio": 1}}`, nil},
		"an unknown field": {"mutation($v: CreatePostInput!) {createPost(input: $v) {userErrors {code}}}", `{"v": {"title": "T", "content": "C", "unknown": %s}}`, nil},
		"an unknown name":  {"{__typename}", `{"unknown": %s}`, keys(hostileValues)},
	} {
		t.Run(name, func(t *testing.T) {
			for value, text := range hostileValues {
				t.Run(value, func(t *testing.T) {
					code := badInput
					for _, taken := range c.takes {
						if value == taken {
							code = "OK"
						}
					}
					wantCode(h.operation(t, c.query, fmt.Sprintf(c.wrap, text)), code)
				})
			}
		})
	}
}

func keys(m map[string]string) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}
