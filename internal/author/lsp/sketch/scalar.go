package sketch

import (
	"strconv"
	"strings"
)

// isKey tells whether a key with its colon stands at the offset.
func (p *parser) isKey(at int) bool {
	_, ok := p.key(at)
	return ok
}

// key reads a key, without its value.
func (p *parser) key(at int) (*Entry, bool) {
	end := p.lines[p.line].to
	if at >= end {
		return nil, false
	}
	from := at // of what may hold the colon
	if strings.HasPrefix(p.text[at:end], "${{") {
		// A colon in an expression is none of YAML's to whoever types it.
		closing := strings.Index(p.text[at:end], "}}")
		if closing < 0 {
			return nil, false
		}
		from += closing
	}
	switch c := p.text[at]; c {
	case '"', '\'':
		to := p.closing(at, end)
		if to < 0 {
			return nil, false
		}
		colon := p.blanks(to)
		if colon < end && p.text[colon] == ':' && p.space(colon+1, end) {
			return &Entry{Key: unquote(p.text[at:to]), From: at, To: to, Colon: colon}, true
		}
		return nil, false
	case '[', '{', '|', '>', '#', '%', '@', '`', ',', ']', '}':
		return nil, false
	}
	for i := from; i < end; i++ {
		switch {
		case p.text[i] == ':' && p.space(i+1, end):
			key := strings.TrimRight(p.text[at:i], " \t")
			return &Entry{Key: key, From: at, To: at + len(key), Colon: i}, key != ""
		case p.text[i] == '#' && i > at && p.space(i-1, end):
			return nil, false
		}
	}
	return nil, false
}

// space tells whether a blank or the line's end stands at the offset.
func (p *parser) space(at, end int) bool {
	return at >= end || p.text[at] == ' ' || p.text[at] == '\t'
}

// closing returns the offset behind the quoted text that begins at the offset
// at, -1 if it does not end before end.
func (p *parser) closing(at, end int) int {
	quote := p.text[at]
	for i := at + 1; i < end; i++ {
		switch {
		case p.text[i] == '\\' && quote == '"':
			i++
		case p.text[i] != quote:
		case quote == '\'' && i+1 < end && p.text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// value reads a value that begins in the current line, and goes behind its last
// line. parent is the column of what it is the value of.
func (p *parser) value(at, parent int) *Node {
	switch c := p.text[at]; {
	case c == '"' || c == '\'':
		return p.quoted(at, parent)
	case (c == '[' || c == '{') && p.depth < maxDepth:
		return p.flow(at, parent)
	case (c == '|' || c == '>') && p.blockHeader(at):
		return p.block(at, parent)
	}
	return p.plain(at, parent)
}

// maxQuoted bounds the lines in which the end of a quoted text is looked for.
const maxQuoted = 100

// quoted reads a text in quotes. When its end is missing, it ends with its line:
// somebody is about to type it.
func (p *parser) quoted(at, parent int) *Node {
	n := &Node{Kind: Scalar, Style: SingleQuoted, From: at}
	if p.text[at] == '"' {
		n.Style = DoubleQuoted
	}
	first, open := p.line, true
	for ; p.line < len(p.lines) && p.line < first+maxQuoted; p.line++ {
		if p.line > first && p.ends(parent) {
			break
		}
		if to := p.closing(at, p.lines[p.line].to); to >= 0 {
			n.To, open = to, false
			break
		}
	}
	if open {
		p.line = first
		n.To = p.lines[first].to
	}
	n.Text = unquote(p.text[n.From:n.To])
	p.line++
	return n
}

// ends tells that the line cannot belong to a value that began before it.
func (p *parser) ends(parent int) bool {
	at := p.start()
	return at < p.lines[p.line].to && (p.column(at) <= parent || p.dash(at) || p.isKey(at))
}

// plainEnd returns where the plain text in the line ends.
func (p *parser) plainEnd(at int) int {
	end := p.lines[p.line].to
	for i := at + 1; i < end; i++ {
		if p.text[i] == '#' && p.space(i-1, end) {
			end = i
			break
		}
	}
	for end > at && p.space(end-1, end) {
		end--
	}
	return end
}

// plain reads a text without quotes, with the lines that go on with it.
func (p *parser) plain(at, parent int) *Node {
	n := &Node{Kind: Scalar, From: at, To: p.plainEnd(at)}
	words := []string{p.text[at:n.To]}
	cut := n.To < p.lines[p.line].to && strings.Contains(p.text[n.To:p.lines[p.line].to], "#")
	for p.line++; !cut && p.peek() > parent && !p.ends(parent); p.line++ {
		from := p.start()
		n.To = p.plainEnd(from)
		words = append(words, p.text[from:n.To])
	}
	n.Text = strings.Join(words, " ")
	return n
}

// blockHeader tells whether | or > begins a block of text.
func (p *parser) blockHeader(at int) bool {
	end := p.plainEnd(at)
	return strings.Trim(p.text[at+1:end], "+-123456789") == ""
}

// block reads a text behind | or >: all lines that are indented deeper.
func (p *parser) block(at, parent int) *Node {
	n := &Node{Kind: Scalar, Style: Block, From: at, To: p.lines[p.line].to}
	var lines []string
	for p.line++; p.line < len(p.lines); p.line++ {
		l := p.lines[p.line]
		start := p.start()
		if start < l.to && p.column(start) <= parent {
			break
		}
		if start < l.to {
			n.To = l.to
		}
		lines = append(lines, strings.TrimLeft(p.text[l.from:l.to], " "))
	}
	n.Text = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	return n
}

// escapes are those of double quotes that stand for one sign.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '0': "\x00", 'e': "\x1b", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v", ' ': " "}

// unquote returns what a text in quotes says; its end may be missing.
func unquote(text string) string {
	quote := text[0]
	text = text[1:]
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			b.WriteByte(quote)
			i++
		case c == quote:
			return b.String()
		case c == '\\' && quote == '"' && i+1 < len(text):
			i++
			size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[i]]
			if size > 0 && i+size < len(text) {
				if code, err := strconv.ParseUint(text[i+1:i+1+size], 16, 32); err == nil {
					b.WriteRune(rune(code))
					i += size
					continue
				}
			}
			if sign, ok := escapes[text[i]]; ok {
				b.WriteString(sign)
			} else {
				b.WriteByte(text[i])
			}
		case c == '\n' || c == '\r':
			// Lines of one text are one line, with a blank in between.
			for i+1 < len(text) && strings.IndexByte("\r\n \t", text[i+1]) >= 0 {
				i++
			}
			folded := strings.TrimRight(b.String(), " \t")
			b.Reset()
			b.WriteString(folded + " ")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
