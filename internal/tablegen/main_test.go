package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
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
