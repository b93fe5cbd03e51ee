package strictyaml

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// diagnose explains the library's error about data. The library often reports
// the wrong line and never a column, so diagnose determines the position itself.
func diagnose(file string, data []byte, err error) Findings {
	message := withoutPosition(err)
	at := locate(data, message)
	o := newOutline(data)
	add := func(fs Findings, at int, code, message, hint string) Findings {
		line, column := position(data, at)
		return append(fs, Finding{File: file, Line: line, Column: column, Code: code, Message: message, Hint: hint})
	}

	var findings Findings
	line := lineAround(data, at)
	lines := strings.Split(string(data), "\n")
	unit := indentUnit(lines)
	if len(o.tabs) > 0 && o.tabs[0] < line.to {
		for _, tab := range o.tabs {
			findings = add(findings, tab, "yaml-tab", "indentation with a tab, want spaces", "")
			findings[len(findings)-1].Edit = expandTabs(lines, findings[len(findings)-1].Line, unit)
		}
	}
	switch trap := braces.FindSubmatchIndex(data[line.from:line.to]); {
	case trap != nil:
		findings = add(findings, line.from+trap[2], "yaml-trap", "YAML reads unquoted {{ }} as a mapping, not as an expression", "put the whole value in quotes")
		f := &findings[len(findings)-1]
		f.Edit = quoteBraces(lines, f.Line, f.Column)
	case o.unclosedQuote >= 0:
		findings = add(findings, o.unclosedQuote, "yaml-syntax", fmt.Sprintf("the quote %c is not closed", data[o.unclosedQuote]), "")
	case len(o.unclosed) > 0:
		for _, open := range o.unclosed {
			findings = add(findings, open, "yaml-syntax", fmt.Sprintf("the opening %c has no closing %c", data[open], data[open]+2), o.hiddenIn(open, len(data), data[open]+2))
		}
	case len(findings) > 0:
		// The tabs are the cause of the library's error.
	default:
		if q := o.longQuoteBefore(at); q != nil {
			end, _ := position(data, q.to)
			findings = add(nil, q.from, "yaml-syntax", fmt.Sprintf("the quote %c is not closed before line %d, where another text seems to begin", data[q.from], end), "close it on the same line")
			break
		}
		text, hint := explain(message)
		if k := keyWithoutSpace(lines, data, at); k != nil {
			findings = add(nil, k.from, "yaml-syntax", "a space is missing after the colon of a key", "add a space after the colon")
			f := &findings[0]
			f.Edit = &Edit{Line: f.Line, Column: f.Column + k.to - k.from, EndLine: f.Line, EndColumn: f.Column + k.to - k.from, Text: " ", Safe: true}
			break
		}
		if hint == "" && len(o.flowComments) > 0 {
			hint = o.hiddenIn(0, at, ',')
		}
		if hint == "" && bytes.Contains(data[line.from:line.to], []byte("{{")) {
			hint = "put the whole expression in quotes"
		}
		findings = add(nil, at, "yaml-syntax", text, hint)
		findings[0].Edit = quoteBraces(lines, findings[0].Line, 0)
	}
	findings.Sort()
	return append(findingsAbove(file, data, findings[0].Line), findings...)
}

// hiddenIn returns a hint if a comment between brackets, after one offset and before another,
// hides a bracket or a comma; else "". Such a # was often meant as text.
func (o *outline) hiddenIn(from, to int, hidden byte) string {
	for _, c := range slices.Backward(o.flowComments) {
		if c.from > from && c.from < to && bytes.IndexByte(o.data[c.from:c.to], hidden) >= 0 {
			line, _ := position(o.data, c.from)
			what := "a comma"
			if hidden != ',' {
				what = "the closing " + string(hidden)
			}
			return fmt.Sprintf("the # in line %d starts a comment, which hides %s; put the text with the # in quotes", line, what)
		}
	}
	return ""
}

// braces matches {{ at the beginning of a value.
var braces = regexp.MustCompile(`(?:^|[:,\[-][ \t])[ \t]*(\{\{)`)

var libraryPrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)

// withoutPosition returns the library's message without its position.
func withoutPosition(err error) string { return libraryPrefix.ReplaceAllString(err.Error(), "") }

// locate returns the offset of the text that causes the library's message: the
// last character of the shortest prefix of data with the same error. It finds
// the line first, then the character in it.
func locate(data []byte, message string) int {
	same := func(end int) bool {
		// Brackets that are still open at end would be another error.
		_, err := read(append(data[:end:end], newOutline(data[:end]).closing()...))
		return err != nil && withoutPosition(err) == message
	}
	var ends []int // offsets after the line breaks
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	ends = append(ends, len(data))
	k := sort.Search(len(ends)-1, func(k int) bool { return same(ends[k]) })
	from, to := 0, ends[k]
	if k > 0 {
		from = ends[k-1]
	}
	// In a short line, search linearly for the first offset: a prefix that ends
	// within a key can have the same error for another reason.
	const short, small = 300, 1 << 16
	var end int
	if to-from <= short && to <= small {
		for end = from + 1; end < to && !same(end); end++ {
		}
	} else {
		end = from + 1 + sort.Search(to-from-1, func(i int) bool { return same(from + 1 + i) })
	}
	at := max(end-1, 0)
	for at > from && !utf8.RuneStart(data[at]) {
		at--
	}
	switch {
	case strings.HasPrefix(message, "unknown anchor"):
		at = max(bytes.LastIndexByte(data[:at+1], '*'), from)
	case at < len(data) && (data[at] == '"' || data[at] == '\''):
		at = newOutline(data[:at+1]).last // the beginning of the quoted text
	}
	return at
}

func lineAround(data []byte, at int) span {
	from := bytes.LastIndexByte(data[:min(at, len(data))], '\n') + 1
	if i := bytes.IndexByte(data[from:], '\n'); i >= 0 {
		return span{from, from + i}
	}
	return span{from, len(data)}
}

// longQuoteBefore returns the quoted text on several lines that ends before at on
// the same line. Usually its closing quote was forgotten.
func (o *outline) longQuoteBefore(at int) *span {
	for i, q := range o.longQuotes {
		if q.to <= at && bytes.IndexByte(o.data[q.to:at], '\n') < 0 {
			return &o.longQuotes[i]
		}
	}
	return nil
}

// findingsAbove returns the findings in the lines above a syntax error, if these
// lines are valid YAML.
func findingsAbove(file string, data []byte, line int) Findings {
	lines := strings.SplitAfter(string(data), "\n")
	head := lines[:line-1]
	docs, err := read([]byte(strings.Join(head, "")))
	if err != nil || len(docs) == 0 || isNull(docs[0]) {
		return nil
	}
	c := converter{file: file, lines: head}
	c.convert(docs[0].Content[0], "", 0)
	return c.findings
}

// missingSpace matches a key at the beginning of a line without a space after its colon.
var missingSpace = regexp.MustCompile(`^\s*(?:- +)*([a-zA-Z][A-Za-z]*:)[^\s/:]`)

// keyWithoutSpace returns the key without a space after its colon in the line of at
// or the line above it, or nil if there is none. YAML reads such a key and its value
// as text and reports an error for the next line.
func keyWithoutSpace(lines []string, data []byte, at int) *span {
	number, _ := position(data, at)
	for _, n := range []int{number, number - 1} {
		if n < 1 || n > len(lines) {
			continue
		}
		if key := missingSpace.FindStringSubmatchIndex(lines[n-1]); key != nil {
			start := 0
			for _, line := range lines[:n-1] {
				start += len(line) + 1
			}
			return &span{start + key[2], start + key[3]}
		}
	}
	return nil
}
