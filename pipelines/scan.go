package pipelines

import "strings"

const (
	opening = "${{"
	closing = "}}"
)

// fragment is a piece of a text: plain text, or the source of an expression.
type fragment struct {
	text       string
	expression bool

	// nth is the number of openings in the text before this one, including escaped ones.
	nth int
}

// scan splits a text with ${{ expressions }}. `$${{` is a literal `${{`. unclosed is the
// nth of an opening without an end, or -1.
func scan(text string) (fragments []fragment, unclosed int) {
	var plain strings.Builder
	for nth := 0; ; nth++ {
		at := strings.Index(text, opening)
		if at < 0 {
			plain.WriteString(text)
			break
		}
		if at > 0 && text[at-1] == '$' {
			plain.WriteString(text[:at-1] + opening)
			text = text[at+len(opening):]
			continue
		}
		plain.WriteString(text[:at])
		text = text[at+len(opening):]
		end := expressionEnd(text)
		if end < 0 {
			return nil, nth
		}
		if plain.Len() > 0 {
			fragments = append(fragments, fragment{text: plain.String()})
			plain.Reset()
		}
		fragments = append(fragments, fragment{text: strings.TrimSpace(text[:end]), expression: true, nth: nth})
		text = text[end+len(closing):]
	}
	if plain.Len() > 0 || len(fragments) == 0 {
		fragments = append(fragments, fragment{text: plain.String()})
	}
	return fragments, -1
}

// expressionEnd returns the index of the closing braces of an expression, or -1. It ignores
// braces in strings, maps and closures.
func expressionEnd(text string) int {
	depth := 0
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case strings.HasPrefix(text[i:], closing):
			return i
		}
	}
	return -1
}
