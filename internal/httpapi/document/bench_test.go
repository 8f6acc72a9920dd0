package document_test

import (
	"fmt"
	"testing"

	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/relay"
)

const benchmarked = `query Feed%d($first: Int!) {feed(first: $first) {edges {cursor node {...Post comments(first: 5) {totalCount edges {node {id content author {id username}}}}}} pageInfo {hasNextPage endCursor}}}
	fragment Post on Post {id title excerpt createdAt commentCount likeCount author {id username}}`

// BenchmarkPrepare prepares a document that is kept, and one that is not: parsed, measured,
// validated, and another dropped for it.
func BenchmarkPrepare(b *testing.B) {
	b.Run("kept", func(b *testing.B) { prepare(b, 1) })
	b.Run("new", func(b *testing.B) { prepare(b, 1_100) })
}

func prepare(b *testing.B, texts int) {
	d := document.New(schema, relay.Scalars, &limit.Default, true)
	var all []string
	for i := range texts {
		all = append(all, fmt.Sprintf(benchmarked, i))
		if _, errs := d.Prepare(b.Context(), nil, all[i]); errs != nil {
			b.Fatal(errs)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, errs := d.Prepare(b.Context(), nil, all[i%texts]); errs != nil {
			b.Fatal(errs)
		}
	}
}
