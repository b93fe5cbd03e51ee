package docstest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's folder.
var root = filepath.Join("..", "..", "..")

// document is a Markdown file, parsed as far as the tests need it.
type document struct {
	path   string // from the module's folder, with slashes
	text   string
	blocks []block
	tables []table
}

// block is a fenced block.
type block struct {
	line int // of the opening fence
	info []string
	text string
	from string // the file in the comment above, "" if none
	part bool   // it is a part of that file
}

// is reports whether the block has this language.
func (b block) is(language string) bool { return len(b.info) > 0 && b.info[0] == language }

// table is a Markdown table with its heading.
type table struct {
	heading string
	header  []string
	rows    []row
}

type row struct {
	line  int
	cells []string
}

// read parses a document.
func read(t *testing.T, path string) document {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return parseMarkdown(path, string(data))
}

// readAll returns README.md and all documents below docs.
func readAll(t *testing.T) []document {
	t.Helper()
	return append([]document{read(t, "README.md")}, readBelow(t, "docs", func(name string) bool { return strings.HasSuffix(name, ".md") })...)
}

// readBelow returns the documents below a folder with the wanted file names.
func readBelow(t *testing.T, folder string, wanted func(name string) bool) []document {
	t.Helper()
	var found []document
	err := fs.WalkDir(os.DirFS(root), folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && wanted(path.Base(name)) {
			found = append(found, read(t, name))
		}
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("documents below %s = %d, %v", folder, len(found), err)
	}
	return found
}

func parseMarkdown(path, text string) document {
	d := document{path: path, text: text}
	heading, from, part := "", "", false
	var open *block
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch info, fence := strings.CutPrefix(line, "```"); {
		case open != nil && fence:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		case fence:
			open, from = &block{line: i + 1, info: strings.Fields(info), from: from, part: part}, ""
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		case strings.HasPrefix(line, "<!-- from: "):
			from, part = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- from: "), " -->"), false
		case strings.HasPrefix(line, "<!-- part of: "):
			from, part = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- part of: "), " -->"), true
		case strings.HasPrefix(line, "|--"):
			d.tables = append(d.tables, table{heading: heading, header: cells(lines[i-1])})
		case strings.HasPrefix(line, "|") && i > 0 && strings.HasPrefix(lines[i-1], "|"):
			last := &d.tables[len(d.tables)-1]
			last.rows = append(last.rows, row{line: i + 1, cells: cells(line)})
		}
	}
	return d
}

// cells splits a table's line; `\|` is not a border.
func cells(line string) []string {
	const border = "\x00"
	line = strings.ReplaceAll(line, `\|`, border)
	parts := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.TrimSpace(part), border, "|")
	}
	return parts
}

// code removes the backquotes of a cell.
func code(cell string) string { return strings.Trim(cell, "`") }

// tablesWith returns the tables whose header begins with the given columns.
func (d document) tablesWith(t *testing.T, columns ...string) []table {
	t.Helper()
	var found []table
	for _, tab := range d.tables {
		if len(tab.header) >= len(columns) && strings.Join(tab.header[:len(columns)], "|") == strings.Join(columns, "|") {
			found = append(found, tab)
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no table that begins with the columns %q", d.path, columns)
	}
	return found
}

// under returns the table below a heading.
func (d document) under(t *testing.T, heading string) table {
	t.Helper()
	for _, tab := range d.tables {
		if tab.heading == heading {
			return tab
		}
	}
	t.Fatalf("%s has no table below the heading %q", d.path, heading)
	return table{}
}

// first returns the first column, without backquotes.
func (tab table) first() []string {
	var names []string
	for _, r := range tab.rows {
		names = append(names, code(r.cells[0]))
	}
	return names
}
