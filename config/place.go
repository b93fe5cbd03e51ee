package config

import (
	"strings"

	"botwork/internal/author/strictyaml"
)

// SetFrom records that the setting at path, such as "worker.capacity", was overridden by
// source, such as "--capacity", so that findings of Validate name the source.
func (c *Config) SetFrom(path, source string) {
	if c.from == nil {
		c.from = make(map[string]string)
	}
	c.from[path] = source
}

// Warning returns a warning about the setting at path, such as "handlers.folders[0]", at the source
// of its value.
func (c *Config) Warning(path, code, message, hint string) strictyaml.Finding {
	f := c.finding(path, code, message, hint)
	f.Severity = strictyaml.Warning
	return f
}

// finding returns a finding about the setting at path, at the source of its value. A setting
// without a position gets the position of its section.
func (c *Config) finding(path, code, message, hint string) strictyaml.Finding {
	message = path + ": " + message
	if source, ok := c.from[path]; ok {
		return strictyaml.Finding{File: source, Code: code, Message: message, Hint: hint}
	}
	if n := nearest(c.node, path); n != nil {
		return n.Finding(code, message, hint)
	}
	name := c.name
	if name == "" {
		name = "settings"
	}
	return strictyaml.Finding{File: name, Code: code, Message: message, Hint: hint}
}

// nearest returns the node at path, or the deepest one above it.
func nearest(n *strictyaml.Node, path string) *strictyaml.Node {
	if n == nil {
		return nil
	}
	for _, child := range children(n) {
		if rest, ok := strings.CutPrefix(path, child.Path); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return nearest(child, path)
		}
	}
	return n
}

func children(n *strictyaml.Node) []*strictyaml.Node {
	list := n.Items
	for _, e := range n.Entries {
		list = append(list, e.Value)
	}
	return list
}

// recordBroken records the settings of findings. They kept their earlier values, which must
// not be compared with other settings of the file.
func (c *Config) recordBroken(findings strictyaml.Findings) {
	var walk func(n *strictyaml.Node)
	walk = func(n *strictyaml.Node) {
		for _, f := range findings {
			if f.Line == n.Line && f.Column == n.Column && f.File == n.File {
				c.markBroken(n.Path)
			}
		}
		for _, child := range children(n) {
			walk(child)
		}
	}
	walk(c.node)
}

func (c *Config) markBroken(path string) {
	if c.broken == nil {
		c.broken = make(map[string]bool)
	}
	c.broken[path] = true
}
