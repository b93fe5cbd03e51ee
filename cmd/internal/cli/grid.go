package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"botwork/internal/visible"
)

const (
	// gap separates the columns of a table.
	gap = 2

	// narrowest is the minimum width of a cut column. Below the width readable, another column is
	// dropped instead.
	narrowest, readable = 12, 30
)

// Grid collects the rows of a table and prints it. Outside a terminal, a table is as wide as
// its cells. On a narrower terminal long cells are cut, and if that is not enough, the columns
// of DropWhenNarrow are dropped. A cell is never wrapped.
type Grid struct {
	columns   []string // without a header: empty
	rows      [][]string
	droppable []string
}

// NewGrid returns a table with a header; with no columns, one without.
func NewGrid(columns ...string) *Grid { return &Grid{columns: columns} }

// DropWhenNarrow names columns that a narrow terminal does not show, the first one first.
func (g *Grid) DropWhenNarrow(columns ...string) *Grid {
	g.droppable = columns
	return g
}

// Add adds a row. A cell of a table with a header is one line; without a header, a cell is a
// value that may have several.
func (g *Grid) Add(cells ...string) {
	show := visible.Line
	if len(g.columns) == 0 {
		show = visible.Block
	}
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = show(cell)
	}
	g.rows = append(g.rows, row)
}

// Print writes the table to w.
func (g *Grid) Print(w io.Writer) { fmt.Fprintln(Raw(w), g.render(TerminalWidth(w), mayColor(w))) }

// render returns the table for a terminal with this number of columns; 0 means no limit.
func (g *Grid) render(width int, color bool) string {
	columns, rows := g.columns, g.rows
	if width > 0 {
		columns, rows = g.narrow(width)
		cut(columns, rows, width)
	}
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	style.Format.Header = text.FormatUpper
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	if len(columns) > 0 {
		t.AppendHeader(rowOf(columns))
	}
	for _, row := range rows {
		if color {
			row = colored(columns, row)
		}
		t.AppendRow(rowOf(row))
	}
	return t.Render()
}

// narrow returns copies of the header and the rows without the columns that do not fit.
func (g *Grid) narrow(width int) (columns []string, rows [][]string) {
	columns = slices.Clone(g.columns)
	for _, row := range g.rows {
		rows = append(rows, slices.Clone(row))
	}
	for _, name := range g.droppable {
		least := widths(columns, rows)
		for i := range least {
			least[i] = min(least[i], readable)
		}
		if total(least) <= width {
			break
		}
		at := slices.Index(columns, name)
		if at < 0 {
			continue
		}
		columns = slices.Delete(columns, at, at+1)
		for i, row := range rows {
			if at < len(row) {
				rows[i] = slices.Delete(row, at, at+1)
			}
		}
	}
	return columns, rows
}

// cut shortens the cells of the widest columns until the table fits, or no column can become
// narrower. A header is never cut.
func cut(columns []string, rows [][]string, width int) {
	now := widths(columns, rows)
	most := slices.Clone(now)
	for total(most) > width {
		widest := 0
		for i := range most {
			if most[i] > most[widest] {
				widest = i
			}
		}
		least := narrowest
		if widest < len(columns) {
			least = max(least, text.StringWidth(columns[widest]))
		}
		if most[widest] <= least {
			break
		}
		most[widest] = max(least, most[widest]-(total(most)-width))
	}
	for _, row := range rows {
		for i, cell := range row {
			if now[i] > most[i] {
				row[i] = text.Snip(cell, most[i], "…")
			}
		}
	}
}

// widths returns the width of each column.
func widths(columns []string, rows [][]string) []int {
	var list []int
	for _, row := range slices.Concat([][]string{columns}, rows) {
		for i, cell := range row {
			if i == len(list) {
				list = append(list, 0)
			}
			list[i] = max(list[i], text.LongestLineLen(cell))
		}
	}
	return list
}

// total returns the width of a table with columns of these widths.
func total(widths []int) int {
	sum := gap * max(len(widths)-1, 0)
	for _, w := range widths {
		sum += w
	}
	return sum
}

func rowOf(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = cell
	}
	return row
}
