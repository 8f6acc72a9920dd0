package document

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"broadsheet/internal/httpapi/limit"
)

// BenchmarkMeasure is what is done with a parsed document before it is validated.
func BenchmarkMeasure(b *testing.B) {
	doc, err := parser.ParseQuery(&ast.Source{Input: `query($n: Int) {` + strings.Repeat(`a(n: $n) {b c {id ...F}} `, 20) + `} fragment F on Leaf {id a {b a {b}}}`})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if size, err := measure(doc, &limit.Default); err != nil || size.compared == 0 {
			b.Fatal(err)
		}
	}
}
