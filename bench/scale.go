package bench

import (
	"fmt"
	"strings"
)

// Size is what one model showed at one size of the data.
type Size struct {
	Users  int     `json:"users"`
	Posts  int     `json:"posts"`
	Tables []Table `json:"tables"`
}

// ScaleReport compares sizes, from the smallest.
type ScaleReport struct {
	Store string `json:"store"`
	Sizes []Size `json:"sizes"`
}

// Markdown returns the report as text: statements, partitions and p50 of each request
// at each size, and how many times the first size's p50 the last one's is.
func (r ScaleReport) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s store; %s\n", r.Store, machine())
	for i, t := range r.Sizes[0].Tables {
		fmt.Fprintf(&b, "\n%s:\n\n%s", connectionsText(t.Connections), r.grid(i))
	}
	return b.String()
}

func (r ScaleReport) grid(table int) grid {
	head := []string{"", "request"}
	for _, what := range []string{"statements", "partitions", "p50 ms"} {
		for _, size := range r.Sizes {
			head = append(head, fmt.Sprintf("%s, %d users", what, size.Users))
		}
	}
	lines := grid{append(head, "p50, last ÷ first")}
	for n, row := range r.Sizes[0].Tables[table].Rows {
		line := []string{row.Request, row.What}
		var cells []Cell
		for _, size := range r.Sizes {
			cells = append(cells, size.Tables[table].Rows[n].Cells[0])
		}
		for _, figure := range []func(Cell) string{
			func(c Cell) string { return amount(c.Statements) },
			func(c Cell) string { return amount(c.Partitions) },
			func(c Cell) string { return latency(c.P50) },
		} {
			for _, c := range cells {
				line = append(line, figure(c))
			}
		}
		lines = append(lines, append(line, quotient(cells[len(cells)-1].P50, cells[0].P50)))
	}
	return lines
}

// JSON returns the report's figures.
func (r ScaleReport) JSON() ([]byte, error) { return indented(r) }
