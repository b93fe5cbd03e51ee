package sql

import (
	"io/fs"
	"path"
	"strings"
	"text/template"
)

// InsertShape is what the rows of one insert have in common. The statement enqueue may be a
// template, with actions between [[ and ]], that makes a statement for each shape: values that
// the rows share are parameters or NULL, and the JSON contains only the rest.
type InsertShape struct {
	Own    CellSet // differ from row to row: read from the JSON
	Absent CellSet // NULL in all rows
	One    bool    // there is a single row, which needs no JSON
}

// AnyInsert is the shape for rows of which nothing is known.
var AnyInsert = InsertShape{Own: AllCells}

// OneQueue reports whether all rows are in the same queue. Templates call it.
func (s InsertShape) OneQueue() bool { return !s.Own.Has(QueueCell) }

// OneSeries reports whether all rows have the same queue, pipeline and priority, and so are
// counted together in the statistics over time. Templates call it.
func (s InsertShape) OneSeries() bool {
	const names = 1<<QueueCell | 1<<ConfigCell | 1<<PriorityCell
	return (s.Own|s.Absent)&names == 0
}

// Deadlines reports whether rows have a deadline that is a time. Templates call it.
func (s InsertShape) Deadlines() bool { return !s.Absent.Has(DeadlineCell) }

// Cells returns all cells for a template.
func (s InsertShape) Cells() []InsertCell {
	list := make([]InsertCell, CellCount)
	for c := range CellCount {
		list[c] = InsertCell{Name: c.Name(), Kind: c.Kind(), Own: s.Own.Has(c), Absent: s.Absent.Has(c)}
	}
	return list
}

// VaryingCells returns the cells that differ from row to row.
func (s InsertShape) VaryingCells() []InsertCell {
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

// ReadInsert reads the statement enqueue of an engine. It fails if the file is a template that
// cannot be executed for every kind of shape.
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
