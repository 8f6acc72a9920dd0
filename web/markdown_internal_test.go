package web

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// example is a text, and what prose.tsx makes of it: markdown.mjs writes them. The texts are the examples
// of the CommonMark specification, by John MacFarlane (CC BY-SA 4.0), and some of GitHub's extensions.
type example struct{ Markdown, HTML string }

func examples(t *testing.T) []example {
	t.Helper()
	text, err := os.ReadFile("testdata/markdown.json")
	if err != nil {
		t.Fatal(err)
	}
	return decoded[[]example](text)
}

var (
	prosaic  = regexp.MustCompile(`^<div class="prose" dir="auto">(?s:(.*))</div>$`)
	spaces   = regexp.MustCompile(`\s+`)
	address  = regexp.MustCompile(`href="[^"]*"`)
	atBounds = regexp.MustCompile(`\s*(</?(?:p|pre|li|br|blockquote|h\d|code|ul|ol|t[dhr]|table|thead|tbody|hr)(?: [^>]*)?/?>)\s*`)
)

// shown is HTML as it is shown: however its characters, its addresses and the blanks around its blocks are
// written.
func shown(page string) string {
	page = strings.ReplaceAll(strings.ReplaceAll(page, "/>", ">"), "tabIndex", "tabindex")
	page = address.ReplaceAllStringFunc(page, func(href string) string {
		if plain, err := url.PathUnescape(html.UnescapeString(href)); err == nil {
			return plain
		}
		return href
	})
	return strings.TrimSpace(atBounds.ReplaceAllString(spaces.ReplaceAllString(html.UnescapeString(page), " "), "$1"))
}

// Who has no script reads what the app shows.
func TestMarkdownIsReadAsByTheApp(t *testing.T) {
	all := examples(t)
	for at, e := range all {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			got, want := shown(string(markdown(e.Markdown))), shown(prosaic.ReplaceAllString(e.HTML, "$1"))
			if got == want == deviant[e.Markdown] {
				t.Errorf("%q\nhere    %s\nthe app %s", e.Markdown, got, want)
			}
		})
	}
	if len(all) < 650 {
		t.Errorf("%d examples", len(all))
	}
}

// deviant are the examples that the app reads otherwise.
var deviant = map[string]bool{
	// It knows ten references by name, and none in titles.
	"&nbsp; &amp; &copy; &AElig; &Dcaron;\n&frac34; &HilbertSpace; &DifferentialD;\n&ClockwiseContourIntegral; &ngE;\n": true,
	"[foo](/f&ouml;&ouml; \"f&ouml;&ouml;\")\n":          true,
	"[foo]\n\n[foo]: /f&ouml;&ouml; \"f&ouml;&ouml;\"\n": true,
	"[link](/url \"title \\\"&quot;\")\n":                true,
	// It shows a picture's text as it was written.
	"![[[foo](uri1)](uri2)](uri3)\n":                                   true,
	"![foo *bar*]\n\n[foo *bar*]: train.jpg \"train & tracks\"\n":      true,
	"![foo ![bar](/url)](/url2)\n":                                     true,
	"![foo [bar](/url)](/url2)\n":                                      true,
	"![foo *bar*][]\n\n[foo *bar*]: train.jpg \"train & tracks\"\n":    true,
	"![foo *bar*][foobar]\n\n[FOOBAR]: train.jpg \"train & tracks\"\n": true,
	"![*foo* bar][]\n\n[*foo* bar]: /url \"title\"\n":                  true,
	"![*foo* bar]\n\n[*foo* bar]: /url \"title\"\n":                    true,
	"[![a](https://b.example/c.png)](https://d.example)":               true, // a link within a link
	"<https://foo.bar/baz bim>\n":                                      true, // no link by CommonMark, and one by GitHub's extension
	"a | b\n- | -\n1 | 2\n\nend":                                       true, // a table, or a list
}

