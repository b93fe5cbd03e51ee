package strictyaml

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// escapes are the characters that YAML makes of a backslash and a letter in double quotes, with
// their names. Such a letter often begins a name in a Windows path.
var escapes = map[rune]struct{ letter, name string }{
	'\t': {"t", "a tab"}, '\n': {"n", "a line break"}, '\r': {"r", "a carriage return"}, '\b': {"b", "a backspace"}, '\f': {"f", "a form feed"},
	'\v': {"v", "a vertical tab"}, '\a': {"a", "a bell"}, '\x1b': {"e", "an escape character"}, 0: {"0", "a NUL character"},
	'\u0085': {"N", "a line break"}, '\u00a0': {"_", "a space"}, '\u2028': {"L", "a line break"}, '\u2029': {"P", "a paragraph break"},
}

// pathStart matches the beginning of a Windows path, of which an escape may have taken the
// backslash after the drive.
var pathStart = regexp.MustCompile(`^(?:[A-Za-z]:[\\/\x00-\x1f\x{85}\x{a0}\x{2028}\x{2029}]|\\)`)

// EscapedPath returns the finding that a text in double quotes is a Windows path in which YAML has
// replaced a backslash and a letter by another character: "C:\temp" has a tab. isPath reports that
// the value can only be a path, so that every such character is wrong. ok is false if the value is
// in order.
//
// The finding is a warning if the text may be something else than a path.
func (n *Node) EscapedPath(isPath bool) (f Finding, ok bool) {
	if n == nil || !n.Quoted || n.EndLine != n.Line {
		return f, false // in double quotes, a break of the line is no escape
	}
	var found []string
	var path strings.Builder
	if len(n.Text) > 1 && n.Text[0] == '\\' && n.Text[1] != '\\' {
		path.WriteByte('\\') // the author of "\\\\server\\share" wrote two
	}
	for _, r := range n.Text {
		e, escaped := escapes[r]
		if !escaped {
			path.WriteRune(r)
			continue
		}
		path.WriteString(`\` + e.letter)
		if named := fmt.Sprintf(`\%s as %s`, e.letter, e.name); !slices.Contains(found, named) {
			found = append(found, named)
		}
	}
	if len(found) == 0 || !isPath && !pathStart.MatchString(n.Text) {
		return f, false
	}
	quoted := "'" + strings.ReplaceAll(path.String(), "'", "''") + "'"
	f = n.Finding("yaml-trap", fmt.Sprintf("%s: got a path in which YAML reads %s, as in every text in double quotes", n.Path, enumerate(found)),
		"write it in single quotes: "+quoted)
	f.Edit = n.Replace(quoted, isPath)
	if !isPath {
		f.Severity = Warning
	}
	return f, true
}

// enumerate joins texts as in a sentence: "a, b and c".
func enumerate(texts []string) string {
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}
