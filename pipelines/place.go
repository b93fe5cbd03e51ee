package pipelines

import (
	"strings"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// place is where something stands in a file.
type place struct {
	file         string
	line, column int

	// exact tells that what stands there was found letter by letter in one
	// line, so that an offset into it can be added to column.
	exact bool
	// endLine and endColumn are behind its last character; 0 where not known.
	endLine, endColumn int
}

func placeOf(n *strictyaml.Node) place {
	return place{file: n.File, line: n.Line, column: n.Column, endLine: n.EndLine, endColumn: n.EndColumn}
}

// placeOfKey is where the key of an entry stands.
func placeOfKey(e strictyaml.Entry) place {
	f := e.Finding("", "", "")
	return place{file: f.File, line: f.Line, column: f.Column, endLine: f.EndLine, endColumn: f.EndColumn}
}

// part is what stands from and up to these characters of an exact place; any
// other place stays.
func (p place) part(from, to int) place {
	if p.exact {
		p.endLine, p.endColumn = p.line, p.column+max(from, to)
		p.column += from
	}
	return p
}

// plus moves an exact place by a number of characters; any other stays.
func (p place) plus(characters int) place {
	if p.exact {
		p.column += characters
	}
	return p
}

// maxScan bounds the lines in which an expression is looked for: text that was
// written with escapes is not found at all, and must not cost a walk to the
// end of the file for each expression in it.
const maxScan = 200

// find looks in the file's lines for the nth marker (from 0) at or behind the
// node's place, and source behind it after blanks. A scalar's text alone does
// not tell: quotes, block signs, escapes and folding lie between it and the
// file. When the marker is not there, the answer is the node's place.
func find(lines []string, n *strictyaml.Node, marker string, nth int, source string) place {
	at := placeOf(n)
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
			return settle(at, i+1, line, from, marker, source)
		}
	}
	return at
}

// settle decides how well the place of a marker that was found is known. A
// marker with something else behind it belongs to another value: this one was
// written with escapes.
func settle(at place, number int, line string, from int, marker, source string) place {
	found := place{file: at.file, line: number, column: utf8.RuneCountInString(line[:from]) + 1}
	if marker == source {
		found.exact = true
		return found
	}
	behind := line[from+len(marker):]
	blanks := len(behind) - len(strings.TrimLeft(behind, " \t\r"))
	first, _, more := strings.Cut(source, "\n")
	switch {
	case blanks == len(behind):
		return found // the expression begins in the next line
	case !strings.HasPrefix(behind[blanks:], strings.TrimRight(first, " \t\r")):
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
