package main

import (
	"bytes"
	"os"
	"testing"
	"testing/fstest"

	"broadsheet/internal/productmap"
)

func TestTheReadmeIsCurrent(t *testing.T) {
	before, after, err := readme(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("README.md's map is not what productmap.Queries and productmap.Commands say: run `make generate`")
	}
}

func TestOnlyTheMapIsWritten(t *testing.T) {
	repository := fstest.MapFS{"README.md": {Data: []byte("before\n" + begin(queries) + "old\n" + end(queries) + "between\n" + begin(commands) + "old\n" + end(commands) + "after\n")}}
	for _, row := range productmap.Queries {
		repository["cassandra/schema/0001_"+string(row.Table)+".cql"] = &fstest.MapFile{}
	}
	_, after, err := readme(repository)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(after, []byte("before\n"+begin(queries)+"\n| ")) || !bytes.HasSuffix(after, []byte(" |\n\n"+end(commands)+"after\n")) {
		t.Errorf("got\n%s", after)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	marks := &fstest.MapFile{Data: []byte(begin(queries) + end(queries) + begin(commands) + end(commands))}
	for name, repository := range map[string]fstest.MapFS{
		"no README":       {},
		"no marks":        {"README.md": {Data: []byte(end(queries) + begin(queries))}},
		"no schema":       {"README.md": marks},
		"schema is twice": {"README.md": marks, "cassandra/schema/0001_users_by_id.cql": {}, "cassandra/schema/0002_users_by_id.cql": {}},
	} {
		if _, _, err := readme(repository); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
