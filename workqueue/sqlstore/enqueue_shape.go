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

// shapeOf compares the rows. Most rows differ only in their payloads, and a value that all rows
// share is a separate parameter: reading 28 values out of JSON takes longer than inserting the
// row. Payloads always count as different.
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

// shapesKept limits how many statements are made of one template.
const shapesKept = 100

// inserts are the variants of the statement enqueue, one for each shape so far.
type inserts struct {
	byShape bool // false: one statement serves all shapes
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

// newInserts fails if the statement does not use every cell.
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
			return nil, fmt.Errorf("statement %s does not use the cell %s", enqueueStatement, c.Name())
		}
	}
	return in, nil
}

// fresh returns inserts of the same template for another store.
func (in *inserts) fresh() *inserts {
	return &inserts{byShape: in.byShape, source: in.source, general: in.general, made: map[sqlfiles.InsertShape]insert{}}
}

func (in *inserts) of(s sqlfiles.InsertShape, name string, style namedsql.Style) (insert, error) {
	text, err := in.source.Statement(s)
	if err != nil {
		return insert{}, err
	}
	// SQLite's driver takes a line break after the semicolon for a second statement.
	return insert{s, name, namedsql.Compile(strings.TrimSpace(text), style)}, nil
}

// insert returns the statement for a shape, or the general one if there are too many shapes.
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
