package web

import (
	"bufio"
	"bytes"
	"fmt"
	"html/template"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"broadsheet/internal/recent"
)

// markdown returns a text as HTML, with the elements of prose.tsx: nothing of the text is HTML by itself, pictures are
// links, and only addresses to follow are links. What was read last is kept: some texts take long.
func markdown(source string) template.HTML {
	if read, known := texts.Get(source); known {
		return read
	}
	read := unread(source)
	return texts.Add(source, read, len(source)+len(read))
}

var texts = recent.New[string, template.HTML](1_000, 8<<20)

func unread(source string) (read template.HTML) {
	defer func() {
		if recover() != nil { // in the library
			read = template.HTML("<p>" + template.HTMLEscapeString(source) + "</p>")
		}
	}()
	var page bytes.Buffer
	w := &prose{Writer: bufio.NewWriter(&page), source: []byte(source), addresses: len(source) + 64<<10}
	w.node(reader.Parser().Parse(text.NewReader(w.source)), 0)
	_ = w.Flush() // to memory
	return template.HTML(page.String())
}

// What anybody writes is read within bounds, as by bounded-lexer.ts. What is beyond them stays as it was written.
const (
	deepest   = 20     // quotations in lists in quotations, and as many marks within a line
	mostMarks = 500    // that a block may have: they are matched in quadratic time
	mostCells = 10_000 // of all tables: a row has those of its header, however short it is
)

// reader reads CommonMark, with the extensions of GitHub that the app has.
var reader = goldmark.New(goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList), goldmark.WithParser(parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(fewMarks{}, 0))...),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(smallTables{extension.NewTableParagraphTransformer()}, 200))...),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)))

// shallow opens no block that is too deep.
type shallow struct{ parser.BlockParser }

// Open is a method of [parser.BlockParser].
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > deepest {
			return nil, parser.NoChildren
		}
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// fewMarks counts what may be a mark, and ends a line's marks if its block has too many.
type fewMarks struct{}

// Trigger is a method of [parser.InlineParser].
func (fewMarks) Trigger() []byte { return []byte("*_~[]!<`&\\") }

// marked is how many marks a block has had so far.
type marked struct {
	block ast.Node
	marks int
}

var markedKey = parser.NewContextKey()

// Parse is a method of [parser.InlineParser].
func (fewMarks) Parse(block ast.Node, reader text.Reader, pc parser.Context) ast.Node {
	m, _ := pc.Get(markedKey).(*marked)
	if m == nil || m.block != block {
		m = &marked{block: block}
		pc.Set(markedKey, m)
	}
	if m.marks++; m.marks <= mostMarks {
		return nil
	}
	_, line := reader.PeekLine()
	line = line.TrimRightSpace(reader.Source())
	reader.Advance(line.Len())
	return ast.NewRawTextSegment(line)
}

// smallTables leaves a paragraph as it is if its table might have more cells than are left.
type smallTables struct{ parser.ParagraphTransformer }

var cellsKey = parser.NewContextKey()

// Transform is a method of [parser.ParagraphTransformer].
func (s smallTables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	all, columns := node.Lines().Len(), 0
	for _, line := range node.Lines().Sliced(0, all) {
		columns = max(columns, bytes.Count(line.Value(reader.Source()), []byte("|"))+1)
	}
	cells, _ := pc.Get(cellsKey).(int)
	if cells += columns * all; cells > mostCells {
		return
	}
	if s.ParagraphTransformer.Transform(node, reader, pc); node.Lines().Len() < all {
		pc.Set(cellsKey, cells)
	}
}

// prose writes what was read.
type prose struct {
	*bufio.Writer
	source    []byte
	linked    bool // it is within a link, which has no other in it
	addresses int  // bytes that links may still have as they were written: any number of them has one definition
}

