package measure

import (
	"fmt"
	"strings"
)

// Size is one size of the data.
type Size struct {
	Users int `json:"users"`
	Posts int `json:"posts"`
}

// ScaleReport compares sizes, from the smallest. The tables' models are the sizes.
type ScaleReport struct {
	Store  string  `json:"store"`
	Sizes  []Size  `json:"sizes"`
	Tables []Table `json:"tables"`
}

// Markdown returns the report as text: statements, partitions and p50 of each request
// at each size, and how many times the first size's p50 the last one's is.
func (r ScaleReport) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s store; %s\n", r.Store, machine())
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "\n%s:\n\n%s", connectionsText(t.Connections), r.grid(t))
	}
	return b.String()
}

func (r ScaleReport) grid(t Table) grid {
	head := []string{"", "request"}
	for _, what := range []string{"statements", "partitions", "p50 ms"} {
		for _, size := range r.Sizes {
			head = append(head, fmt.Sprintf("%s, %d users", what, size.Users))
		}
	}
	lines := grid{append(head, "p50, last ÷ first")}
	for _, row := range t.Rows {
		line := []string{row.Request, row.What}
		for _, figure := range []func(Cell) string{
			func(c Cell) string { return amount(c.Statements) },
			func(c Cell) string { return amount(c.Partitions) },
			func(c Cell) string { return latency(c.P50) },
		} {
			for _, c := range row.Cells {
				line = append(line, figure(c))
			}
		}
		lines = append(lines, append(line, quotient(row.Cells[len(row.Cells)-1].P50, row.Cells[0].P50)))
	}
	return lines
}

// JSON returns the report's figures.
func (r ScaleReport) JSON() ([]byte, error) { return indented(r) }
