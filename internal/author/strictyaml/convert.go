package strictyaml

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxDepth limits the nesting of a file, and so the depth of the recursion.
// maxAliased limits the nodes that aliases add: a few lines of nested aliases
// could otherwise exhaust the memory.
const (
	maxDepth   = 200
	maxAliased = 20_000
)

// converter converts the library's nodes to [Node] and collects the findings.
type converter struct {
	file     string
	lines    []string
	findings Findings

	// aliases are the aliases that are being resolved, to detect cycles.
	aliases []*yaml.Node
	aliased int
	limited bool

	last place // see offset
}

// add adds a finding. The caller can set its Edit until the next call of add.
func (c *converter) add(line, column int, code, message, hint string) *Finding {
	c.findings = append(c.findings, Finding{File: c.file, Line: line, Column: column, Code: code, Message: message, Hint: hint})
	return &c.findings[len(c.findings)-1]
}

// addAt adds a finding about a scalar with the scalar's end. If quotes is set, the
// fix is to put the scalar in quotes.
func (c *converter) addAt(y *yaml.Node, code, message, hint string, quotes bool) *Finding {
	f := c.add(y.Line, y.Column, code, message, hint)
	f.EndLine, f.EndColumn = c.end(y)
	if quotes && f.EndColumn > 0 {
		f.Edit = &Edit{Line: y.Line, Column: y.Column, EndLine: f.EndLine, EndColumn: f.EndColumn, Text: Quoted(y.Value), Safe: true}
	}
	return f
}

// limit reports the first limit that is exceeded. Others would only repeat it.
func (c *converter) limit(y *yaml.Node, message, hint string) {
	if !c.limited {
		c.limited = true
		c.add(y.Line, y.Column, "yaml-limit", message, hint)
	}
}

