package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCommittedFilesAreTheGenerated(t *testing.T) {
	inbox := filepath.Join("..", "project", "data", "inbox")
	generated := files()
	for name, want := range generated {
		got, err := os.ReadFile(filepath.Join(inbox, name))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s differs from what is generated (%v); hint: go generate ./examples/invoices", name, err)
		}
	}
	entries, err := os.ReadDir(inbox)
	if err != nil || len(entries) != len(generated) {
		t.Errorf("the inbox holds %d files, want %d (%v)", len(entries), len(generated), err)
	}
}
