package pipelines

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// The forms in which other programs write an expression.
var (
	// Actions of Go templates begin with a dot or a function, so they do not match.
	bare = regexp.MustCompile(`\{\{-?\s*(?:payload|input|steps|item|env|secrets|worker|batch)\b(?:\??[.\[]|\s*\}\})`)

	// $payload and ${payload.x}: names that a shell is unlikely to have, or a field, which it cannot have.
	dollar = regexp.MustCompile(`\$(?:(payload|secrets|steps)\b|\{\s*(payload|secrets|steps)\b[^}\n]*\}|\{\s*(?:input|item|env|worker|batch)\s*[.\[][^}\n]*\})`)
)

// bareBraces warns about texts with {{ payload.x }}, ${payload.x} or $payload, which stay as they
// are: other programs read them as expressions, but here an expression is written ${{ }}. A
// variable that the step gives to a shell is none of them.
func (c *compilation) bareBraces(n *strictyaml.Node, isVariable func(name, text string) bool) {
	if text, ok := n.Value.(string); ok {
		c.bareBrace(n, text)
		c.bareDollar(n, text, isVariable)
	}
	eachValue(n, func(_ string, value *strictyaml.Node) { c.bareBraces(value, isVariable) })
}

func (c *compilation) bareBrace(n *strictyaml.Node, text string) {
	at := bare.FindStringIndex(text)
	if at == nil || at[0] > 0 && text[at[0]-1] == '$' {
		return
	}
	f := n.Finding(CodeBareBraces, n.Path+": {{ }} without a dollar is plain text, not an expression", "write ${{ … }}")
	f.Severity = strictyaml.Warning
	where := c.findBare(n, text[at[0]:at[1]])
	if where.exact && strings.Count(text, "{{") == 1 {
		f.Line, f.Column, f.EndLine, f.EndColumn = where.line, where.column, where.line, where.column+utf8.RuneCountInString(text[at[0]:at[1]])
		f.Edit = &strictyaml.Edit{Line: where.line, Column: where.column, EndLine: where.line, EndColumn: where.column, Text: "$"}
	}
	c.add(f)
}

// maxBareLine bounds the lines in which findBare searches. A whole file can be one line, which would
// be read again for each text.
const maxBareLine = 10_000

// findBare returns the position of a part of a text, exact if it is found.
func (c *compilation) findBare(n *strictyaml.Node, part string) position {
	if n.Line < 1 || n.Line > len(c.lines) || len(c.lines[n.Line-1]) > maxBareLine {
		return positionOf(n)
	}
	return find(c.lines, n, part, 0, part)
}

func (c *compilation) bareDollar(n *strictyaml.Node, text string, isVariable func(name, text string) bool) {
	variables := map[string]bool{}
	for _, at := range dollar.FindAllStringSubmatchIndex(text, -1) {
		name, written := "", text[at[0]:at[1]]
		for _, group := range [][]int{at[2:4], at[4:6]} {
			if group[0] >= 0 {
				name = text[group[0]:group[1]]
			}
		}
		if _, judged := variables[name]; !judged {
			variables[name] = name != "" && isVariable(name, text)
		}
		if at[0] > 0 && strings.ContainsRune(`$\`, rune(text[at[0]-1])) || variables[name] {
			continue
		}
		f := n.Finding(CodeBareBraces, n.Path+": "+written+" is plain text, not an expression", "write ${{ … }}, such as ${{ payload.id }}")
		f.Severity = strictyaml.Warning
		if where := c.findBare(n, written); where.exact {
			f.Line, f.Column, f.EndLine, f.EndColumn = where.line, where.column, where.line, where.column+utf8.RuneCountInString(written)
		}
		c.add(f)
		return
	}
}

// shellVariable reports whether a program of the step may have a variable of this name: the step
// gives it, or the text, a script, sets it.
func (s *Step) shellVariable(name, text string) bool {
	env, _ := s.With["env"].(map[string]any)
	_, given := env[name]
	return given || regexp.MustCompile(`\b`+name+`\b\s*=|\b(?:read|for|local|export|param)\b[^\n]*\b`+name+`\b`).MatchString(text)
}