// Nothing that anybody writes becomes an element that is not in prose.tsx, or a link to follow.
func TestMarkdownIsSafe(t *testing.T) {
	tags := regexp.MustCompile(`<[^>]*>`)
	allowed := regexp.MustCompile(`^</?(?:p|h[2-6]|blockquote|ul|li|code|em|strong|del|thead|tbody|tr|td|th|table|pre|a)>$|^<(?:hr|br)>$|^</?ol(?: start="\d+")?>$|^<(?:pre|table) tabindex="0">$|` +
		`^<t[dh] class="(?:left|right|center)">$|^<a href="(?:(?i:https?:|mailto:)|/|#)[^"<>]*"(?: title="[^"<>]*")? rel="nofollow ugc noopener">$`)
	hostile := []string{
		`<script>alert(1)</script>`, "<img src=x onerror=alert(1)>\n\n<b onclick=x>y</b>", `[a](javascript:alert(1))`, `[a](&#106;avascript:alert(1))`,
		`[a](java&Tab;script:alert(1))`, `[a](<javascript:alert(1)>)`, `<javascript:alert(1)>`, `![a](data:text/html,x)`, `[a](vbscript:x "t")`,
		`[a](https://b "\" onclick=\"x")`, `[a](https://b&quot;onclick=x)`, "[a]: javascript:x\n\n[a]", `<a href="javascript:x">y</a>`, `javascript://%0aalert(1)`,
		"|a|\n|-|\n|<script>|", "```<script>\n</code></pre><script>\n```", "`</code><script>`", "<!-- --><script>", `[<img src=x>](/y)`, "\x00<b>", "[a](/\x00b)",
	}
	for _, e := range examples(t) {
		hostile = append(hostile, e.Markdown)
	}
	for _, text := range hostile {
		for _, tag := range tags.FindAllString(string(markdown(text)), -1) {
			if !allowed.MatchString(tag) {
				t.Errorf("%q gives %s", text, tag)
			}
		}
	}
}

// Of 64 KiB of anything a page is made, and it is not deep: without bounds some take minutes, on a busy machine this takes seconds.
func TestMarkdownOfAnybodyIsBounded(t *testing.T) {
	marks := []string{
		">", "> ", "1. ", "- ", "* ", "*a ", "_a", "**a ", "*a_ ", "~~a ", "`", "``a", "[", "![", "[a](", "[a][", "<", "<!--", "*", "_", "**_", "a**b", "***a",
		"\\", "&", "|", "a|b\n-|-\n", "#", "```\n", "- a\n", ">\n- ", "1) a\n  ", "[a]: b\n", "a@", "www.", "=\n", "a\n-\n", "<div>\n", "*😀", "> - ", "_a_", "*a*", "a*",
		"[a", "]", "[]", "[](", "![[]()", "<a ", "<?", "<![CDATA[", "<a@", "http://a ", "https://", "a.b@c ", "[^a", "~", "- [ ] ", "\t", "  \n", "a  \n", "&amp;", "|-", "[a]:", "(", "- \n  ",
	}
	hostile := []string{strings.Repeat("*", 32_000) + "a" + strings.Repeat("*", 32_000), strings.Repeat("*a ", 10_000) + strings.Repeat(" b*", 10_000)}
	for _, mark := range marks {
		hostile = append(hostile, strings.Repeat(mark, 65_000/len(mark)))
		hostile = append(hostile, "|a|\n|-|\n|"+strings.Repeat(mark, 64_000/len(mark)), "# "+strings.Repeat(mark, 64_000/len(mark)))
	}
	for _, rows := range []int{1, 5_000, 16_000} { // a row has the cells of its header, however short it is
		columns := (64_000 - 2*rows) / 4
		hostile = append(hostile, strings.Repeat("a|", columns)+"\n"+strings.Repeat("-|", columns)+"\n"+strings.Repeat("|\n", rows))
	}
	table := strings.Repeat("a|", 100) + "\n" + strings.Repeat("-|", 100) + "\n" + strings.Repeat("|\n", 90) + "\n"
	hostile = append(hostile, strings.Repeat(table, 64_000/len(table)))
	for _, link := range []string{"[a]", "[b][a]", "![a]", "![][a]"} { // a definition is as long as its links are many
		hostile = append(hostile, "[a]: /"+strings.Repeat("b", 32_000)+"\n\n"+strings.Repeat(link, 32_000/len(link)), "[a]: / \""+strings.Repeat("b", 32_000)+"\"\n\n"+strings.Repeat(link, 32_000/len(link)))
	}
	for at := range 300 { // backticks of all lengths
		hostile[0] += strings.Repeat("`", at) + " "
	}
	for _, text := range hostile {
		began := time.Now()
		page := string(markdown(text))
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%.20q took %v", text, took)
		} else if took > 100*time.Millisecond {
			t.Logf("%.20q took %v", text, took)
		}
		if deep := strings.Count(page[:max(strings.LastIndex(page, "<blockquote>"), 0)], "<blockquote>"); strings.HasPrefix(text, ">>") && deep > 2*deepest {
			t.Errorf("%.20q is %d deep", text, deep)
		}
		if len(page) > 64*len(text) {
			t.Errorf("%.20q becomes %d bytes", text, len(page))
		}
	}
}
