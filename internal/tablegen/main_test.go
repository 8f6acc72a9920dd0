package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestTheStatementsAreCurrent(t *testing.T) {
	made, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range made {
		if got, err := os.ReadFile("../../" + file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what %s and %s say: run `make generate`", file, declarations, queriesFile)
		}
	}
}

func TestNoLineOfAStatementIsTooLong(t *testing.T) {
	text, err := os.ReadFile("../../cassandra/tables/statements_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if len(line) > 120 {
			t.Errorf("cassandra/tables/statements_gen.go:%d has %d columns", i+1, len(line))
		}
	}
}
