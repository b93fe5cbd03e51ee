package sql

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCellsHaveNamesAndKinds(t *testing.T) {
	seen := map[string]bool{}
	for c := range CellCount {
		if c.Name() == "" || c.Kind() == "" || seen[c.Name()] {
			t.Errorf("cell %d has the name %q and the kind %q", c, c.Name(), c.Kind())
		}
		seen[c.Name()] = true
		if got, ok := CellNamed(c.Name()); got != c || !ok {
			t.Errorf("CellNamed(%q) = %d, %t; want %d", c.Name(), got, ok, c)
		}
	}
	if _, ok := CellNamed("Nothing"); ok {
		t.Error("there is a cell Nothing")
	}
}

// The golden files contain what a server gets for rows of some shapes. The statement for any
// shape is with the other statements.
func TestInsertsOfShapes(t *testing.T) {
	absent := AllCells &^ (1<<QueueCell | 1<<StateCell | 1<<PriorityCell | 1<<ConfigCell | 1<<PayloadCell | 1<<DelayCell)
	for _, engine := range []string{"sqlite", "postgres"} {
		in, err := ReadInsert(Files, engine)
		if err != nil {
			t.Fatal(err)
		}
		for name, shape := range map[string]InsertShape{
			"one_row":      {One: true, Absent: absent},
			"own_payloads": {Own: 1 << PayloadCell, Absent: absent},
			"own_due":      {Own: 1<<PayloadCell | 1<<PriorityCell | 1<<DueCell, Absent: absent},
		} {
			statement, err := in.Statement(shape)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "inserts", engine, name+".sql")
			got := withoutCommentLines(statement)
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%v; -update writes it", err)
				continue
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", file, diff)
			}
		}
	}
}
