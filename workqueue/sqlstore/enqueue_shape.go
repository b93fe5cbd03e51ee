package sqlstore

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"botwork/internal/namedsql"
)

// enqueueStatement is the file that inserts items.
const enqueueStatement = "enqueue"

// shape is what the rows of an insert have in common. Most are alike but for their
// payloads. What all share goes as a parameter of its own, what none has as NULL,
// and the JSON holds the rest alone: taking 28 values out of JSON takes longer than
// inserting the row.
type shape struct {
	own    cellSet // differ from row to row
	absent cellSet // NULL in all rows
	one    bool    // it is a single row, which needs no JSON
}

// everyCell is the shape of which nothing is known.
var everyCell = shape{own: 1<<cells - 1}

// shapeOf compares the rows. Payloads are taken to differ: that they are the same
// is no more than chance.
func shapeOf(rows []newItemRow) shape {
	first := &rows[0].cells
	s := shape{one: len(rows) == 1}
	if !s.one {
		s.own = 1 << bodyCell
	}
	for c := range cells {
		for i := 1; i < len(rows) && !s.own.has(c); i++ {
			if rows[i].cells[c] != first[c] {
				s.own |= 1 << c
			}
		}
		if !s.own.has(c) && first[c] == nil {
			s.absent |= 1 << c
		}
	}
	return s
}

// shapesKept bounds the statements that one text becomes.
const shapesKept = 100

// shapes are the statement enqueue of an engine, for each shape that has come.
type shapes struct {
	text   string
	narrow func(text string, s shape) string // nil: there is one statement for all

	mu   sync.Mutex
	made map[shape]shaped // guarded by mu
}

// shaped is a statement for the rows of one shape.
type shaped struct {
	shape
	name string
	namedsql.Statement
}

// shaped is the statement for a shape, and for all when too many have come.
func (q *queries) shaped(s shape) shaped {
	e := &q.enqueue
	e.mu.Lock()
	defer e.mu.Unlock()
	if made, ok := e.made[s]; ok {
		return made
	}
	if e.narrow == nil || len(e.made) >= shapesKept {
		return shaped{everyCell, enqueueStatement, q.texts[enqueueStatement]}
	}
	made := shaped{s, fmt.Sprintf("%s %x %x %t", enqueueStatement, s.own, s.absent, s.one), namedsql.Compile(e.narrow(e.text, s), q.style)}
	if e.made == nil {
		e.made = map[shape]shaped{}
	}
	e.made[s] = made
	return made
}

// given is what the statement of a shape says instead of a cell that is not taken
// out of the JSON.
func (s shape) given(c cell) string {
	if s.absent.has(c) {
		return "NULL"
	}
	return "@" + cellNames[c]
}

var sqliteCell = regexp.MustCompile(`json_extract\(value,\s*'\$\.(\w+)'\) AS `)

// narrowSQLite writes the statement of a shape. Columns of the subquery that are
// parameters cost a row nothing.
func narrowSQLite(text string, s shape) string {
	const source = " FROM jsonb_each(@rows)"
	before, after, found := strings.Cut(text, source)
	if !found {
		return text
	}
	for _, m := range sqliteCell.FindAllStringSubmatch(before, -1) {
		if c := cellNamed(m[1]); !s.own.has(c) {
			before = strings.Replace(before, m[0], s.given(c)+" AS ", 1)
		}
	}
	if s.one {
		return before + after
	}
	return before + source + after
}

var postgresCell = regexp.MustCompile(`"(\w+)" (\w+)(?:,\s*|$)`)

// narrowPostgres writes the statement of a shape. The list of what is taken out of
// the JSON holds the shape's own cells alone.
func narrowPostgres(text string, s shape) string {
	const source = "FROM json_to_recordset(CAST(@rows AS json)) AS j("
	before, after, found := strings.Cut(text, source)
	list, after, closed := strings.Cut(after, ")")
	if !found || !closed {
		return text
	}
	var own []string
	for _, m := range postgresCell.FindAllStringSubmatch(list, -1) {
		if c := cellNamed(m[1]); s.own.has(c) {
			own = append(own, fmt.Sprintf("%q %s", m[1], m[2]))
		} else {
			before = strings.ReplaceAll(before, fmt.Sprintf("j.%q", m[1]), fmt.Sprintf("CAST(%s AS %s)", s.given(c), m[2]))
		}
	}
	if !s.own.has(queueCell) {
		after = oneQueue(after)
	}
	if s.one {
		return before + after
	}
	return before + source + strings.Join(own, ", ") + ")" + after
}

// oneQueue removes the part for several queues. PostgreSQL estimates a plan with both parts
// to be so expensive that it would plan again at each execution.
func oneQueue(text string) string {
	before, cases, found := strings.Cut(text, "CASE WHEN CAST(@queues AS json) IS NULL\n    THEN ")
	one, several, either := strings.Cut(cases, "\n    ELSE ")
	_, after, ends := strings.Cut(several, " END")
	if !found || !either || !ends {
		return text
	}
	return before + one + after
}

// cellNamed finds a cell; an unknown name is no cell of any row.
func cellNamed(name string) cell {
	for c, n := range cellNames {
		if n == name {
			return cell(c)
		}
	}
	return cells
}
