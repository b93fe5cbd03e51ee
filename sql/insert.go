package sql

import (
	"io/fs"
	"path"
	"strings"
	"text/template"
)

// InsertShape is what the rows of one insert have in common. The statement enqueue may be a
// template, with [[ and ]] around its actions, of which each shape makes a statement: what
// the rows share is a parameter or NULL there, and the JSON holds only the rest.
type InsertShape struct {
	Own    CellSet // differ from row to row: taken out of the JSON
	Absent CellSet // NULL in all rows
	One    bool    // it is a single row, which needs no JSON
}

// AnyInsert is the shape of rows of which nothing is known.
var AnyInsert = InsertShape{Own: AllCells}

// OneQueue reports whether all rows are of the same queue. A template asks.
func (s InsertShape) OneQueue() bool { return !s.Own.Has(QueueCell) }

// Cells returns all cells for a template.
func (s InsertShape) Cells() []InsertCell {
	list := make([]InsertCell, CellCount)
	for c := range CellCount {
		list[c] = InsertCell{Name: c.Name(), Kind: c.Kind(), Own: s.Own.Has(c), Absent: s.Absent.Has(c)}
	}
	return list
}

// OwnCells returns the cells that differ from row to row.
func (s InsertShape) OwnCells() []InsertCell {
	var own []InsertCell
	for _, c := range s.Cells() {
		if c.Own {
			own = append(own, c)
		}
	}
	return own
}

// InsertCell is a cell of an InsertShape.
type InsertCell struct {
	Name        string
	Kind        CellKind
	Own, Absent bool
}

// insertFile is the statement that inserts items, in the folder queries of each engine.
const insertFile = "enqueue.sql"

// Insert makes the statement enqueue of an engine for each shape of rows.
type Insert struct{ template *template.Template }

// ReadInsert reads the statement enqueue of an engine. It fails if the file is a template
// that cannot be executed for some kind of shape.
func ReadInsert(files fs.FS, engine string) (*Insert, error) {
	name := path.Join(engine, "queries", insertFile)
	text, err := newExpander(files, engine).readFile(name)
	if err != nil {
		return nil, err
	}
	in, err := parseInsert(name, text)
	if err != nil {
		return nil, err
	}
	alike := InsertShape{Own: 1 << PayloadCell}
	absent := InsertShape{Own: 1 << PayloadCell, Absent: AllCells &^ (1 << PayloadCell)}
	for _, s := range []InsertShape{AnyInsert, alike, absent, {One: true}} {
		if _, err := in.Statement(s); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func parseInsert(name, text string) (*Insert, error) {
	t, err := template.New("sql/"+name).Delims("[[", "]]").Parse(text)
	return &Insert{t}, err
}

// Statement returns the statement for rows of a shape.
func (in *Insert) Statement(s InsertShape) (string, error) {
	var b strings.Builder
	if err := in.template.Execute(&b, s); err != nil {
		return "", err
	}
	return b.String(), nil
}
