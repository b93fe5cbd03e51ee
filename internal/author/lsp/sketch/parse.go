package sketch

import "strings"

// maxDepth bounds the nesting, which recursion follows; what is deeper is text.
const maxDepth = 150

// parser goes over the text line by line.
type parser struct {
	text  string
	lines []span // without line ends
	line  int    // the next one to be read
	depth int
}

type span struct{ from, to int }

// Parse makes a sketch of any text.
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
		adopt(top, n)
	}
	return top
}

// adopt notes a value that belongs to nothing.
func adopt(parent, n *Node) {
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

// peek goes over blank lines, comments and the marks between documents, and
// returns the column of the next line's first sign, -1 at the end.
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

// start returns the offset of the line's first sign, or its end.
func (p *parser) start() int { return p.blanks(p.lines[p.line].from) }

// blanks goes over blanks within the line.
func (p *parser) blanks(at int) int {
	end := p.lines[p.line].to
	for at < end && (p.text[at] == ' ' || p.text[at] == '\t') {
		at++
	}
	return at
}

func (p *parser) column(at int) int { return at - p.lines[p.line].from }

// rest tells whether anything but a comment stands in the line from at on.
func (p *parser) rest(at int) bool {
	return at < p.lines[p.line].to && p.text[at] != '#'
}

// node reads what begins at the offset at of the current line, below a
// collection in the column parent. It goes over one line at least.
func (p *parser) node(at, parent int) *Node {
	if p.depth >= maxDepth {
		return p.plain(at, parent)
	}
	p.depth++
	defer func() { p.depth-- }()
	if behind := p.properties(at); behind != at {
		if !p.rest(behind) {
			p.line++
			return p.below(behind, parent, false)
		}
		at = behind
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

// below reads the lines below a key or dash in the column parent; empty is where
// a value would stand. A list may stand in the column of its key.
func (p *parser) below(empty, parent int, key bool) *Node {
	column := p.peek()
	if column > parent || key && column == parent && p.dash(p.start()) {
		return p.node(p.start(), parent)
	}
	return &Node{From: empty, To: empty}
}

// properties goes over anchors and tags.
func (p *parser) properties(at int) int {
	for end := p.lines[p.line].to; at < end && (p.text[at] == '&' || p.text[at] == '!'); at = p.blanks(at) {
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

// beforeKey tells that the line is a word in front of the keys of a mapping: one
// that is being typed.
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
	// The first dash may stand behind another.
	at := p.lines[p.line].from + column
	n := &Node{Kind: Sequence, From: at}
	for {
		n.add(p.item(at, column))
		next := p.peek()
		for next > column {
			adopt(n, p.node(p.start(), column))
			next = p.peek()
		}
		if next < column || !p.dash(p.start()) {
			break
		}
		at = p.start()
	}
	n.To = p.behind()
	return n
}

func (p *parser) item(dash, column int) *Node {
	at := p.blanks(dash + 1)
	if p.rest(at) {
		return p.node(at, column)
	}
	empty := min(at, dash+2)
	p.line++
	return p.below(empty, column, false)
}

func (n *Node) add(item *Node) {
	item.Parent, item.Index = n, len(n.Items)
	n.Items = append(n.Items, item)
}

func (p *parser) mapping(at, column int) *Node {
	n := &Node{Kind: Mapping, From: at}
	for {
		n.enter(p.entry(at, column))
		next := p.peek()
		for next > column || next == column && p.dash(p.start()) {
			adopt(n, p.node(p.start(), min(column, next-1)))
			next = p.peek()
		}
		if next != column {
			break
		}
		at = p.start()
	}
	n.To = p.behind()
	return n
}

func (n *Node) enter(e *Entry) {
	e.Mapping, e.Value.Parent, e.Value.Entry = n, n, e
	n.Entries = append(n.Entries, e)
}

// entry reads one key with its value. A line that is no key yet is a key
// without a colon.
func (p *parser) entry(at, column int) *Entry {
	key, ok := p.key(at)
	if !ok {
		end := p.plainEnd(at)
		p.line++
		return &Entry{Key: p.text[at:end], From: at, To: end, Colon: -1, Value: &Node{From: end, To: end}}
	}
	value := p.blanks(key.Colon + 1)
	if behind := p.properties(value); !p.rest(behind) {
		empty := min(p.lines[p.line].to, key.Colon+2)
		p.line++
		key.Value = p.below(empty, column, true)
	} else {
		key.Value = p.value(behind, column)
	}
	return key
}

// behind returns the end of the last line that was read.
func (p *parser) behind() int { return p.lines[max(p.line-1, 0)].to }
