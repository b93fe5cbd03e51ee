package sketch

import "strings"

// flow parses a collection in brackets, and consumes all its lines. It ends with its
// closing bracket, or with the last line that is indented deeper than parent.
func (p *parser) flow(at, parent int) *Node {
	end := p.region(parent)
	f := flow{parser: p, end: end}
	n := f.value(at)
	for p.line < len(p.lines) && p.lines[p.line].to < f.at {
		p.line++
	}
	p.line++
	return n
}

// region returns the end of the lines that can belong to a collection that begins in the
// current line.
func (p *parser) region(parent int) int {
	line := p.line
	defer func() { p.line = line }()
	end := p.lines[p.line].to
	for p.line++; p.line < len(p.lines); p.line++ {
		at, to := p.start(), p.lines[p.line].to
		closes := at < to && (p.text[at] == '}' || p.text[at] == ']')
		if at < to && p.column(at) <= parent && !closes {
			break
		}
		end = to
	}
	return end
}

// flow parses the text between brackets, where line breaks do not matter.
type flow struct {
	*parser
	at, end int
}

// skip skips blanks, line breaks and comments.
func (f *flow) skip() {
	for f.at < f.end {
		switch c := f.text[f.at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			f.at++
		case c == '#' && strings.IndexByte(" \t\r\n", f.text[f.at-1]) >= 0:
			for f.at < f.end && f.text[f.at] != '\n' && f.text[f.at] != '\r' {
				f.at++
			}
		default:
			return
		}
	}
}

func (f *flow) value(at int) *Node {
	f.at = at
	switch c := f.text[at]; {
	case c == '{' && f.depth < maxDepth:
		return f.mapping()
	case c == '[' && f.depth < maxDepth:
		return f.sequence()
	}
	to := f.word()
	return f.scalar(at, to)
}

func (f *flow) scalar(from, to int) *Node {
	n := &Node{Kind: Scalar, From: from, To: to, Text: f.text[from:to]}
	switch {
	case from == to:
		n.Kind = Empty
	case f.text[from] == '"':
		n.Style, n.Text = DoubleQuoted, unquote(n.Text)
	case f.text[from] == '\'':
		n.Style, n.Text = SingleQuoted, unquote(n.Text)
	}
	return n
}

// word consumes a key or a single value and returns its end.
func (f *flow) word() int {
	start := f.at
	if c := f.text[start]; c == '"' || c == '\'' {
		// A text without a closing quote ends with its line.
		f.at = f.lineEnd(start)
		if to := f.closingQuote(start, f.at); to >= 0 {
			f.at = to
		}
		return f.at
	}
	for f.at < f.end {
		rest := f.text[f.at:f.end]
		if strings.HasPrefix(rest, "${{") {
			// Not valid YAML, but users write expressions before they quote them.
			line := f.text[f.at:f.lineEnd(f.at)]
			if i := strings.Index(line, "}}"); i >= 0 {
				f.at += i + len("}}")
			} else {
				f.at += len(line)
			}
			continue
		}
		c := rest[0]
		if strings.IndexByte(",[]{}\r\n", c) >= 0 ||
			c == ':' && (len(rest) == 1 || strings.IndexByte(" \t\r\n,[]{}", rest[1]) >= 0) ||
			c == '#' && f.at > start && f.text[f.at-1] == ' ' {
			break
		}
		f.at++
	}
	to := f.at
	if to == start && to < f.end {
		f.at++ // skip an invalid character, to make progress
	}
	for to > start && (f.text[to-1] == ' ' || f.text[to-1] == '\t') {
		to--
	}
	return to
}

func (f *flow) lineEnd(at int) int {
	if i := strings.IndexAny(f.text[at:f.end], "\r\n"); i >= 0 {
		return at + i
	}
	return f.end
}

// done reports whether the collection ends here, and consumes its bracket.
func (f *flow) done() bool {
	f.skip()
	if f.at >= f.end {
		return true
	}
	if c := f.text[f.at]; c == '}' || c == ']' {
		f.at++
		return true
	}
	return false
}

func (f *flow) mapping() *Node {
	f.depth++
	defer func() { f.depth-- }()
	n := &Node{Kind: Mapping, Flow: true, From: f.at}
	for f.at++; !f.done(); {
		if strings.IndexByte(",:", f.text[f.at]) >= 0 {
			f.at++
			continue
		}
		from := f.at
		if c := f.text[from]; c == '{' || c == '[' {
			addStray(n, f.value(from))
			continue
		}
		to := f.word()
		key := f.scalar(from, to)
		e := &Entry{Key: key.Text, From: from, To: to, Colon: -1, Value: &Node{From: to, To: to}}
		if f.skip(); f.at < f.end && f.text[f.at] == ':' {
			e.Colon = f.at
			e.Value = f.afterColon()
		}
		n.addEntry(e)
	}
	n.To = f.at
	return n
}

func (f *flow) afterColon() *Node {
	empty := min(f.at+2, f.end)
	f.at++
	f.skip()
	if f.at >= f.end || strings.IndexByte(",}]", f.text[f.at]) >= 0 {
		empty = min(empty, f.at)
		return &Node{From: empty, To: empty}
	}
	return f.value(f.at)
}

func (f *flow) sequence() *Node {
	f.depth++
	defer func() { f.depth-- }()
	n := &Node{Kind: Sequence, Flow: true, From: f.at}
	for f.at++; !f.done(); {
		if strings.IndexByte(",:", f.text[f.at]) >= 0 {
			f.at++
			continue
		}
		n.addItem(f.value(f.at))
	}
	n.To = f.at
	return n
}
