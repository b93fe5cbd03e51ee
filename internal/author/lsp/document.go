package lsp

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"botwork/internal/author/lsp/sketch"
)

// maxDocument is the maximum size of a document in bytes. The server stores larger ones
// and their changes, but does not analyse them.
const maxDocument = 2 << 20

// document is a text of the editor or the disk. It is immutable; an edit creates a new
// one.
type document struct {
	uri     string
	path    string // "" if it is not a file
	version int
	open    bool // in the editor; version is only valid for open documents
	text    string

	utf8  bool // positions are in bytes, otherwise in UTF-16 units
	lines func() []int
	tree  func() *sketch.Node
}

func newDocument(uri, path, text string, bytes bool) *document {
	return &document{
		uri: uri, path: path, text: text, utf8: bytes,
		lines: sync.OnceValue(func() []int { return lineStarts(text) }),
		tree:  sync.OnceValue(func() *sketch.Node { return sketch.Parse(text) }),
	}
}

// with returns a document with another text.
func (d *document) with(version int, text string) *document {
	next := newDocument(d.uri, d.path, text, d.utf8)
	next.version, next.open = version, d.open
	return next
}

// edit applies the changes of an editor in order.
func (d *document) edit(version int, changes []contentChange) *document {
	for _, change := range changes {
		text := change.Text
		if r := change.Range; r != nil {
			from, to := d.offset(r.Start), d.offset(r.End)
			if to < from {
				from, to = to, from
			}
			text = d.text[:from] + change.Text + d.text[to:]
		}
		d = d.with(version, text)
	}
	return d
}

// lineStarts returns the offsets of the beginnings of lines. A line ends with \n, \r\n
// or \r.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// lineAt returns the text of a line with its line break, and the offset of the line.
func (d *document) lineAt(line int) (text string, start int) {
	lines := d.lines()
	if line >= len(lines) {
		return "", len(d.text)
	}
	end := len(d.text)
	if line+1 < len(lines) {
		end = lines[line+1]
	}
	return d.text[lines[line]:end], lines[line]
}

// offset converts a position to an offset in bytes. A position after the end of its line
// is converted to that end, a line after the last one to the end of the text.
func (d *document) offset(p Position) int {
	if p.Line < 0 {
		return 0
	}
	text, start := d.lineAt(p.Line)
	text = strings.TrimRight(text, "\r\n")
	if d.utf8 {
		at := min(max(p.Character, 0), len(text))
		for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
			at--
		}
		return start + at
	}
	units := 0
	for i, r := range text {
		if units >= p.Character {
			return start + i
		}
		units += utf16Units(r)
	}
	return start + len(text)
}

// position converts an offset to a position.
func (d *document) position(offset int) Position {
	lines := d.lines()
	offset = min(max(offset, 0), len(d.text))
	line := sort.SearchInts(lines, offset+1) - 1
	before := d.text[lines[line]:offset]
	if d.utf8 {
		return Position{line, len(before)}
	}
	units := 0
	for _, r := range before {
		units += utf16Units(r)
	}
	return Position{line, units}
}

func utf16Units(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

func (d *document) span(from, to int) Range { return Range{d.position(from), d.position(to)} }

// findingOffset returns the offset of a line and column of a finding. They count from
// 1, columns in characters; a byte order mark does not count.
func (d *document) findingOffset(line, column int) int {
	text, start := d.lineAt(max(line, 1) - 1)
	if start == 0 && strings.HasPrefix(text, "\ufeff") {
		start, text = len("\ufeff"), text[len("\ufeff"):]
	}
	text = strings.TrimRight(text, "\r\n")
	for i := range text {
		if column <= 1 {
			return start + i
		}
		column--
	}
	return start + len(text)
}