// node writes a node that is so deep in others, and its children.
func (w *prose) node(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Text:
		w.text(n)
	case *ast.CodeSpan:
		w.WriteString("<code>")
		w.escaped(bytes.ReplaceAll(n.Text(w.source), []byte("\n"), []byte(" ")))
		w.WriteString("</code>")
	case *ast.Link:
		w.link(n, n.Destination, n.Title, depth)
	case *ast.Image:
		w.link(n, n.Destination, n.Title, depth)
	case *ast.AutoLink:
		w.link(n, destination(n, w.source), nil, depth)
	case *ast.RawHTML:
		w.escaped(n.Segments.Value(w.source))
	case *ast.HTMLBlock:
		w.WriteString("<p>")
		w.escaped(n.Lines().Value(w.source))
		if n.HasClosure() {
			w.escaped(n.ClosureLine.Value(w.source))
		}
		w.WriteString("</p>")
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.WriteString(`<pre tabindex="0"><code>`)
		w.escaped(bytes.TrimSuffix(n.Lines().Value(w.source), []byte("\n")))
		w.WriteString("</code></pre>")
	case *ast.ThematicBreak:
		w.WriteString("<hr>")
	case *east.TaskCheckBox:
		w.WriteString(map[bool]string{true: "☑ ", false: "☐ "}[n.IsChecked])
	default:
		open, end := element(n)
		if depth > 2*deepest { // within a line
			open, end = "", ""
		}
		w.WriteString(open)
		w.children(n, depth)
		w.WriteString(end)
	}
}

func (w *prose) children(n ast.Node, depth int) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		w.node(child, depth+1)
	}
}

// link writes a link, or its text alone if its address is none to follow or one too many.
func (w *prose) link(n ast.Node, address, title []byte, depth int) {
	w.addresses -= len(address) + len(title)
	is := w.addresses >= 0 && !w.linked
	if is {
		address = util.URLEscape(address, n.Kind() != ast.KindAutoLink)
		is = followed.Match(address)
	}
	if is {
		w.linked = true
		w.WriteString(`<a href="`)
		w.escaped(address)
		if len(title) > 0 {
			w.WriteString(`" title="`)
			html.DefaultWriter.Write(w, title)
		}
		w.WriteString(`" rel="nofollow ugc noopener">`)
	}
	switch n := n.(type) {
	case *ast.AutoLink:
		w.escaped(n.Label(w.source))
	default:
		if w.children(n, depth); !n.HasChildren() && n.Kind() == ast.KindImage && w.addresses >= 0 {
			w.escaped(address)
		}
	}
	if is {
		w.WriteString("</a>")
		w.linked = false
	}
}

// element returns the tags around a node's children, empty for a node that has none of its own.
func element(n ast.Node) (open, end string) {
	name, attributes := "", ""
	switch n := n.(type) {
	case *ast.Paragraph:
		name = "p"
	case *ast.Heading: // the page's own heading is the first
		name = fmt.Sprintf("h%d", min(n.Level+1, 6))
	case *ast.Blockquote:
		name = "blockquote"
	case *ast.List:
		if name = "ul"; n.IsOrdered() {
			name, attributes = "ol", fmt.Sprintf(` start="%d"`, max(n.Start, 1))
		}
	case *ast.ListItem:
		name = "li"
	case *ast.Emphasis:
		name = [...]string{"em", "strong"}[n.Level-1]
	case *east.Strikethrough:
		name = "del"
	case *east.Table:
		return `<table tabindex="0">`, "</tbody></table>"
	case *east.TableHeader:
		return "<thead><tr>", "</tr></thead><tbody>"
	case *east.TableRow:
		name = "tr"
	case *east.TableCell:
		if name = "td"; n.Parent().Kind() == east.KindTableHeader {
			name = "th"
		}
		if n.Alignment != east.AlignNone {
			attributes = fmt.Sprintf(` class="%s"`, n.Alignment)
		}
	}
	if name == "" {
		return "", ""
	}
	return "<" + name + attributes + ">", "</" + name + ">"
}

func destination(n *ast.AutoLink, source []byte) []byte {
	address := n.URL(source)
	if n.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(address), []byte("mailto:")) {
		return append([]byte("mailto:"), address...)
	}
	return address
}

// followed are the addresses of links: no javascript:, no data:.
var followed = regexp.MustCompile(`^(?i:https?:|mailto:|/|#)`)

// text writes characters as they are read.
func (w *prose) text(n *ast.Text) {
	value := n.Segment.Value(w.source)
	if n.IsRaw() {
		w.escaped(value)
	} else {
		html.DefaultWriter.Write(w, value)
	}
	switch {
	case n.HardLineBreak():
		w.WriteString("<br>")
	case n.SoftLineBreak():
		w.WriteString("\n")
	}
}

func (w *prose) escaped(text []byte) { template.HTMLEscape(w, text) }
