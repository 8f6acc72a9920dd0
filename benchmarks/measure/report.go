package measure

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
)

// Report is what a comparison found.
type Report struct {
	Store  string   `json:"store"`
	Users  int      `json:"users"`
	Posts  int      `json:"posts"` // that were asked for
	Models []string `json:"models"`
	Tables []Table  `json:"tables"`
}

// Markdown returns the report as text.
func (r Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s store, %d users, %d posts; %s\n", r.Store, r.Users, r.Posts, machine())
	for _, t := range r.Tables {
		b.WriteString("\n")
		t.write(&b, r.Models)
	}
	b.WriteString("\n" + legend)
	return b.String()
}

const legend = `Statements, partitions and rows are what the database read or wrote for one request;
bytes are those of its answers, as they came. CPU is the measuring process's own, for
one request.
`

// JSON returns the report's figures.
func (r Report) JSON() ([]byte, error) { return indented(r) }

func indented(figures any) ([]byte, error) {
	text, err := json.MarshalIndent(figures, "", "  ")
	return append(text, '\n'), err
}

// machine says where figures are from.
func machine() string {
	return fmt.Sprintf("%s, %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
