package strictyaml

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// end returns the position after a scalar in the file, which the library does not
// provide. It returns 0, 0 if the file does not contain the scalar's text verbatim
// at its position: for block scalars, plain text on several lines, and values with
// a tag or an anchor.
func (c *converter) end(y *yaml.Node) (line, column int) {
	if y.Line < 1 || y.Line > len(c.lines) || y.Column < 1 {
		return 0, 0
	}
	text := c.lines[y.Line-1]
	from := c.offset(y.Line, y.Column-1)
	switch {
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0:
		return 0, 0
	case y.Style&yaml.DoubleQuotedStyle != 0:
		return c.quoteEnd(y.Line, y.Column, from, '"')
	case y.Style&yaml.SingleQuotedStyle != 0:
		return c.quoteEnd(y.Line, y.Column, from, '\'')
	case y.Value == "" || !strings.HasPrefix(text[from:], y.Value):
		return 0, 0
	}
	return y.Line, y.Column + utf8.RuneCountInString(y.Value)
}

// quoteEnd returns the position after the quoted text that begins at a column of a line,
// which is the offset from, or 0, 0 if there is none.
func (c *converter) quoteEnd(line, column, from int, quote byte) (endLine, endColumn int) {
	text := c.lines[line-1]
	if from >= len(text) || text[from] != quote {
		return 0, 0
	}
	for at := from + 1; ; at = 0 {
		for ; at < len(text); at++ {
			switch {
			case text[at] == '\\' && quote == '"':
				at++
			case text[at] == quote && quote == '\'' && at+1 < len(text) && text[at+1] == quote:
				at++
			case text[at] == quote:
				return line, column + utf8.RuneCountInString(text[from:at+1])
			}
		}
		if line == len(c.lines) {
			return 0, 0
		}
		text = c.lines[line]
		line++
		column, from = 1, 0
	}
}

// place is a position in a line.
type place struct{ line, characters, offset int }

// offset returns the offset in bytes after the given number of characters of a line. It continues
// at the place of the last call if that is before it, since values mostly come in the order of the
// text: otherwise the time for a long line would grow with the square of its length.
func (c *converter) offset(line, characters int) int {
	text := c.lines[line-1]
	from := place{line: line}
	if c.last.line == line && c.last.characters <= characters {
		from = c.last
	}
	from.offset += byteOffset(text[from.offset:], characters-from.characters)
	from.characters = characters
	if from.offset < len(text) {
		c.last = from
	}
	return from.offset
}

// byteOffset returns the offset in bytes after the given number of characters.
func byteOffset(line string, characters int) int {
	for i := range line {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(line)
}
