package sketch

import (
	"strconv"
	"strings"
)

// isKey reports whether there is a key with a colon at the offset.
func (p *parser) isKey(at int) bool {
	_, ok := p.key(at)
	return ok
}

// key parses a key without its value.
func (p *parser) key(at int) (*Entry, bool) {
	end := p.lines[p.line].to
	if at >= end {
		return nil, false
	}
	from := at // the offset from which a colon counts
	if strings.HasPrefix(p.text[at:end], "${{") {
		// The author of an unquoted expression does not intend its colons as those
		// of keys.
		closing := strings.Index(p.text[at:end], "}}")
		if closing < 0 {
			return nil, false
		}
		from += closing
	}
	switch c := p.text[at]; c {
	case '"', '\'':
		to := p.closingQuote(at, end)
		if to < 0 {
			return nil, false
		}
		colon := p.skipBlanks(to)
		if colon < end && p.text[colon] == ':' && p.isBlankAt(colon+1, end) {
			return &Entry{Key: unquote(p.text[at:to]), From: at, To: to, Colon: colon}, true
		}
		return nil, false
	case '[', '{', '|', '>', '#', '%', '@', '`', ',', ']', '}':
		return nil, false
	}
	for i := from; i < end; i++ {
		switch {
		case p.text[i] == ':' && p.isBlankAt(i+1, end):
			key := strings.TrimRight(p.text[at:i], " \t")
			return &Entry{Key: key, From: at, To: at + len(key), Colon: i}, key != ""
		case p.text[i] == '#' && i > at && p.isBlankAt(i-1, end):
			return nil, false
		}
	}
	return nil, false
}

// isBlankAt reports whether there is a blank or the end of the line at the offset.
func (p *parser) isBlankAt(at, end int) bool {
	return at >= end || p.text[at] == ' ' || p.text[at] == '\t'
}

// closingQuote returns the offset after the quoted text that begins at the offset at, or
// -1 if it does not end before end.
func (p *parser) closingQuote(at, end int) int {
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

// value parses a value that begins in the current line, and consumes all its lines.
// parent is the column of its key or dash.
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

// maxQuoted is the maximum number of lines in which the end of a quoted text is searched.
const maxQuoted = 100

// quoted parses a text in quotes. If the closing quote is missing, the text ends with its
// line, because the user is probably still typing it.
func (p *parser) quoted(at, parent int) *Node {
	n := &Node{Kind: Scalar, Style: SingleQuoted, From: at}
	if p.text[at] == '"' {
		n.Style = DoubleQuoted
	}
	first, open := p.line, true
	for ; p.line < len(p.lines) && p.line < first+maxQuoted; p.line++ {
		if p.line > first && p.endsValue(parent) {
			break
		}
		if to := p.closingQuote(at, p.lines[p.line].to); to >= 0 {
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

// endsValue reports whether the line cannot belong to a value that began in a previous
// line.
func (p *parser) endsValue(parent int) bool {
	at := p.start()
	return at < p.lines[p.line].to && (p.column(at) <= parent || p.dash(at) || p.isKey(at))
}

// plainEnd returns the end of the plain text in the line.
func (p *parser) plainEnd(at int) int {
	end := p.lines[p.line].to
	for i := at + 1; i < end; i++ {
		if p.text[i] == '#' && p.isBlankAt(i-1, end) {
			end = i
			break
		}
	}
	for end > at && p.isBlankAt(end-1, end) {
		end--
	}
	return end
}

// plain parses a text without quotes and its continuation lines.
func (p *parser) plain(at, parent int) *Node {
	n := &Node{Kind: Scalar, From: at, To: p.plainEnd(at)}
	words := []string{p.text[at:n.To]}
	cut := n.To < p.lines[p.line].to && strings.Contains(p.text[n.To:p.lines[p.line].to], "#")
	for p.line++; !cut && p.peek() > parent && !p.endsValue(parent); p.line++ {
		from := p.start()
		n.To = p.plainEnd(from)
		words = append(words, p.text[from:n.To])
	}
	n.Text = strings.Join(words, " ")
	return n
}

// blockHeader reports whether the | or > at the offset begins a block scalar.
func (p *parser) blockHeader(at int) bool {
	end := p.plainEnd(at)
	return strings.Trim(p.text[at+1:end], "+-123456789") == ""
}

// block parses a block scalar: all lines that are indented deeper than parent.
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

// escapes are the single-character escapes in double quotes.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '0': "\x00", 'e': "\x1b", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v", ' ': " ", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029"}

// unquote returns the value of a quoted text. The closing quote can be missing.
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
			if char, ok := escapes[text[i]]; ok {
				b.WriteString(char)
			} else {
				b.WriteByte(text[i])
			}
		case c == '\n' || c == '\r':
			// A line break in a quoted text is read as one space.
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
