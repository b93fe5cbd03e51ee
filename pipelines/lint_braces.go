package pipelines

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// bare matches an expression in braces without a dollar sign. Actions of Go templates begin
// with a dot or a function, so they do not match.
var bare = regexp.MustCompile(`\{\{-?\s*(?:payload|input|steps|item|env|secrets|worker)\b\??[.\[]`)

// bareBraces warns about texts with {{ payload.x }}, which stay as they are: other programs
// read them as expressions, but here an expression needs a dollar sign.
func (c *compilation) bareBraces(n *strictyaml.Node) {
	if text, ok := n.Value.(string); ok {
		at := bare.FindStringIndex(text)
		if at == nil || at[0] > 0 && text[at[0]-1] == '$' {
			return
		}
		f := n.Finding(CodeBareBraces, n.Path+": {{ }} without a dollar is plain text, not an expression", "write ${{ … }}")
		f.Severity = strictyaml.Warning
		where := find(c.lines, n, text[at[0]:at[1]], 0, text[at[0]:at[1]])
		if where.exact && strings.Count(text, "{{") == 1 {
			f.Line, f.Column, f.EndLine, f.EndColumn = where.line, where.column, where.line, where.column+utf8.RuneCountInString(text[at[0]:at[1]])
			f.Edit = &strictyaml.Edit{Line: where.line, Column: where.column, EndLine: where.line, EndColumn: where.column, Text: "$"}
		}
		c.warned = append(c.warned, f)
	}
	for _, e := range n.Entries {
		c.bareBraces(e.Value)
	}
	for _, item := range n.Items {
		c.bareBraces(item)
	}
}
