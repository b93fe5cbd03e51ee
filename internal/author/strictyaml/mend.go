package strictyaml

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// inBlock takes a line of block style apart: what stands before the value (dashes
// and a key with its colon), and the rest.
var inBlock = regexp.MustCompile(`^(\s*(?:- +)*(?:[A-Za-z_][\w.-]* *: +|"[^"]*" *: +|'[^']*' *: +)?)(\S.*)$`)

// inFlow finds where in a line of flow style a value with {{ begins.
var inFlow = regexp.MustCompile(`[:,\[] *(\$?\{\{)`)

// quoteBraces returns the edit that puts quotes around the value with {{ }} or
// ${{ }} in a line, the one that begins in column or, for 0, the first. A {{ that
// does not look like Go's templates gets the dollar that makes an expression of it.
// The answer is nil where the value's ends are not plain.
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
	} else if !plainEnd(text[max(to, 0):]) || column > 0 && braces && utf8.RuneCountInString(text[:from])+1 != column {
		return nil
	}
	if from < 0 || to <= from+2 || strings.ContainsAny(text[from:from+1], `"'|>&*!#%@`) || !strings.Contains(text[from:to], "{{") {
		return nil
	}
	value := text[from:to]
	inner := strings.TrimLeft(strings.TrimPrefix(value, "{{"), "- ")
	if strings.HasPrefix(value, "{{") && inner != "" && inner[0] != '.' && inner[0] != '$' && !ofTemplate.MatchString(inner) {
		value = "$" + value
	}
	return &Edit{Line: line, Column: utf8.RuneCountInString(text[:from]) + 1, EndLine: line, EndColumn: utf8.RuneCountInString(text[:to]) + 1,
		Text: Quoted(value), Safe: true}
}

// ofTemplate recognises the beginning of an action of Go's templates.
var ofTemplate = regexp.MustCompile(`^(range|if|else|end|with|define|template|block|printf|json|date|join|len|index)\b`)

// plainEnd tells that nothing but text without braces follows, up to a comment.
func plainEnd(rest string) bool {
	return strings.TrimSpace(rest) == "" || strings.HasPrefix(strings.TrimLeft(rest, " \t"), "#") && isBlank(rest[0])
}

// flowValue finds the value with {{ }} in flow style from an offset on: one that
// begins in column, or for 0 the first. It goes up to the braces that close it, and
// a comma or a bracket must follow.
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

// expandTabs returns the edit that indents a line with spaces: as deep as the line
// above it where that is indented with spaces, deeper when that ends in a colon; else
// a tab goes to the next multiple of unit.
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
		before := strings.TrimRight(lines[above], " \t\r")
		key := strings.TrimLeft(before, " -")
		if key == "" || key[0] == '#' {
			continue
		}
		if deep := len(before) - len(key); deep > 0 && key[0] != '\t' {
			width = deep
			if strings.HasSuffix(key, ":") {
				width += unit
			}
		}
		break
	}
	return &Edit{Line: line, Column: 1, EndLine: line, EndColumn: len(text) - len(rest) + 1, Text: strings.Repeat(" ", width), Safe: true}
}

// indentUnit is by how many spaces a text indents: the fewest that it does.
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
