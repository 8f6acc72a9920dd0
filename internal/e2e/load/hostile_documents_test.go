package load

import (
	"fmt"
	"strings"
	"testing"
)

// repeat writes a format so many times, with the number of each time.
func repeat(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// nested puts an opening around an inner text so many times.
func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// circle is the one that the schema has: an author's posts, whose author has posts.
func circle(levels, first int, inner string) string {
	page := fmt.Sprintf("author {posts(first: %d) {edges {node {", first)
	return fmt.Sprintf("{feed(first: %d) {edges {node {", first) + nested(levels, page, inner, "}}}}") + "}}}}"
}

const (
	tooComplex = "QUERY_TOO_COMPLEX"
	unparsed   = "GRAPHQL_PARSE_FAILED"
	invalid    = "GRAPHQL_VALIDATION_FAILED"
	badInput   = "BAD_USER_INPUT"
	noRequest  = "BAD_REQUEST"
)

// documents are texts that stand for more than they show, or for nothing.
func (h *hostile) documents(t *testing.T) {
	bomb := "{...F0} fragment F120 on Query {__typename}"
	for i := range 120 {
		bomb += fmt.Sprintf(" fragment F%d on Query {...F%d ...F%d}", i, i+1, i+1)
	}
	for name, c := range map[string]struct{ query, code string }{
		"101 aliases":                        {"{" + repeat(101, "a%d: viewer {id} ") + "}", tooComplex},
		"3,000 aliases":                      {"{" + repeat(3000, "a%d: __typename ") + "}", tooComplex},
		"aliases of aliases":                 {"{" + repeat(10, "a%d: feed {...E}") + "} fragment E on PostConnection {" + repeat(10, "b%d: edges {...N} ") + "} fragment N on PostEdge {" + repeat(10, "c%d: node {id} ") + "}", tooComplex},
		"aliases of a subtree that reads":    {"{" + repeat(100, "a%d: feed(first: 100) {edges {node {content}}} ") + "}", tooComplex},
		"a circle, as deep as may be, short": {circle(4, 2, "id"), "OK"},
		"a circle, as deep as may be, long":  {circle(4, 100, "id"), tooComplex},
		"a circle that is too deep":          {circle(5, 1, "id"), tooComplex},
		"a circle of 500 levels":             {circle(500, 1, "id"), unparsed},
		"2,000 levels of fields":             {nested(2000, "{a", "", "}"), unparsed},
		"999 levels of fields":               {nested(999, "{a", " b", "}"), tooComplex},
		"2 to the power of 120 fields":       {bomb, tooComplex},
		"a fragment that spreads itself":     {"{...A} fragment A on Query {...A}", invalid},
		"a circle of 1,000 fragments":        {circularFragments(1000), invalid},
		"1,400 fragments that none spreads":  {"{__typename}" + repeat(1400, "fragment F%d on Query {id}"), invalid},
		"a fragment spread 4,000 times":      {"{" + strings.Repeat("...F ", 4000) + "} fragment F on Query {__typename}", tooComplex},
		"100,000 ids in the text":            {`{nodes(ids: [` + strings.Repeat(`"1",`, 100_000) + `]) {id}}`, tooComplex},
		"9,900 ids in the text":              {`{nodes(ids: [` + strings.Repeat(`"1",`, 9900) + `]) {id}}`, tooComplex},
		"101 directives":                     {"{viewer {" + strings.Repeat("id @include(if: true) ", 101) + "}}", tooComplex},
		"1,600 directives at a field":        {"{viewer " + strings.Repeat("@skip(if: false) ", 1600) + "{id}}", tooComplex},
		"4,000 directives at an operation":   {"query A " + strings.Repeat("@a ", 4000) + "{id}", tooComplex},
		"100 unknown directives":             {"{viewer {id " + repeat(100, "@d%d ") + "}}", invalid},
		"a million tokens":                   {"{" + strings.Repeat("a ", 500_000) + "}", tooComplex},
		"a million commas":                   {"{__typename" + strings.Repeat(",", 1_000_000) + "}", "OK"},
		"300,000 comments":                   {strings.Repeat("#\n", 300_000) + "{__typename}", tooComplex},
		"a long comment":                     {"#" + strings.Repeat("x", 1_000_000) + "\n{__typename}", "OK"},
		"a long name":                        {"{" + strings.Repeat("x", 1_000_000) + "}", invalid},
		"a long string":                      {`{user(username: "` + strings.Repeat("x", 1_000_000) + `") {id}}`, "OK"},
		"a long block of text":               {`{user(username: """` + strings.Repeat("\n x", 200_000) + `""") {id}}`, "OK"},
		"a string without an end":            {`{user(username: "` + strings.Repeat("x", 1_000_000), unparsed},
		"a number of 100,000 digits":         {`{feed(first: ` + strings.Repeat("9", 100_000) + `) {edges {cursor}}}`, invalid},
		"4,990 unknown fields":               {"{" + repeat(4990, "unknown%d ") + "}", invalid},
		"4,000 wrong arguments":              {"{feed(" + repeat(4000, "wrong%d: 1 ") + ") {edges {cursor}}}", tooComplex},
		"3,000 wrong arguments":              {"{feed(" + repeat(3000, "wrong%d: 1 ") + ") {edges {cursor}}}", invalid},
		"the same argument 3,000 times":      {"{feed(" + strings.Repeat("first: 1 ", 3000) + ") {edges {cursor}}}", invalid},
		"2,000 unknown fragments":            {"{" + repeat(2000, "...F%d ") + "}", tooComplex},
		"2,000 unknown types":                {"{" + repeat(2000, "... on T%d {id} ") + "}", tooComplex},
		"1,900 operations":                   {repeat(1900, "query Q%d {id}"), invalid},
		"1,900 operations of one name":       {strings.Repeat("query Q {id}", 1900), invalid},
		"1,500 variables, unused":            {"query(" + repeat(1500, "$v%d: Int ") + ") {__typename}", invalid},
		"1,500 variables, unknown":           {"{nodes(ids: [" + repeat(1500, "$v%d ") + "]) {id}}", invalid},
		"900 lists in lists":                 {"{nodes(ids: " + nested(900, "[", `"1"`, "]") + ") {id}}", invalid},
		"5,000 lists in lists":               {"{nodes(ids: " + nested(4990, "[", "", "]") + ") {id}}", unparsed},
		"900 objects in objects":             {"mutation {createPost(input: " + nested(900, "{title: ", `"1"`, "}") + ") {post {id}}}", invalid},
		"900 types in types":                 {"query($v: " + nested(900, "[", "ID", "]") + ") {nodes(ids: $v) {id}}", invalid},
		"220 times a field":                  {"{" + strings.Repeat("__typename ", 220) + "}", "OK"},
		"4,990 times a field":                {"{" + strings.Repeat("__typename ", 4990) + "}", tooComplex},
		"fields that contradict each other":  {"{" + repeat(600, "a: user(username: \"n%d\") {id} ") + "}", tooComplex},
		"introspection of introspection":     {"{__schema {types {" + nested(7, "fields {type {", "name", "}}") + "}}}", invalid},
		"introspection 100 times":            {"{" + repeat(100, "a%d: __schema {...S} ") + "} fragment S on __Schema {types {fields {name description type {fields {name description args {name description}}}}}}", tooComplex},
		"a type definition":                  {"type Query {id: ID!}", unparsed},
		"a subscription":                     {"subscription {nothing}", invalid},
		"nothing":                            {"", "OPERATION_RESOLUTION_FAILURE"},
		"NUL":                                {"{__typename\x00}", unparsed},
		"a byte order mark":                  {"\ufeff{__typename}", "OK"},
		"half a surrogate pair, escaped":     {`{user(username: "\uD800") {id}}`, unparsed},
		"a code point beyond Unicode":        {`{user(username: "\u{110000}") {id}}`, unparsed},
	} {
		t.Run(name, func(t *testing.T) { wantCode(h.operation(t, c.query, ""), c.code) })
	}
}

// circularFragments spread each the next, and the last the first.
func circularFragments(n int) string {
	text := "{...F0}"
	for i := range n {
		text += fmt.Sprintf("fragment F%d on Query {...F%d}", i, (i+1)%n)
	}
	return text
}
