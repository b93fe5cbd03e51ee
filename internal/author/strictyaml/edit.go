package strictyaml

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Replace returns the edit that replaces a single value in the file with text,
// or nil if the end of the value is unknown.
func (n *Node) Replace(text string, safe bool) *Edit {
	if n == nil || n.EndColumn == 0 {
		return nil
	}
	return &Edit{Line: n.Line, Column: n.Column, EndLine: n.EndLine, EndColumn: n.EndColumn, Text: text, Safe: safe}
}

// Quote returns the edit that puts quotes around a value, so that it is text. It
// returns nil if the value is quoted already or not a single value.
func (n *Node) Quote() *Edit {
	if n == nil || n.Kind != Scalar || n.Quoted {
		return nil
	}
	return n.Replace(Quoted(n.Text), true)
}

// Unquote returns the edit that removes the quotes around a number, true or false,
// or the underscores from an unquoted number. It returns nil for other values.
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

// ReplaceWord returns the edit that replaces the value with the known word that
// [Nearest] finds, and keeps the quotes. It returns nil if no known word is similar,
// or more than one.
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

// Rename returns the edit that replaces the key of one of n's entries with the known
// name that [Nearest] finds. It returns nil if no known name is similar, or more than
// one, or if n already has a key of that name. The edit is safe if the key is
// misspelt, but not if one of the names is only a prefix of the other.
func (n *Node) Rename(e Entry, known []string) *Edit {
	if name, _, hasColon := strings.Cut(e.Key, ":"); hasColon {
		return n.insertSpace(e, name, known)
	}
	name, only := Nearest(e.Key, known)
	if !only || e.KeyEnd == 0 || n.Get(name) != nil {
		return nil
	}
	_, safe := nearest(e.Key, known, false)
	text := name
	if e.KeyEnd-e.KeyColumn == len([]rune(e.Key))+2 {
		text = strconv.Quote(name) // the key is in quotes, as in JSON
	}
	return &Edit{Line: e.KeyLine, Column: e.KeyColumn, EndLine: e.KeyLine, EndColumn: e.KeyEnd, Text: text, Safe: safe}
}

// insertSpace returns the edit that inserts a space after the colon in {timeout:5m},
// which YAML reads as a key without a value. It returns nil if the text before the
// colon is not a known key.
func (n *Node) insertSpace(e Entry, name string, known []string) *Edit {
	if !slices.Contains(known, name) || e.Value.Kind != Null || n.Get(name) != nil || e.KeyEnd-e.KeyColumn != utf8.RuneCountInString(e.Key) {
		return nil
	}
	at := e.KeyColumn + utf8.RuneCountInString(name) + 1
	return &Edit{Line: e.KeyLine, Column: at, EndLine: e.KeyLine, EndColumn: at, Text: " ", Safe: true}
}

// Quoted returns a text of one line in double quotes, or in single quotes if double
// quotes would need escapes.
func Quoted(text string) string {
	if strings.ContainsAny(text, `"\`) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return `"` + text + `"`
}
