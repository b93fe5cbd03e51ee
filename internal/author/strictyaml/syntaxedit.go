package strictyaml

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// inBlock splits a line of block style into the part before the value (dashes and
// a key with its colon) and the rest.
var inBlock = regexp.MustCompile(`^(\s*(?:- +)*(?:[A-Za-z_][\w.-]* *: +|"[^"]*" *: +|'[^']*' *: +)?)(\S.*)$`)

// inFlow matches the beginning of a value with {{ in flow style.
var inFlow = regexp.MustCompile(`[:,\[] *(\$?\{\{)`)

// quoteBraces returns the edit that puts quotes around a value with {{ }} or ${{ }}
// in a line: the value at column, or the first one if column is 0. It also adds the
// dollar that makes {{ }} an expression, unless the value looks like a Go template.
// It returns nil if the beginning or the end of the value is ambiguous.
func quoteBraces(lines []string, line, column int) *Edit {
	if line < 1 || line > len(lines) {
		return nil
	}
	text := strings.TrimRight(lines[line-1], " \t\r")
	parts := inBlock.FindStringSubmatchIndex(text)
	if parts == nil {
		return nil
	}
	from, to := parts[4], strings.LastIndex(text, "}}")+2
	if braces := strings.HasPrefix(text[from:], "{{"); !braces && strings.ContainsAny(text[from:from+1], "{[") {
		from, to = flowValue(text, from, column)
	} else if !endsLine(text[max(to, 0):]) || column > 0 && braces && utf8.RuneCountInString(text[:from])+1 != column {
		return nil
	}
	if from < 0 || to <= from+2 || strings.ContainsAny(text[from:from+1], `"'|>&*!#%@`) || !strings.Contains(text[from:to], "{{") {
		return nil
	}
	value := text[from:to]
	inner := strings.TrimLeft(strings.TrimPrefix(value, "{{"), "- ")
	if strings.HasPrefix(value, "{{") && inner != "" && inner[0] != '.' && inner[0] != '$' && !templateAction.MatchString(inner) {
		value = "$" + value
	}
	return &Edit{Line: line, Column: utf8.RuneCountInString(text[:from]) + 1, EndLine: line, EndColumn: utf8.RuneCountInString(text[:to]) + 1,
		Text: Quoted(value), Safe: true}
}

// templateAction matches the beginning of an action of a Go template.
var templateAction = regexp.MustCompile(`^(range|if|else|end|with|define|template|block|printf|json|date|join|len|index)\b`)

// endsLine reports whether rest contains only white space or a comment.
func endsLine(rest string) bool {
	return strings.TrimSpace(rest) == "" || strings.HasPrefix(strings.TrimLeft(rest, " \t"), "#") && isBlank(rest[0])
}

// flowValue returns the value with {{ }} in flow style after an offset: the value at
// column, or the first one if column is 0. The value ends with its closing braces,
// and a comma or a bracket must follow. Otherwise flowValue returns -1, -1.
func flowValue(text string, from, column int) (start, end int) {
	for at := from; ; {
		found := inFlow.FindStringSubmatchIndex(text[at:])
		if found == nil {
			return -1, -1
		}
		start = at + found[2]
		at = start + 1
		if column > 0 && utf8.RuneCountInString(text[:start])+1 != column {
			continue
		}
		open := strings.Index(text[start:], "{{") + start + 2
		length := strings.Index(text[open:], "}}")
		if length < 0 || strings.ContainsAny(text[open:open+length], `{}"'`) {
			return -1, -1
		}
		end = open + length + 2
		if rest := strings.TrimLeft(text[end:], " "); rest != "" && strings.ContainsAny(rest[:1], ",]}") {
			return start, end
		}
		return -1, -1
	}
}

// expandTabs returns the edit that indents a line with spaces instead of tabs. If the
// line above is indented with spaces, the depth is the same, or one unit more after a
// colon. Otherwise, a tab extends to the next multiple of unit.
func expandTabs(lines []string, line, unit int) *Edit {
	text := lines[line-1]
	rest := strings.TrimLeft(text, " \t")
	width := 0
	for _, c := range text[:len(text)-len(rest)] {
		if width++; c == '\t' {
			width = (width + unit - 1) / unit * unit
		}
	}
	for above := line - 2; above >= 0; above-- {
		text := strings.TrimRight(lines[above], " \t\r")
		key := strings.TrimLeft(text, " -")
		if key == "" || key[0] == '#' {
			continue
		}
		if indent := len(text) - len(key); indent > 0 && key[0] != '\t' {
			width = indent
			if strings.HasSuffix(key, ":") {
				width += unit
			}
		}
		break
	}
	return &Edit{Line: line, Column: 1, EndLine: line, EndColumn: len(text) - len(rest) + 1, Text: strings.Repeat(" ", width), Safe: true}
}

// indentUnit returns the smallest indentation in spaces that the lines use, at
// least 2.
func indentUnit(lines []string) int {
	unit := 0
	for _, line := range lines {
		rest := strings.TrimLeft(line, " ")
		n := len(line) - len(rest)
		if n > 0 && rest != "" && !strings.ContainsAny(rest[:1], "\t\r#") && (unit == 0 || n < unit) {
			unit = n
		}
	}
	if unit < 2 {
		return 2
	}
	return unit
}
