package lsp

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"botwork/internal/author/lsp/sketch"
)

// cursor is the placeholder for the cursor in a text that is completed. It counts as a
// word, so that the sketch has a node at the cursor. It is a private-use character, which
// does not occur in files.
const cursor = '\uf8e3'

// section is the range of an expression in a document.
type section struct{ from, to int }

// expressions returns the expressions in a scalar: the texts in ${{ }}, or the whole
// text of an `if`. An expression that is not closed extends to the end of its line.
func expressions(text string, n *sketch.Node, condition bool) []section {
	if n.Kind != sketch.Scalar && (n.Kind != sketch.Empty || !condition) {
		return nil
	}
	from, to := n.From, n.To
	var found []section
	for at := from; ; {
		i := strings.Index(text[at:to], "${{")
		if i < 0 {
			break
		}
		at += i + len("${{")
		if i > 0 && text[at-len("${{")-1] == '$' {
			continue // $${{ is a literal ${{
		}
		end := expressionEnd(text, at, to, n.Style == sketch.DoubleQuoted)
		found = append(found, section{at, end})
		at = end
	}
	if condition && len(found) == 0 {
		switch n.Style {
		case sketch.SingleQuoted, sketch.DoubleQuoted:
			from++
			if to > from && text[to-1] == text[n.From] {
				to--
			}
		case sketch.Block:
			if i := strings.IndexAny(text[from:to], "\r\n"); i >= 0 {
				from += i
			}
		}
		found = append(found, section{from, to})
	}
	return found
}

// expressionEnd returns the offset of the braces that close an expression, or the end of
// its line. Braces in texts and maps do not count.
func expressionEnd(text string, from, to int, escaped bool) int {
	depth := 0
	for _, t := range lex(text, from, to, escaped) {
		switch {
		case t.kind != punctuation:
		case t.text == "{":
			depth++
		case t.text == "}" && depth > 0:
			depth--
		case t.text == "}" && strings.HasPrefix(text[t.from:to], "}}"):
			return t.from
		}
	}
	if i := strings.IndexAny(text[from:to], "\r\n"); i >= 0 {
		return from + i
	}
	return to
}

type tokenKind int

const (
	word tokenKind = iota // a name
	number
	quote       // a text in quotes
	punctuation // anything else
)

// token is a word of an expression.
type token struct {
	kind     tokenKind
	text     string // for a quote, the text without quotes and escapes
	from, to int
}

// lex splits an expression into tokens. In a double-quoted scalar, for which escaped is
// true, \" is a quote of the expression.
func lex(text string, from, to int, escaped bool) []token {
	l := lexer{text: text, at: from, to: to, escaped: escaped}
	var tokens []token
	for l.at < to {
		start := l.at
		r, size := l.next()
		switch {
		case unicode.IsSpace(r):
			continue
		case wordStart(r):
			l.word()
			tokens = append(tokens, token{word, text[start:l.at], start, l.at})
		case r >= '0' && r <= '9':
			l.word()
			tokens = append(tokens, token{number, text[start:l.at], start, l.at})
		case r == '"' || r == '\'' || r == '`':
			content := l.quoted(r)
			tokens = append(tokens, token{quote, content, start, l.at})
		case r == '?' && strings.HasPrefix(text[l.at:to], "."):
			l.at++
			tokens = append(tokens, token{punctuation, "?.", start, l.at})
		default:
			tokens = append(tokens, token{punctuation, text[start : start+size], start, start + size})
		}
	}
	return tokens
}

type lexer struct {
	text    string
	at, to  int
	escaped bool
}

// next reads one character of the expression, which can be escaped in YAML.
func (l *lexer) next() (r rune, size int) {
	start := l.at
	r, size = utf8.DecodeRuneInString(l.text[l.at:l.to])
	l.at += size
	if r == '\\' && l.escaped && l.at < l.to && strings.IndexByte(`"\/`, l.text[l.at]) >= 0 {
		r = rune(l.text[l.at])
		l.at++
	}
	return r, l.at - start
}

// word skips letters and digits.
func (l *lexer) word() {
	for l.at < l.to {
		r, size := utf8.DecodeRuneInString(l.text[l.at:l.to])
		if !wordStart(r) && !unicode.IsDigit(r) {
			return
		}
		l.at += size
	}
}

// quoted reads to the end of a quoted text or of its line.
func (l *lexer) quoted(end rune) string {
	var b strings.Builder
	for l.at < l.to && l.text[l.at] != '\n' && l.text[l.at] != '\r' {
		r, _ := l.next()
		if r == end {
			return b.String()
		}
		if r == '\\' && end != '`' && l.at < l.to {
			r, _ = l.next()
		}
		b.WriteRune(r)
	}
	return b.String()
}

func wordStart(r rune) bool {
	return r == '_' || r == '$' || r == cursor || unicode.IsLetter(r)
}

// link is one part of a chain such as steps.load.output: the first name, a field, or an
// element, which has no name.
type link struct {
	token
	element bool
	bracket bool // written ["name"]
	opener  int  // the offset of the dot or bracket before it
	closer  int  // the offset after the bracket or the name
}

// chain is a name with its fields. If a chain begins with a field, as in a predicate, its
// first link has no text.
type chain []link

// chains returns all names with their fields.
func chains(text string, s section, escaped bool) []chain {
	tokens := lex(text, s.from, s.to, escaped)
	var found []chain
	for i, t := range tokens {
		afterDot := i > 0 && isDot(tokens[i-1])
		switch {
		case t.kind == word && !afterDot:
			found = append(found, follow(tokens, i+1, chain{{token: t, opener: t.from, closer: t.to}}))
		case isDot(t) && (i == 0 || startsOperand(tokens[i-1])):
			found = append(found, follow(tokens, i, chain{{token: token{from: t.from, to: t.from}}}))
		}
	}
	return found
}

func isDot(t token) bool { return t.kind == punctuation && (t.text == "." || t.text == "?.") }

// startsOperand reports whether a value begins after the token, so that a dot there
// begins a chain.
func startsOperand(t token) bool {
	return t.kind == punctuation && !slices.Contains([]string{")", "]", "}", "."}, t.text)
}

// follow adds the fields after a name.
func follow(tokens []token, i int, c chain) chain {
	for i < len(tokens) {
		switch t := tokens[i]; {
		case isDot(t) && i+1 < len(tokens) && tokens[i+1].kind == word:
			name := tokens[i+1]
			c = append(c, link{token: name, opener: t.from, closer: name.to})
			i += 2
		case isDot(t) && i+1 < len(tokens) && tokens[i+1].text == "[":
			i++ // a?.["b"]
		case t.kind == punctuation && t.text == "[":
			l, next := bracket(tokens, i)
			c, i = append(c, l), next
		default:
			return c
		}
	}
	return c
}

// bracket reads the brackets after a name.
func bracket(tokens []token, i int) (link, int) {
	open := tokens[i]
	if i+1 < len(tokens) && tokens[i+1].kind == quote && (i+2 == len(tokens) || tokens[i+2].text == "]") {
		name := tokens[i+1]
		l := link{token: name, bracket: true, opener: open.from, closer: name.to}
		if i+2 < len(tokens) {
			l.closer = tokens[i+2].to
		}
		return l, i + 3
	}
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].text {
		case "[":
			depth++
		case "]":
			if depth--; depth == 0 {
				return link{token: open, element: true, opener: open.from, closer: tokens[i].to}, i + 1
			}
		}
	}
	return link{token: open, element: true, opener: open.from, closer: open.to}, i
}
