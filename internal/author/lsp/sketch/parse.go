package sketch

import "strings"

// maxDepth limits the nesting, and so the depth of the recursion. Deeper values are
// parsed as text.
const maxDepth = 150

// parser parses the text line by line.
type parser struct {
	text  string
	lines []span // without line breaks
	line  int    // the next line
	depth int
}

type span struct{ from, to int }

// Parse returns a sketch of any text.
func Parse(text string) *Node {
	p := &parser{text: text}
	p.split()
	top := &Node{From: len(text), To: len(text)}
	for first := true; p.peek() >= 0; first = false {
		n := p.node(p.start(), -1)
		if first {
			top = n
			continue
		}
		addStray(top, n)
	}
	return top
}

// addStray adds a value without a key or dash to its collection.
func addStray(parent, n *Node) {
	n.Parent, n.Index = parent, -1
	parent.Stray = append(parent.Stray, n)
}

func (p *parser) split() {
	from := 0
	if strings.HasPrefix(p.text, "\ufeff") {
		from = len("\ufeff")
	}
	for i := from; i < len(p.text); i++ {
		switch p.text[i] {
		case '\r':
			if i+1 < len(p.text) && p.text[i+1] == '\n' {
				continue
			}
			p.lines = append(p.lines, span{from, i})
			from = i + 1
		case '\n':
			to := i
			if to > from && p.text[to-1] == '\r' {
				to--
			}
			p.lines = append(p.lines, span{from, to})
			from = i + 1
		}
	}
	p.lines = append(p.lines, span{from, len(p.text)})
}

// peek skips blank lines, comments and document markers. It returns the column of the
// next line's first character, or -1 at the end.
func (p *parser) peek() int {
	for ; p.line < len(p.lines); p.line++ {
		at, end := p.start(), p.lines[p.line].to
		if at == end || p.text[at] == '#' {
			continue
		}
		if line := p.text[p.lines[p.line].from:end]; line == "---" || line == "..." || line[0] == '%' {
			continue
		}
		return at - p.lines[p.line].from
	}
	return -1
}

// start returns the offset of the line's first character, or its end.
func (p *parser) start() int { return p.skipBlanks(p.lines[p.line].from) }

// skipBlanks skips spaces and tabs within the line.
func (p *parser) skipBlanks(at int) int {
	end := p.lines[p.line].to
	for at < end && (p.text[at] == ' ' || p.text[at] == '\t') {
		at++
	}
	return at
}

func (p *parser) column(at int) int { return at - p.lines[p.line].from }

// hasContent reports whether the rest of the line contains more than a comment.
func (p *parser) hasContent(at int) bool {
	return at < p.lines[p.line].to && p.text[at] != '#'
}

// node parses the value at the offset at of the current line, in a collection at the
// column parent. It consumes at least one line.
func (p *parser) node(at, parent int) *Node {
	if p.depth >= maxDepth {
		return p.plain(at, parent)
	}
	p.depth++
	defer func() { p.depth-- }()
	if end := p.properties(at); end != at {
		if !p.hasContent(end) {
			p.line++
			return p.below(end, parent, false)
		}
		at = end
	}
	column := p.column(at)
	switch {
	case p.dash(at):
		return p.sequence(column)
	case p.isKey(at) || p.beforeKey(at, column):
		return p.mapping(at, column)
	}
	return p.value(at, parent)
}

// below parses the lines below a key or dash at the column parent. If there is no value,
// it returns an Empty node at the offset empty. A list can begin in the column of its key.
func (p *parser) below(empty, parent int, key bool) *Node {
	column := p.peek()
	if column > parent || key && column == parent && p.dash(p.start()) {
		return p.node(p.start(), parent)
	}
	return &Node{From: empty, To: empty}
}

// properties skips anchors and tags.
func (p *parser) properties(at int) int {
	for end := p.lines[p.line].to; at < end && (p.text[at] == '&' || p.text[at] == '!'); at = p.skipBlanks(at) {
		for at < end && p.text[at] != ' ' && p.text[at] != '\t' {
			at++
		}
	}
	return at
}

func (p *parser) dash(at int) bool {
	end := p.lines[p.line].to
	return at < end && p.text[at] == '-' && (at+1 == end || p.text[at+1] == ' ' || p.text[at+1] == '\t')
}

// beforeKey reports whether the line is a word before the keys of a mapping, which the
// user is probably typing.
func (p *parser) beforeKey(at, column int) bool {
	if strings.IndexByte("\"'[{|>*", p.text[at]) >= 0 {
		return false
	}
	line := p.line
	defer func() { p.line = line }()
	p.line++
	return p.peek() == column && p.isKey(p.start())
}

func (p *parser) sequence(column int) *Node {
	// The first dash can follow another one in the same line.
	at := p.lines[p.line].from + column
	n := &Node{Kind: Sequence, From: at}
	for {
		n.addItem(p.item(at, column))
		next := p.peek()
		for next > column {
			addStray(n, p.node(p.start(), column))
			next = p.peek()
		}
		if next < column || !p.dash(p.start()) {
			break
		}
		at = p.start()
	}
	n.To = p.previousLineEnd()
	return n
}

func (p *parser) item(dash, column int) *Node {
	at := p.skipBlanks(dash + 1)
	if p.hasContent(at) {
		return p.node(at, column)
	}
	empty := min(at, dash+2)
	p.line++
	return p.below(empty, column, false)
}

func (n *Node) addItem(item *Node) {
	item.Parent, item.Index = n, len(n.Items)
	n.Items = append(n.Items, item)
}

func (p *parser) mapping(at, column int) *Node {
	n := &Node{Kind: Mapping, From: at}
	for {
		n.addEntry(p.entry(at, column))
		next := p.peek()
		for next > column || next == column && p.dash(p.start()) {
			addStray(n, p.node(p.start(), min(column, next-1)))
			next = p.peek()
		}
		if next != column {
			break
		}
		at = p.start()
	}
	n.To = p.previousLineEnd()
	return n
}

func (n *Node) addEntry(e *Entry) {
	e.Mapping, e.Value.Parent, e.Value.Entry = n, n, e
	n.Entries = append(n.Entries, e)
}

// entry parses one key with its value. A line without a colon is an entry without a
// colon.
func (p *parser) entry(at, column int) *Entry {
	key, ok := p.key(at)
	if !ok {
		end := p.plainEnd(at)
		p.line++
		return &Entry{Key: p.text[at:end], From: at, To: end, Colon: -1, Value: &Node{From: end, To: end}}
	}
	value := p.properties(p.skipBlanks(key.Colon + 1))
	if !p.hasContent(value) {
		empty := min(p.lines[p.line].to, key.Colon+2)
		p.line++
		key.Value = p.below(empty, column, true)
	} else {
		key.Value = p.value(value, column)
	}
	return key
}

// previousLineEnd returns the end of the last line that was parsed.
func (p *parser) previousLineEnd() int { return p.lines[max(p.line-1, 0)].to }
