package dashboard

import (
	"regexp"
	"strings"
)

// codeLine is a line of a text with its number, in pieces of one look each, and what the checker has
// found in it.
type codeLine struct {
	Number   int
	Pieces   []piece
	Findings []finding
}

// piece is a part of a line. Class is key, text, number, expression, comment or mark; "" is plain.
type piece struct{ Class, Text string }

// finding is an error or a warning in a file.
type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

// yamlLines colours a text of YAML. It knows as much of YAML as a reader needs: what it takes for
// something else has another colour, and nothing is left out.
func yamlLines(text string, found []finding) []codeLine {
	var lines []codeLine
	block := -1 // the indentation of the key whose text goes over several lines; -1: none
	for number, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		l := codeLine{Number: number + 1}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if block >= 0 && (indent > block || strings.TrimSpace(line) == "") {
			l.Pieces = expressions(nil, "text", line)
		} else {
			l.Pieces = yamlPieces(line)
			block = blockOf(line)
		}
		for _, f := range found {
			if f.Line == l.Number {
				l.Findings = append(l.Findings, f)
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// blockHeader matches the end of a line after which a text of several lines begins, such as "key: |+".
var blockHeader = regexp.MustCompile(`(?:(?:^|\s)-|:)(?:\s+[!&]\S+)*\s+[|>](?:[1-9][+-]?|[+-][1-9]?)?$`)

// blockOf returns the indentation that the lines of a text of several lines exceed, if the line begins
// one; else -1.
func blockOf(line string) int {
	code := strings.TrimRight(withoutComment(line), " ")
	if !blockHeader.MatchString(code) {
		return -1
	}
	indent := len(code) - len(strings.TrimLeft(code, " "))
	for {
		rest := strings.TrimLeft(strings.TrimPrefix(code[indent:], "-"), " ")
		if !strings.HasPrefix(code[indent:], "- ") || strings.IndexByte("|>!&", rest[0]) >= 0 {
			return indent // of the key, or of the entry that is the text
		}
		indent = len(code) - len(rest)
	}
}

// withoutComment returns the part of a line before its comment. A quote within a plain text, such as
// the apostrophe of "it's", quotes nothing.
func withoutComment(line string) string {
	quote, flow := byte(0), 0
	opens := true // a value begins here, so that a quote opens a quoted one
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '"' && c == '\\', quote == '\'' && c == quote && strings.HasPrefix(line[i+1:], "'"):
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		case c == ' ' || c == '\t':
		case opens && (c == '"' || c == '\''):
			quote, opens = c, false
		case opens && (c == '{' || c == '['):
			flow++
		case flow > 0 && (c == '}' || c == ']'):
			flow, opens = flow-1, false
		case flow > 0 && c == ',':
			opens = true
		case c == ':' || c == '-' && opens:
			opens = i+1 < len(line) && line[i+1] == ' ' || flow > 0 && c == ':' && i > 0 && (line[i-1] == '"' || line[i-1] == '\'')
		default:
			opens = false
		}
	}
	return line
}

// yamlPieces divides a line that is not part of a longer text.
func yamlPieces(line string) (pieces []piece) {
	code := withoutComment(line)
	for rest := code; rest != ""; {
		n, class := yamlToken(rest)
		switch class {
		case "text", "":
			pieces = expressions(pieces, class, rest[:n])
		default:
			pieces = append(pieces, piece{class, rest[:n]})
		}
		rest = rest[n:]
	}
	if code != line {
		pieces = append(pieces, piece{"comment", line[len(code):]})
	}
	return pieces
}

// yamlToken returns the length and the class of the token with which a text begins.
func yamlToken(text string) (n int, class string) {
	switch c := text[0]; {
	case c == ' ':
		return len(text) - len(strings.TrimLeft(text, " ")), ""
	case strings.IndexByte("{}[],", c) >= 0, strings.HasPrefix(text, "- "), text == "-":
		return 1, "mark"
	case strings.HasPrefix(text, "${{"):
		if end := strings.Index(text, "}}"); end >= 0 {
			return end + 2, "text"
		}
		return len(text), "text"
	case c == '"' || c == '\'':
		n = len(text)
		if end := strings.IndexByte(text[1:], c); end >= 0 {
			n = end + 2
		}
		if rest := text[n:]; strings.HasPrefix(rest, ": ") || rest == ":" {
			return n, "key"
		}
		return n, "text"
	case c == ':' && (len(text) == 1 || text[1] == ' '):
		return 1, "mark"
	}
	for n = 1; n < len(text); n++ {
		if strings.IndexByte("{}[],", text[n]) >= 0 || strings.HasPrefix(text[n:], ": ") || text[n:] == ":" {
			break
		}
	}
	word := strings.TrimSpace(text[:n])
	switch rest := text[n:]; {
	case strings.HasPrefix(rest, ": ") || rest == ":":
		return n, "key"
	case word == "true" || word == "false" || word == "null" || strings.Trim(word, "0123456789.-+eE") == "" && strings.ContainsAny(word, "0123456789"):
		return n, "number"
	}
	return n, "text"
}

// expressions adds a text in which ${{ }} stands out.
func expressions(pieces []piece, class, text string) []piece {
	for text != "" {
		start := strings.Index(text, "${{")
		end := -1
		if start >= 0 {
			end = strings.Index(text[start:], "}}")
		}
		if end < 0 {
			return append(pieces, piece{class, text})
		}
		if start > 0 {
			pieces = append(pieces, piece{class, text[:start]})
		}
		pieces = append(pieces, piece{"expression", text[start : start+end+2]})
		text = text[start+end+2:]
	}
	return pieces
}
