package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"broadsheet/internal/productmap"
)

func TestThePagesAreCurrent(t *testing.T) {
	pages, err := changed(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for page := range pages {
		t.Errorf("%s is not what productmap.Queries and productmap.Commands say: run `make generate`", page)
	}
}

// marked is a repository whose pages have the marks of their halves, and a text before and after them.
func marked() fstest.MapFS {
	files := fstest.MapFS{}
	for _, h := range []half{queries, commands} {
		files[h.page] = &fstest.MapFile{Data: []byte("before\n" + h.begin() + "old\n" + h.end() + "after\n")}
	}
	for _, row := range productmap.Queries {
		files["cassandra/schema/0001_"+string(row.Table)+".cql"] = &fstest.MapFile{}
	}
	return files
}

func TestOnlyTheMapIsWritten(t *testing.T) {
	pages, err := changed(marked())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []half{queries, commands} {
		after := string(pages[h.page])
		if !strings.HasPrefix(after, "before\n"+h.begin()+"\n| ") || !strings.HasSuffix(after, " |\n\n"+h.end()+"after\n") {
			t.Errorf("%s: got\n%s", h.page, after)
		}
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	for name, spoil := range map[string]func(fstest.MapFS){
		"no README":       func(f fstest.MapFS) { delete(f, queries.page) },
		"no marks":        func(f fstest.MapFS) { f[commands.page].Data = []byte(commands.end() + commands.begin()) },
		"no schema":       func(f fstest.MapFS) { delete(f, "cassandra/schema/0001_users_by_id.cql") },
		"schema is twice": func(f fstest.MapFS) { f["cassandra/schema/0002_users_by_id.cql"] = &fstest.MapFile{} },
	} {
		files := marked()
		spoil(files)
		if _, err := changed(files); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
