package strictyaml

import (
	"bytes"
	"slices"
	"strings"
)

// outline is a simple scan of a text that the library could not parse. It finds
// the brackets and quotes that are open, and the tabs that indent. It skips
// comments, quoted texts and block scalars. It only explains errors that the
// library has found; it never detects errors itself.
type outline struct {
	data []byte
	at   int

	// parent is the column, counted from 0, of the last key or dash in block
	// style. A block scalar under it is indented deeper.
	parent int
	open   []int // offsets of the brackets that are open at at
	last   int   // offset of the last token

	// asked is the last offset whose column was asked for, and lineFrom the start of its line, so
	// that no part of a long line is searched twice.
	asked, lineFrom int

	// The results, as offsets.
	tabs          []int // tabs that indent
	unclosed      []int // brackets that are not closed, or closed by another kind
	unclosedQuote int   // the quote that is open at the end, or -1
	longQuotes    []span
	flowComments  []span // comments between brackets
}

// span is a part of the text, such as a quoted text on several lines with its quotes.
type span struct{ from, to int }

func newOutline(data []byte) *outline {
	o := &outline{data: data, unclosedQuote: -1}
	for o.at < len(o.data) {
		o.indent()
		for o.at < len(o.data) && !o.token() {
		}
	}
	if n := len(o.open); n > 0 {
		// Only the innermost bracket is certainly not closed. The others may be
		// closed once it is fixed.
		o.unclosed = append(o.unclosed, o.open[n-1])
	}
	return o
}

// indent skips the white space at the beginning of a line.
func (o *outline) indent() {
	tab := -1
	for ; o.at < len(o.data) && isBlank(o.data[o.at]); o.at++ {
		if o.data[o.at] == '\t' && tab < 0 {
			tab = o.at
		}
	}
	if tab >= 0 && len(o.open) == 0 && o.at < len(o.data) && !strings.ContainsRune("\r\n#", rune(o.data[o.at])) {
		o.tabs = append(o.tabs, tab)
	}
}

// token skips one token and the white space after it. It returns true at the end
// of a line.
func (o *outline) token() (endOfLine bool) {
	start, inFlow := o.at, len(o.open) > 0
	if o.data[start] != '\n' {
		o.last = start
	}
	switch c := o.data[o.at]; {
	case c == '\n':
		o.at++
		return true
	case c == '#' && (start == 0 || isSpace(o.data[start-1])):
		o.toLineEnd()
		if inFlow {
			o.flowComments = append(o.flowComments, span{start, o.at})
		}
	case c == '"' || c == '\'':
		o.quoted(c)
		o.key(start)
	case c == '[' || c == '{':
		o.open = append(o.open, o.at)
		o.at++
	case (c == ']' || c == '}') && inFlow:
		o.close(c)
	case (c == '|' || c == '>') && !inFlow:
		o.block()
		return true
	case c == '-' && o.spaceAt(start+1) && !inFlow:
		o.parent = o.column(start)
		o.at++
	case strings.IndexByte(",:?-]}", c) >= 0:
		o.at++
	case strings.IndexByte("&*!", c) >= 0:
		for o.at++; !o.spaceAt(o.at) && (!inFlow || strings.IndexByte(",[]{}", o.data[o.at]) < 0); o.at++ {
		}
	default:
		o.plain(inFlow)
		o.key(start)
	}
	for o.at < len(o.data) && (isBlank(o.data[o.at]) || o.data[o.at] == '\r') {
		o.at++
	}
	return false
}

// key records the column of the token that began at start if a colon follows.
func (o *outline) key(start int) {
	if len(o.open) == 0 && o.at < len(o.data) && o.data[o.at] == ':' {
		o.parent = o.column(start)
	}
}

func (o *outline) quoted(quote byte) {
	from := o.at
	for o.at++; o.at < len(o.data); o.at++ {
		switch c := o.data[o.at]; {
		case c == '\\' && quote == '"':
			o.at++
		case c == quote && quote == '\'' && o.at+1 < len(o.data) && o.data[o.at+1] == quote:
			o.at++
		case c == quote:
			o.at++
			if bytes.IndexByte(o.data[from:o.at], '\n') >= 0 {
				o.longQuotes = append(o.longQuotes, span{from, o.at})
			}
			return
		}
	}
	o.at, o.unclosedQuote = len(o.data), from
}

func (o *outline) close(c byte) {
	last := len(o.open) - 1
	if o.data[o.open[last]] != c-2 { // the codes of '[' and ']', and of '{' and '}', differ by 2
		o.unclosed = append(o.unclosed, o.open[last])
		if last > 0 && o.data[o.open[last-1]] == c-2 {
			last-- // c closes the enclosing bracket
		}
	}
	o.open = o.open[:last]
	o.at++
}

// closing returns the text that closes the open brackets.
func (o *outline) closing() []byte {
	if len(o.open) == 0 {
		return nil
	}
	b := []byte("\n") // ends a comment or a key with its colon
	for _, open := range slices.Backward(o.open) {
		b = append(b, o.data[open]+2)
	}
	return b
}

// block skips a block scalar, which begins with | or >.
func (o *outline) block() {
	o.toLineEnd()
	for o.at < len(o.data) {
		o.at++ // the line end
		line := o.data[o.at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		text := bytes.TrimLeft(line, " ")
		if len(bytes.TrimSpace(text)) > 0 && len(line)-len(text) <= o.parent {
			return
		}
		o.at += len(line)
	}
}

func (o *outline) plain(inFlow bool) {
	for ; o.at < len(o.data) && o.data[o.at] != '\n'; o.at++ {
		c := o.data[o.at]
		if c == ':' && o.spaceAt(o.at+1) || c == ' ' && o.at+1 < len(o.data) && o.data[o.at+1] == '#' ||
			inFlow && strings.IndexByte(",[]{}", c) >= 0 {
			return
		}
	}
}

func (o *outline) toLineEnd() {
	for o.at < len(o.data) && o.data[o.at] != '\n' {
		o.at++
	}
}

func (o *outline) column(at int) int {
	if at < o.asked {
		o.asked, o.lineFrom = 0, 0
	}
	if i := bytes.LastIndexByte(o.data[o.asked:at], '\n'); i >= 0 {
		o.lineFrom = o.asked + i + 1
	}
	o.asked = at
	return at - o.lineFrom
}

func (o *outline) spaceAt(at int) bool { return at >= len(o.data) || isSpace(o.data[at]) }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
func isSpace(c byte) bool { return isBlank(c) || c == '\r' || c == '\n' }