// convert converts a node. It never returns nil: an invalid node becomes Null.
func (c *converter) convert(y *yaml.Node, path string, depth int) *Node {
	n := &Node{File: c.file, Line: y.Line, Column: y.Column, Path: path}
	if y.Kind == yaml.ScalarNode {
		n.EndLine, n.EndColumn = c.end(y)
	}
	if depth > maxDepth {
		c.limit(y, fmt.Sprintf("nested deeper than %d levels", maxDepth), "")
		return n
	}
	if len(c.aliases) > 0 {
		if c.aliased++; c.aliased > maxAliased {
			c.limit(c.aliases[0], fmt.Sprintf("aliases add more than %d values", maxAliased), "write the values without aliases")
			return n
		}
	}
	switch y.Kind {
	case yaml.AliasNode:
		return c.alias(y, path, depth)
	case yaml.MappingNode:
		n.Kind = Mapping
		c.mapping(n, y, depth)
	case yaml.SequenceNode:
		n.Kind = Sequence
		for i, item := range y.Content {
			n.Items = append(n.Items, c.convert(item, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	case yaml.ScalarNode:
		c.scalar(n, y)
	}
	return n
}

func (c *converter) alias(y *yaml.Node, path string, depth int) *Node {
	for _, open := range c.aliases {
		if open.Alias == y.Alias {
			c.limit(y, fmt.Sprintf("the alias *%s contains itself", y.Value), "")
			return &Node{File: c.file, Line: y.Line, Column: y.Column, Path: path}
		}
	}
	c.aliases = append(c.aliases, y)
	n := c.convert(y.Alias, path, depth+1)
	c.aliases = c.aliases[:len(c.aliases)-1]
	return n
}

func (c *converter) mapping(n *Node, y *yaml.Node, depth int) {
	if isBraceTrap(y) {
		f := c.add(y.Line, y.Column, "yaml-trap", "YAML reads unquoted {{ }} as a mapping, not as an expression", "put the whole value in quotes")
		f.Edit = quoteBraces(c.lines, y.Line, y.Column)
		n.Kind = Null
		return
	}
	seen := make(map[string]int, len(y.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
			merges = append(merges, value)
			continue
		}
		if !c.checkKey(key) {
			continue
		}
		if first, ok := seen[key.Value]; ok {
			c.addAt(key, "duplicate-key", fmt.Sprintf("duplicate key %q, first defined in line %d", key.Value, first), "", false)
			continue
		}
		seen[key.Value] = key.Line
		keyLine, keyEnd := c.end(key)
		if keyLine != key.Line {
			keyEnd = 0
		}
		n.Entries = append(n.Entries, Entry{Key: key.Value, KeyLine: key.Line, KeyColumn: key.Column, KeyEnd: keyEnd,
			Value: c.convert(value, join(n.Path, key.Value), depth+1)})
	}
	for _, m := range merges {
		c.merge(n, m, depth)
	}
}

// checkKey reports a key that is not a string. It returns false for such a key,
// whose entry is then skipped.
func (c *converter) checkKey(key *yaml.Node) bool {
	if key.Kind != yaml.ScalarNode {
		c.add(key.Line, key.Column, "non-string-key", "got a collection as a key, want text", "")
		return false
	}
	if key.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 || key.Tag == "!!str" && key.Style&yaml.TaggedStyle != 0 {
		return true
	}
	if value, trap := resolve(key.Value); trap != "" {
		c.addAt(key, "yaml-trap", "key: "+trap, "put it in quotes", true)
		return false
	} else if _, ok := value.(string); !ok {
		c.addAt(key, "non-string-key", fmt.Sprintf("got %s as a key, want text", typeName(value)), "put it in quotes", value != nil)
		return false
	}
	return true
}

// merge adds the entries of a merge key's mapping, or of each mapping in its list,
// whose keys n does not have.
func (c *converter) merge(n *Node, y *yaml.Node, depth int) {
	from := c.convert(y, n.Path, depth+1)
	sources := []*Node{from}
	if from.Kind == Sequence {
		sources = from.Items
	}
	for _, source := range sources {
		if source.Kind != Mapping {
			c.add(y.Line, y.Column, "yaml-merge", fmt.Sprintf("got %s after <<, want an alias of a mapping", source.Kind), "")
			return
		}
		for _, e := range source.Entries {
			if n.Get(e.Key) == nil {
				n.Entries = append(n.Entries, e)
			}
		}
	}
}

func (c *converter) scalar(n *Node, y *yaml.Node) {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	n.Text = y.Value
	if y.Style&yaml.TaggedStyle != 0 && y.Tag != "!!str" {
		c.add(y.Line, y.Column, "yaml-tag", fmt.Sprintf("the tag %s is not supported", y.Tag), "remove it")
		return
	}
	if y.Style&(quoted|yaml.TaggedStyle) != 0 {
		n.Kind, n.Value, n.Quoted = Scalar, y.Value, true
		return
	}
	value, trap := resolve(y.Value)
	if trap != "" {
		f := c.addAt(y, "yaml-trap", trap, "put it in quotes if it is text, or write it as a plain number", true)
		if f.Edit != nil && strings.Contains(y.Value, "_") {
			f.Edit.Safe = false // it is unclear whether a text or a number is intended
		}
	} else if c.cutByComment(y) {
		f := c.add(y.Line, y.Column, "yaml-trap", "a # after a space starts a comment and cuts off this expression", "put the whole value in quotes")
		f.Edit = quoteBraces(c.lines, y.Line, y.Column)
	}
	if value != nil {
		n.Kind, n.Value = Scalar, value
	}
}

// cutByComment reports whether a comment cuts off the end of an unquoted
// expression: `${{ a # b }}` is read as `${{ a`.
func (c *converter) cutByComment(y *yaml.Node) bool {
	if strings.Count(y.Value, "{{") <= strings.Count(y.Value, "}}") || y.Line > len(c.lines) {
		return false
	}
	_, comment, ok := strings.Cut(c.lines[y.Line-1], " #")
	return ok && strings.Contains(comment, "}}")
}

// isBraceTrap reports whether y is `{{ x }}`, which YAML reads as a mapping with
// the mapping {x: null} as its only key.
func isBraceTrap(y *yaml.Node) bool {
	return y.Style&yaml.FlowStyle != 0 && len(y.Content) == 2 &&
		y.Content[0].Kind == yaml.MappingNode && y.Content[0].Style&yaml.FlowStyle != 0 &&
		y.Content[1].ShortTag() == "!!null"
}

// join appends a key to the path of its mapping.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
