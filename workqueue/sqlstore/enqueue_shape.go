package sqlstore

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"botwork/internal/namedsql"
	sqlfiles "botwork/sql"
)

// enqueueStatement is the file that inserts items.
const enqueueStatement = "enqueue"

// shapeOf compares the rows. Most are alike but for their payloads, so what all share goes
// as a parameter of its own: taking 28 values out of JSON takes longer than inserting the
// row. Payloads are assumed to differ: if they do not, that is chance.
func shapeOf(rows []newItemRow) sqlfiles.InsertShape {
	first := &rows[0].cells
	s := sqlfiles.InsertShape{One: len(rows) == 1}
	if !s.One {
		s.Own = 1 << sqlfiles.PayloadCell
	}
	for c := range sqlfiles.CellCount {
		for i := 1; i < len(rows) && !s.Own.Has(c); i++ {
			if rows[i].cells[c] != first[c] {
				s.Own |= 1 << c
			}
		}
		if !s.Own.Has(c) && first[c] == nil {
			s.Absent |= 1 << c
		}
	}
	return s
}

// shapesKept bounds the statements that one template becomes.
const shapesKept = 100

// inserts are the statement enqueue of an engine, for each shape that has come.
type inserts struct {
	byShape bool // else there is one statement for all shapes
	source  *sqlfiles.Insert
	general insert

	mu   sync.Mutex
	made map[sqlfiles.InsertShape]insert // guarded by mu
}

// insert is the statement enqueue for the rows of a shape.
type insert struct {
	sqlfiles.InsertShape
	name string
	namedsql.Statement
}

// newInserts fails if the statement does not take every cell.
func newInserts(statements fs.FS, d *dialect) (*inserts, error) {
	source, err := sqlfiles.ReadInsert(statements, d.folder)
	if err != nil {
		return nil, err
	}
	in := &inserts{byShape: d.insertByShape, source: source, made: map[sqlfiles.InsertShape]insert{}}
	if in.general, err = in.of(sqlfiles.AnyInsert, enqueueStatement, d.driver.Style()); err != nil || !in.byShape {
		return in, err
	}
	shared, err := in.of(sqlfiles.InsertShape{One: true}, "", d.driver.Style())
	if err != nil {
		return nil, err
	}
	for c := range sqlfiles.CellCount {
		if !slices.Contains(shared.Names, c.Name()) {
			return nil, fmt.Errorf("statement %s does not take the cell %s", enqueueStatement, c.Name())
		}
	}
	return in, nil
}

func (in *inserts) of(s sqlfiles.InsertShape, name string, style namedsql.Style) (insert, error) {
	text, err := in.source.Statement(s)
	if err != nil {
		return insert{}, err
	}
	// A line end after the semicolon is a second statement for SQLite's driver.
	return insert{s, name, namedsql.Compile(strings.TrimSpace(text), style)}, nil
}

// insert returns the statement for a shape, and the general one when too many shapes have
// come.
func (q *queries) insert(s sqlfiles.InsertShape) (insert, error) {
	in := q.inserts
	in.mu.Lock()
	defer in.mu.Unlock()
	if made, ok := in.made[s]; ok {
		return made, nil
	}
	if !in.byShape || len(in.made) >= shapesKept {
		return in.general, nil
	}
	made, err := in.of(s, fmt.Sprintf("%s %x %x %t", enqueueStatement, s.Own, s.Absent, s.One), q.style)
	if err != nil {
		return insert{}, err
	}
	in.made[s] = made
	return made, nil
}
