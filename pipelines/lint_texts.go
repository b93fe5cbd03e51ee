package pipelines

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"botwork/internal/author/strictyaml"
)

// pathKeys are parameters that hold paths, in whatever handler.
var pathKeys = []string{"program", "dir", "path", "args", "attachments"}

// texts checks the texts of a step's parameters.
func (c *compilation) texts(s *Step, with *strictyaml.Node) {
	for _, e := range with.Entries {
		c.escapedPaths(e.Value, slices.Contains(pathKeys, e.Key), e.Key == "args")
		c.literalSecrets(e.Key, e.Value)
		if s.Handler != "Template" { // its texts contain braces of their own
			c.bareBraces(e.Value, s.shellVariable)
		}
	}
}

// escapedPaths reports Windows paths in double quotes. An argument of a program may be a text if it
// has spaces.
func (c *compilation) escapedPaths(n *strictyaml.Node, isPath, isArgument bool) {
	if f, wrong := n.EscapedPath(isPath && (!isArgument || !strings.Contains(n.Text, " "))); wrong {
		c.add(f)
	}
	eachValue(n, func(_ string, value *strictyaml.Node) { c.escapedPaths(value, isPath, isArgument) })
}

// add adds a finding or a warning.
func (c *compilation) add(f strictyaml.Finding) {
	c.Findings = append(c.Findings, f)
	if f.Severity == strictyaml.Warning {
		c.downgrade()
	}
}

// eachValue calls f for each value in a mapping or a list, with its key; "" in a list.
func eachValue(n *strictyaml.Node, f func(key string, value *strictyaml.Node)) {
	for _, e := range n.Entries {
		f(e.Key, e.Value)
	}
	for _, item := range n.Items {
		f("", item)
	}
}

// glued matches a comment after a value, without a space after its #.
var glued = regexp.MustCompile(`^[ \t]+#([^\s#!].*)`)

// cutTexts warns about texts that a # after a space cuts off: `order #${{ payload.id }}` is the
// text "order". A comment for people has a space after its #.
func (c *compilation) cutTexts(n *strictyaml.Node) {
	if n.Kind == strictyaml.Scalar && !n.Quoted && n.EndLine == n.Line && n.Line > 0 && n.Line <= len(c.lines) {
		comment := glued.FindStringSubmatch(c.rest(n.EndLine, n.EndColumn))
		if text, ok := n.Value.(string); ok && comment != nil && continues(text, comment[1]) {
			f := n.Finding("yaml-trap", n.Path+": a # after a space starts a comment and cuts off the rest of this text",
				"put the whole text in quotes, or write a space after the # of a comment")
			f.Severity = strictyaml.Warning
			c.add(f)
		}
	}
	for _, e := range n.Entries { // in the order of the file; see rest
		c.emptied(n, e)
		c.cutTexts(e.Value)
	}
	for _, item := range n.Items {
		c.cutTexts(item)
	}
}

// rest returns the text of a line from a column. It continues at the previous position: a whole
// file can be one line, and would be read from its beginning for each value.
func (c *compilation) rest(line, column int) string {
	text, from := c.lines[line-1], &c.restAt
	if from.line != line || from.column > column {
		*from = textOffset{line: line, column: 1}
	}
	from.offset += byteOffset(text[from.offset:], column-from.column)
	from.column = column
	return text[from.offset:]
}

// textOffset is a position and its offset in the bytes of the line.
type textOffset struct{ line, column, offset int }

// emptied warns about a parameter that has only a comment for a value: `channel: #ops`.
func (c *compilation) emptied(in *strictyaml.Node, e strictyaml.Entry) {
	if e.Value.Kind != strictyaml.Null || e.KeyEnd == 0 || e.KeyLine > len(c.lines) || !strings.Contains(in.Path+".", ".with.") {
		return
	}
	rest, isKey := strings.CutPrefix(c.rest(e.KeyLine, e.KeyEnd), ":")
	if isKey && glued.MatchString(rest) {
		f := e.Finding("yaml-trap", e.Value.Path+": a # after a space starts a comment, so this has no value", "put the value in quotes, or write a space after the # of a comment")
		f.Severity = strictyaml.Warning
		c.add(f)
	}
}

// continues reports whether a comment without a space after its # reads like the rest of a text: a
// number, an expression, or words after words.
func continues(text, comment string) bool {
	first := rune(comment[0])
	return unicode.IsDigit(first) || strings.Contains(comment, opening) || unicode.IsLetter(first) && strings.Contains(text, " ")
}
