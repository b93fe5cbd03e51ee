package lsp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// source is what editors say a diagnostic comes from.
const source = "botwork"

// diagnostics writes findings as an editor wants them.
func (d *document) diagnostics(findings strictyaml.Findings) publishParams {
	p := publishParams{URI: d.uri, Diagnostics: []Diagnostic{}}
	if d.open {
		p.Version = &d.version
	}
	for _, f := range findings {
		from, to := d.extent(f)
		message := f.Message
		if f.Hint != "" {
			message += "; " + f.Hint
		}
		severity := severityError
		if f.Severity == strictyaml.Warning {
			severity = severityWarning
		}
		p.Diagnostics = append(p.Diagnostics, Diagnostic{
			Range: d.span(from, to), Severity: severity, Code: f.Code, Source: source, Message: message,
		})
	}
	return p
}

// extent returns what a finding is about: what it says, else the key or value
// that begins at its place, else the word there. It is never empty where the line
// is not: editors show nothing then.
func (d *document) extent(f strictyaml.Finding) (from, to int) {
	from = d.place(f.Line, f.Column)
	line, start := d.lineAt(d.position(from).Line)
	end := start + len(strings.TrimRight(line, "\r\n"))
	switch {
	case f.EndLine > 0:
		to = d.place(f.EndLine, f.EndColumn)
	case f.Line == 0:
		to = end
	case len(d.text) <= maxDocument:
		spot := d.tree().At(from)
		if spot.Key != nil && spot.Key.From == from {
			to = spot.Key.To
		} else if spot.Value != nil && spot.Value.From == from {
			to = min(spot.Value.To, end)
		}
	}
	if to <= from {
		to = from
		for to < end {
			r, size := utf8.DecodeRuneInString(d.text[to:])
			if to > from && !wordRune(r) {
				break
			}
			to += size
		}
	}
	if to == from && from > start {
		from-- // the line's end: what stands before it is to be seen
		for from > start && !utf8.RuneStart(d.text[from]) {
			from--
		}
	}
	return from, to
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' }
