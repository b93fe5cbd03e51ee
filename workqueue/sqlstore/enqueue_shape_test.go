package sqlstore

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	sqlfiles "botwork/sql"
)

var dialects = []*dialect{&sqliteDialect, &postgresDialect, &sqlServerDialect}

// The statement reads values that differ between rows from the JSON, and gets the others as
// parameters.
func TestEnqueueGetsSharedValuesAsParameters(t *testing.T) {
	row := newItemRow{}
	for c := range sqlfiles.CellCount {
		row.cells[c] = "x"
	}
	row.cells[sqlfiles.LimitCell], row.cells[sqlfiles.RetainCell] = nil, nil
	other := row
	other.cells[sqlfiles.PriorityCell], other.cells[sqlfiles.DueCell] = "y", nil
	for _, d := range dialects {
		t.Run(d.folder, func(t *testing.T) {
			q, err := loadQueries(sqlfiles.Files, d, "queries", nil)
			if err != nil {
				t.Fatal(err)
			}
			shaped := func(rows ...newItemRow) insert {
				t.Helper()
				in, err := q.insert(shapeOf(rows))
				if err != nil {
					t.Fatal(err)
				}
				return in
			}
			if !d.insertByShape {
				if got, all := shaped(row), q.texts[enqueueStatement]; got.Text != all.Text || got.InsertShape != sqlfiles.AnyInsert {
					t.Errorf("the statement for one row is %s, want the general one", got.Text)
				}
				return
			}
			for _, test := range []struct {
				what string
				rows []newItemRow
				own  []sqlfiles.Cell
			}{
				{"one row", []newItemRow{row}, nil},
				{"equal rows", []newItemRow{row, row}, []sqlfiles.Cell{sqlfiles.PayloadCell}},
				{"different rows", []newItemRow{row, row, other}, []sqlfiles.Cell{sqlfiles.PayloadCell, sqlfiles.PriorityCell, sqlfiles.DueCell}},
			} {
				got := shaped(test.rows...)
				if slices.Contains(got.Names, "rows") != (test.own != nil) {
					t.Errorf("%s: the parameters are %v", test.what, got.Names)
				}
				if slices.Contains(got.Names, "queues") {
					t.Errorf("%s: the parameters are %v; want no parameter for several queues", test.what, got.Names)
				}
				for c := range sqlfiles.CellCount {
					own, absent := slices.Contains(test.own, c), row.cells[c] == nil
					if slices.Contains(got.Names, c.Name()) == (own || absent) {
						t.Errorf("%s: %s is among the parameters %v: %t, want %t", test.what, c.Name(), got.Names, own || absent, !own && !absent)
					}
					insert, _, _ := strings.Cut(got.Text, "\nWHERE")
					if own != (strings.Contains(insert, `r."`+c.Name()+`"`) || strings.Contains(insert, "'$."+c.Name()+"'")) {
						t.Errorf("%s: %s is read from the JSON: %t, want %t, in\n%s", test.what, c.Name(), !own, own, insert)
					}
				}
				if again := shaped(test.rows...); again.name != got.name || got.name == enqueueStatement {
					t.Errorf("%s: the statement is first %q and then %q", test.what, got.name, again.name)
				}
			}
		})
	}
}

// A template that cannot be executed, or that lacks a cell, is an error when a store is opened,
// not at the first insert of such rows.
func TestInvalidEnqueueTemplateFailsAtOpen(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT [[if .One]]@Queue":                                               "unexpected EOF",
		"SELECT 1[[if and .OneQueue (not .One)]][[.Rows]][[end]]":                "can't evaluate field Rows",
		"SELECT [[range .Cells]][[if ne .Name `Meta`]]@[[.Name]],[[end]][[end]]": "does not use the cell Meta",
	} {
		_, err := newInserts(fstest.MapFS{"sqlite/queries/enqueue.sql": {Data: []byte(text)}}, &sqliteDialect)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// The number of statements that are kept is limited, however many shapes there are.
func TestInsertsAreLimited(t *testing.T) {
	for _, d := range dialects {
		q, err := loadQueries(sqlfiles.Files, d, "queries", nil)
		if err != nil {
			t.Fatal(err)
		}
		for own := range sqlfiles.CellSet(3 * shapesKept) {
			got, err := q.insert(sqlfiles.InsertShape{Own: own})
			if err != nil {
				t.Fatal(err)
			}
			if got.Own != own && got.InsertShape != sqlfiles.AnyInsert {
				t.Errorf("%s: the statement for %x is that of %x", d.folder, own, got.Own)
			}
		}
		if n := len(q.inserts.made); n > shapesKept {
			t.Errorf("%s: %d statements are kept, want at most %d", d.folder, n, shapesKept)
		}
	}
}
