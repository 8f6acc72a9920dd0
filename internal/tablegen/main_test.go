package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestTheStatementsAreCurrent(t *testing.T) {
	source, err := os.ReadFile("../../" + declarations)
	if err != nil {
		t.Fatal(err)
	}
	want, err := statements(source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../" + generated)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what %s says: run `make generate`", generated, declarations)
	}
}

func TestNoLineOfAStatementIsTooLong(t *testing.T) {
	text, err := os.ReadFile("../../" + generated)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if len(line) > 120 {
			t.Errorf("%s:%d has %d columns", generated, i+1, len(line))
		}
	}
}
