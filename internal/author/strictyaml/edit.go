package strictyaml

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Replace returns the edit that puts text in the place of a single value as it
// stands in the file; nil where its end is not known.
func (n *Node) Replace(text string, safe bool) *Edit {
	if n == nil || n.EndColumn == 0 {
		return nil
	}
	return &Edit{Line: n.Line, Column: n.Column, EndLine: n.EndLine, EndColumn: n.EndColumn, Text: text, Safe: safe}
}

// Quote returns the edit that makes text of an unquoted value; nil where there is
// none.
func (n *Node) Quote() *Edit {
	if n == nil || n.Kind != Scalar || n.Quoted {
		return nil
	}
	return n.Replace(Quoted(n.Text), true)
}

// Unquote returns the edit that makes a number, true or false of a quoted value, or a
// plain number of one with underscores; nil where it would be neither.
func (n *Node) Unquote() *Edit {
	if n == nil {
		return nil
	}
	if !n.Quoted {
		if plain := strings.ReplaceAll(n.Text, "_", ""); plain != n.Text && decimal.MatchString(plain) {
			return n.Replace(plain, true)
		}
		return nil
	}
	switch value, trap := resolve(n.Text); value.(type) {
	case int, float64, bool:
		if trap == "" {
			return n.Replace(n.Text, true)
		}
	}
	return nil
}

// ReplaceWord returns the edit that puts the only one of the known words that is
// near in the place of the value; nil where there is none or more than one. The
// value's quotes stay.
func (n *Node) ReplaceWord(known []string, safe bool) *Edit {
	if n == nil || n.Kind != Scalar {
		return nil
	}
	name, only := Nearest(n.Text, known)
	if !only {
		return nil
	}
	if n.Quoted {
		name = Quoted(name)
	}
	return n.Replace(name, safe)
}

// Rename returns the edit that gives the key of one of n's entries the only known
// name that is near; nil where there is none, more than one, or a key of that name
// already. It is safe where the key is misspelt, and not where it only goes on where
// a known one ends.
func (n *Node) Rename(e Entry, known []string) *Edit {
	if name, _, glued := strings.Cut(e.Key, ":"); glued {
		return n.unglue(e, name, known)
	}
	name, only := Nearest(e.Key, known)
	if !only || e.KeyEnd == 0 || n.Get(name) != nil {
		return nil
	}
	_, safe := nearest(e.Key, known, false)
	text := name
	if e.KeyEnd-e.KeyColumn == len([]rune(e.Key))+2 {
		text = strconv.Quote(name) // it stood in quotes, as in JSON
	}
	return &Edit{Line: e.KeyLine, Column: e.KeyColumn, EndLine: e.KeyLine, EndColumn: e.KeyEnd, Text: text, Safe: safe}
}

// unglue returns the edit that puts a space behind the colon in {timeout:5m}, which
// YAML takes for a key without a value; nil where that is no known key.
func (n *Node) unglue(e Entry, name string, known []string) *Edit {
	if !slices.Contains(known, name) || e.Value.Kind != Null || n.Get(name) != nil || e.KeyEnd-e.KeyColumn != utf8.RuneCountInString(e.Key) {
		return nil
	}
	at := e.KeyColumn + utf8.RuneCountInString(name) + 1
	return &Edit{Line: e.KeyLine, Column: at, EndLine: e.KeyLine, EndColumn: at, Text: " ", Safe: true}
}

// Quoted writes a text of one line in double quotes, or in single ones where the
// double ones would need escapes.
func Quoted(text string) string {
	if strings.ContainsAny(text, `"\`) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return `"` + text + `"`
}
