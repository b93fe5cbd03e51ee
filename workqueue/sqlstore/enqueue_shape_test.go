package sqlstore

import (
	"slices"
	"strings"
	"testing"

	"botwork/sql"
)

// A statement that is narrowed takes out of the JSON what differs between rows, and
// the rest as parameters. A file that is written in another way would silently stay
// as it is.
func TestEnqueueIsNarrowedToItsRows(t *testing.T) {
	row := newItemRow{}
	for c := range cells {
		row.cells[c] = "x"
	}
	row.cells[limitCell], row.cells[keepCell] = nil, nil
	other := row
	other.cells[prioCell], other.cells[dueCell] = "y", nil
	for _, d := range []*dialect{&sqliteDialect, &postgresDialect, &sqlServerDialect} {
		t.Run(d.folder, func(t *testing.T) {
			q, err := loadQueries(sql.Files, d, "queries", nil)
			if err != nil {
				t.Fatal(err)
			}
			all := q.texts[enqueueStatement]
			if d.narrow == nil {
				if got := q.shaped(shapeOf([]newItemRow{row})); got.Text != all.Text || got.shape != everyCell {
					t.Errorf("the statement of one row is %s, want that of all", got.Text)
				}
				return
			}
			for c, name := range cellNames {
				if strings.Count(all.Text, `"`+name+`"`)+strings.Count(all.Text, "'$."+name+"'") == 0 {
					t.Errorf("cell %d, %s, is not in the file", c, name)
				}
			}
			for _, test := range []struct {
				what string
				rows []newItemRow
				own  []cell
			}{
				{"one row", []newItemRow{row}, nil},
				{"rows that are alike", []newItemRow{row, row}, []cell{bodyCell}},
				{"rows that differ", []newItemRow{row, row, other}, []cell{bodyCell, prioCell, dueCell}},
			} {
				got := q.shaped(shapeOf(test.rows))
				if slices.Contains(got.Names, "rows") != (test.own != nil) {
					t.Errorf("%s: the parameters are %v", test.what, got.Names)
				}
				if d.folder == "postgres" && slices.Contains(got.Names, "queues") {
					t.Errorf("%s: the parameters are %v; want none for several queues", test.what, got.Names)
				}
				for c, name := range cellNames {
					own, absent := slices.Contains(test.own, cell(c)), row.cells[c] == nil
					if slices.Contains(got.Names, name) == (own || absent) {
						t.Errorf("%s: %s is among the parameters %v: %t, want %t", test.what, name, got.Names, own || absent, !own && !absent)
					}
					insert, _, _ := strings.Cut(got.Text, "\nWHERE")
					if own != (strings.Contains(insert, `"`+name+`" `) || strings.Contains(insert, "'$."+name+"'")) {
						t.Errorf("%s: %s is taken out of the JSON: %t, want %t, in\n%s", test.what, name, !own, own, insert)
					}
				}
				if again := q.shaped(shapeOf(test.rows)); again.name != got.name || got.name == enqueueStatement {
					t.Errorf("%s: the statement is %q, and then %q", test.what, got.name, again.name)
				}
			}
		})
	}
}

// However many shapes come, no more statements are kept than some.
func TestShapesKeptAreBounded(t *testing.T) {
	for _, d := range []*dialect{&sqliteDialect, &postgresDialect, &sqlServerDialect} {
		q, err := loadQueries(sql.Files, d, "queries", nil)
		if err != nil {
			t.Fatal(err)
		}
		for own := range cellSet(3 * shapesKept) {
			if got := q.shaped(shape{own: own}); got.own != own && got.shape != everyCell {
				t.Errorf("%s: the statement of %x is that of %x", d.folder, own, got.own)
			}
		}
		if n := len(q.enqueue.made); n > shapesKept {
			t.Errorf("%s: %d statements are kept, want at most %d", d.folder, n, shapesKept)
		}
	}
}
