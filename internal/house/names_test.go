package house

import (
	"go/ast"
	"go/doc/comment"
	"path"
	"regexp"
	"strings"
	"testing"
)

// declarations are what the module's packages declare, by folder: names, methods and fields as
// "Type.Name", and for what a type embeds the type's name as "Type.".
type declarations map[string]map[string]bool

func declarationsOf(t *testing.T) declarations {
	all := declarations{}
	for _, f := range parsed(t) {
		names := all[f.folder()]
		if names == nil {
			names = map[string]bool{}
			all[f.folder()] = names
		}
		for _, declaration := range f.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
					continue
				}
				names[receiver(d.Recv.List[0].Type)+"."+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					addSpec(names, spec)
				}
			}
		}
	}
	return all
}

func receiver(e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

func addSpec(names map[string]bool, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			names[name.Name] = true
		}
	case *ast.TypeSpec:
		names[s.Name.Name] = true
		ast.Inspect(s.Type, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			for _, name := range field.Names {
				names[s.Name.Name+"."+name.Name] = true
			}
			if len(field.Names) == 0 {
				names[s.Name.Name+"."] = true
			}
			return true
		})
	}
}

// has reports whether a folder declares a name, of a type if one is given.
func (d declarations) has(folder, of, name string) bool {
	names := d[folder]
	if of == "" {
		return names[name]
	}
	return names[of+"."+name] || names[of+"."]
}

// The names in brackets of a comment are links: go doc and editors follow them.
func TestDocLinksLeadSomewhere(t *testing.T) {
	all, folders := declarationsOf(t), packageFolders(t)
	for _, f := range parsed(t) {
		p := comment.Parser{LookupSym: func(string, string) bool { return true }, LookupPackage: func(name string) (string, bool) {
			for _, imported := range f.imports() {
				if path.Base(imported) == name {
					return imported, true
				}
			}
			folder, ok := folders[name]
			return module + "/" + folder, ok
		}}
		for _, group := range f.Comments {
			eachLink(p.Parse(group.Text()).Content, func(l *comment.DocLink) {
				folder, ours := f.folder(), true
				if l.ImportPath != "" {
					folder, ours = strings.CutPrefix(l.ImportPath, module+"/")
				}
				if ours && l.Name != "" && !all.has(folder, l.Recv, l.Name) {
					t.Errorf("%s:%d: a comment links to %s, which %s does not declare", f.path, f.line(group), l.DefaultURL(""), folder)
				}
			})
		}
	}
}

// packageFolders are the folders of the module's packages, by name.
func packageFolders(t *testing.T) map[string]string {
	folders := map[string]string{}
	for _, f := range parsed(t) {
		if !f.isTest() {
			folders[f.Name.Name] = f.folder()
		}
	}
	return folders
}

// eachLink calls do for the links to declarations within blocks of a comment.
func eachLink(blocks []comment.Block, do func(*comment.DocLink)) {
	text := func(parts []comment.Text) {
		for _, part := range parts {
			if link, ok := part.(*comment.DocLink); ok {
				do(link)
			}
		}
	}
	for _, block := range blocks {
		switch b := block.(type) {
		case *comment.Paragraph:
			text(b.Text)
		case *comment.Heading:
			text(b.Text)
		case *comment.List:
			for _, item := range b.Items {
				eachLink(item.Content, do)
			}
		}
	}
}

var (
	fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	span   = regexp.MustCompile("`([^`]+)`")
	// hump is a name of the code: a word with a hump or an underscore within.
	hump      = regexp.MustCompile(`\b[A-Za-z]*(?:[a-z][A-Z]|[a-z]_[a-z])\w*`)
	wholePath = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+$`)
	qualified = regexp.MustCompile(`^([a-z]+)\.([A-Z]\w*)`)
	testName  = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`)
	someWord  = regexp.MustCompile(`\w+`)
)

// foreign are names of others: Cassandra's, nginx's and Kubernetes' settings, Relay's, the guides'.
var foreign = map[string]bool{"maximum_timestamp_": true, "paxos_repair_enabled": true, "paxos_state_purging": true, "persistConfig": true,
	"proxy_add_x_forwarded_for": true, "proxy_set_header": true, "terminationGracePeriodSeconds": true, "user_name": true}

// What a page calls by the name that it has in the code is there: a table, a type, a function, a
// metric, a file. What moved is found by its reader under another name.
func TestPagesNameWhatExists(t *testing.T) {
	all, folders, words := declarationsOf(t), packageFolders(t), map[string]bool{}
	sources, err := filesNamed(".go", ".cql", ".graphqls", ".ts", ".tsx", ".js", ".json", ".yml", ".yaml", ".toml", ".py", "Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if strings.Contains(source, "/dist/") {
			continue
		}
		for _, word := range someWord.FindAllString(text(t, source), -1) {
			words[word] = true
		}
	}
	pages, err := filesNamed(".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if strings.Contains(page, "/dist/") || strings.Contains(page, "testdata/") {
			continue
		}
		prose := fenced.ReplaceAllString(text(t, page), "")
		names := testName.FindAllString(prose, -1)
		for _, code := range span.FindAllStringSubmatch(prose, -1) {
			if first, _, _ := strings.Cut(code[1], "/"); wholePath.MatchString(code[1]) && first != "." && exists(first) && !exists(code[1]) {
				t.Errorf("%s names %s, and there is no such file", page, code[1])
			}
			if q := qualified.FindStringSubmatch(code[1]); q != nil && folders[q[1]] != "" && !all.has(folders[q[1]], "", q[2]) {
				t.Errorf("%s names %s, which %s does not declare", page, code[1], folders[q[1]])
			}
			names = append(names, hump.FindAllString(code[1], -1)...)
		}
		for _, name := range names {
			if !words[name] && !foreign[name] && !strings.HasPrefix(name, "broadsheet_") { // metrics: see internal/httpapi
				t.Errorf("%s names %s, which is nowhere in the code", page, name)
			}
		}
	}
}
