package pipelines

import (
	"strings"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// position is a position in a file.
type position struct {
	file         string
	line, column int

	// exact reports whether the text was found unchanged in one line, so that an offset
	// into it can be added to column.
	exact bool
	// endLine and endColumn are the position after its last character; 0 if unknown.
	endLine, endColumn int
}

func positionOf(n *strictyaml.Node) position {
	return position{file: n.File, line: n.Line, column: n.Column, endLine: n.EndLine, endColumn: n.EndColumn}
}

// positionOfKey returns the position of an entry's key.
func positionOfKey(e strictyaml.Entry) position {
	f := e.Finding("", "", "")
	return position{file: f.File, line: f.Line, column: f.Column, endLine: f.EndLine, endColumn: f.EndColumn}
}

// part returns the position of a range of characters of an exact position; any other position is
// returned unchanged.
func (p position) part(from, to int) position {
	if p.exact {
		p.endLine, p.endColumn = p.line, p.column+max(from, to)
		p.column += from
	}
	return p
}

// plus moves an exact position by a number of characters; any other position is returned
// unchanged.
func (p position) plus(characters int) position {
	if p.exact {
		p.column += characters
	}
	return p
}

// maxScan bounds the number of lines that are searched for an expression. Text that was
// written with escapes is never found, and must not cause a search of the whole file for
// each of its expressions.
const maxScan = 200

// find searches the file's lines, from the node's position, for the nth marker (from 0)
// that is followed by blanks and source. A scalar's text differs from the file: quotes,
// block indicators, escapes and folding. If the marker is not found, find returns the
// node's position.
func find(lines []string, n *strictyaml.Node, marker string, nth int, source string) position {
	at := positionOf(n)
	if marker == "" || n.Line < 1 {
		return at
	}
	skip := n.Column - 1
	for i := n.Line - 1; i < len(lines) && i < n.Line+maxScan; i++ {
		line := lines[i]
		from := byteOffset(line, skip)
		skip = 0
		for {
			hit := strings.Index(line[from:], marker)
			if hit < 0 {
				break
			}
			from += hit
			if nth > 0 {
				nth--
				from += len(marker)
				continue
			}
			return markerPosition(at, i+1, line, from, marker, source)
		}
	}
	return at
}

// markerPosition returns the position of a marker that was found, and whether it is exact.
// If other text follows the marker, it belongs to another value, and this value is written
// with escapes.
func markerPosition(at position, number int, line string, from int, marker, source string) position {
	found := position{file: at.file, line: number, column: utf8.RuneCountInString(line[:from]) + 1}
	if marker == source {
		found.exact = true
		return found
	}
	rest := line[from+len(marker):]
	blanks := len(rest) - len(strings.TrimLeft(rest, " \t\r"))
	first, _, more := strings.Cut(source, "\n")
	switch {
	case blanks == len(rest):
		return found // the expression begins on the next line
	case !strings.HasPrefix(rest[blanks:], strings.TrimRight(first, " \t\r")):
		return at
	}
	found.column += utf8.RuneCountInString(marker) + blanks
	found.exact = !more
	return found
}

func byteOffset(line string, characters int) int {
	for i := range line {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(line)
}
