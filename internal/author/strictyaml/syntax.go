package strictyaml

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

// diagnose explains the library's error about data. The library often names
// the wrong line and never a column; the place is found anew.
func diagnose(file string, data []byte, err error) Findings {
	message := bare(err)
	at := locate(data, message)
	o := newOutline(data)
	add := func(fs Findings, at int, code, message, hint string) Findings {
		line, column := place(data, at)
		return append(fs, Finding{File: file, Line: line, Column: column, Code: code, Message: message, Hint: hint})
	}

	var findings Findings
	line := lineAround(data, at)
	lines := strings.Split(string(data), "\n")
	unit := indentUnit(lines)
	if len(o.tabs) > 0 && o.tabs[0] < line.to {
		for _, tab := range o.tabs {
			findings = add(findings, tab, "yaml-tab", "a tab indents this line, want spaces", "")
			findings[len(findings)-1].Edit = expandTabs(lines, findings[len(findings)-1].Line, unit)
		}
	}
	switch trap := braces.FindSubmatchIndex(data[line.from:line.to]); {
	case trap != nil:
		findings = add(findings, line.from+trap[2], "yaml-trap", "unquoted {{ }} is a mapping to YAML, not an expression", "put the whole value in quotes")
		f := &findings[len(findings)-1]
		f.Edit = quoteBraces(lines, f.Line, f.Column)
	case o.unclosedQuote >= 0:
		findings = add(findings, o.unclosedQuote, "yaml-syntax", fmt.Sprintf("this quote (%c) is never closed", data[o.unclosedQuote]), "")
	case len(o.unclosed) > 0:
		for _, open := range o.unclosed {
			findings = add(findings, open, "yaml-syntax", fmt.Sprintf("this %c is not closed by a %c", data[open], data[open]+2), "")
		}
	case len(findings) > 0:
		// The tabs are what the library stumbled over.
	default:
		if q := o.longQuoteBefore(at); q != nil {
			end, _ := place(data, q.to)
			findings = add(nil, q.from, "yaml-syntax", fmt.Sprintf("this quote (%c) is closed only in line %d, by a quote that seems to open another text", data[q.from], end), "close it in its own line")
			break
		}
		text, hint := explain(message)
		if k := gluedKey(lines, data, at); k != nil {
			findings = add(nil, k.from, "yaml-syntax", "a space is missing after the colon of a key", "add a space after the colon")
			f := &findings[0]
			f.Edit = &Edit{Line: f.Line, Column: f.Column + k.to - k.from, EndLine: f.Line, EndColumn: f.Column + k.to - k.from, Text: " ", Safe: true}
			break
		}
		if hint == "" && bytes.Contains(data[line.from:line.to], []byte("{{")) {
			hint = "put the whole expression in quotes"
		}
		findings = add(nil, at, "yaml-syntax", text, hint)
		findings[0].Edit = quoteBraces(lines, findings[0].Line, 0)
	}
	findings.Sort()
	return append(before(file, data, findings[0].Line), findings...)
}

// braces finds {{ at the beginning of a value.
var braces = regexp.MustCompile(`(?:^|[:,\[-][ \t])[ \t]*(\{\{)`)

var libraryPrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)

// bare returns the library's message without its place.
func bare(err error) string { return libraryPrefix.ReplaceAllString(err.Error(), "") }

// locate returns the offset of the text that makes the library report message:
// the last character of the shortest beginning of data that has the same
// error. It looks for the line first, then within the line.
func locate(data []byte, message string) int {
	same := func(end int) bool {
		// A beginning leaves brackets open, which is an error of its own.
		_, err := read(append(data[:end:end], newOutline(data[:end]).closing()...))
		return err != nil && bare(err) == message
	}
	var ends []int // of the lines, line end included
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
	// Within a short line the first place counts, since a key that is cut
	// off can look like another mistake of the same kind.
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
		at = newOutline(data[:at+1]).last // where the quoted text begins
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

// longQuoteBefore returns the quoted text of several lines that ends in the
// line of at, in front of it: most often its closing quote was forgotten.
func (o *outline) longQuoteBefore(at int) *span {
	for i, q := range o.longQuotes {
		if q.to <= at && bytes.IndexByte(o.data[q.to:at], '\n') < 0 {
			return &o.longQuotes[i]
		}
	}
	return nil
}

// before checks the lines in front of a syntax error, which may be whole.
func before(file string, data []byte, line int) Findings {
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

// glued finds a key with a value right behind its colon, at the beginning of a line.
var glued = regexp.MustCompile(`^\s*(?:- +)*([a-zA-Z][A-Za-z]*:)[^\s/:]`)

// gluedKey returns the key without a space behind its colon in the line of at or the
// one above it, nil if there is none: YAML takes it for text, and stumbles over what
// follows.
func gluedKey(lines []string, data []byte, at int) *span {
	number, _ := place(data, at)
	for _, n := range []int{number, number - 1} {
		if n < 1 || n > len(lines) {
			continue
		}
		if key := glued.FindStringSubmatchIndex(lines[n-1]); key != nil {
			start := 0
			for _, line := range lines[:n-1] {
				start += len(line) + 1
			}
			return &span{start + key[2], start + key[3]}
		}
	}
	return nil
}
