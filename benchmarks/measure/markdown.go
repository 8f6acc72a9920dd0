package measure

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// write writes what was compared: first the p50 of every model beside each
// other, as the guides' table has them, then all figures.
func (t Table) write(b *strings.Builder, models []string) {
	short := grid{append([]string{"", "request"}, models...)}
	ratio := len(models) > 1
	if ratio {
		short[0] = append(short[0], models[0]+" ÷ "+models[len(models)-1])
	}
	full := grid{{"", "model", "statements", "partitions", "rows", "bytes", "p50 ms", "p95 ms", "p99 ms", "requests/s", "CPU ms", "errors"}}
	for _, row := range t.Rows {
		line := []string{row.Request, row.What}
		for i, cell := range row.Cells {
			line = append(line, latency(cell.P50))
			full = append(full, []string{
				row.Request, models[i], amount(cell.Statements), amount(cell.Partitions), amount(cell.Rows), size(cell.Bytes),
				latency(cell.P50), latency(cell.P95), latency(cell.P99), amount(cell.PerSecond), latency(cell.CPU), fmt.Sprint(cell.Errors),
			})
		}
		if ratio {
			line = append(line, quotient(row.Cells[0].P50, row.Cells[len(row.Cells)-1].P50))
		}
		short = append(short, line)
	}
	fmt.Fprintf(b, "%s, p50 in ms:\n\n%s\nEach request in full:\n\n%s", connectionsText(t.Connections), short, full)
	for _, row := range t.Rows {
		for i, cell := range row.Cells {
			b.WriteString(cell.complaint(row.Request + " on " + models[i]))
		}
	}
}

// complaint returns a paragraph on the errors that a request met; empty: none.
func (r Result) complaint(request string) string {
	if r.Errors == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s, the first of %d errors: %s\n", request, r.Errors, r.FirstError)
}

func connectionsText(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}

func latency(ms float64) string {
	switch {
	case ms == 0:
		return "–"
	case ms < 0.1:
		return fmt.Sprintf("%.3f", ms)
	case ms < 10:
		return fmt.Sprintf("%.2f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

func amount(x float64) string {
	if x < 10 && x != float64(int(x)) {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func size(bytes float64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", bytes)
}

// quotient returns x ÷ y where both are known.
func quotient(x, y float64) string {
	if x == 0 || y == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", x/y)
}

// grid is a table's cells; the first row is its head. All but the first two columns
// hold figures.
type grid [][]string

// String returns the table as GitHub's Markdown, its columns in line.
func (g grid) String() string {
	widths := make([]int, len(g[0]))
	for _, row := range g {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 2)
		}
	}
	var b strings.Builder
	for n, row := range g {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < 2 {
				b.WriteString("| " + cell + pad + " ")
			} else {
				b.WriteString("| " + pad + cell + " ")
			}
		}
		b.WriteString("|\n")
		for i := range row {
			switch {
			case n > 0:
			case i < 2:
				b.WriteString("|" + strings.Repeat("-", widths[i]+2))
			default:
				b.WriteString("|" + strings.Repeat("-", widths[i]+1) + ":")
			}
		}
		if n == 0 {
			b.WriteString("|\n")
		}
	}
	return b.String()
}
